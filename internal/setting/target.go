package setting

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Target is an embedded server, whose settings may follow --target-flag.
type Target struct {
	Server  string // of 'plimsoll serve'
	Example string // of a setting and its value
	Set     *Set
}

// Flag is --target-flag, whose help names the server and an example.
func (t *Target) Flag(into *[]string) *Setting {
	s := List(into, "target-flag", "name=value", "flag of the demo server, 'plimsoll serve "+t.Server+"', such as "+
		t.Example+"; repeatable").Offer(t.names()...)
	s.Unended, s.Secret = true, true
	return s
}

// Args turns the values of --target-flag (delay=20ms) into arguments of the embedded server, having
// checked them as the server will. A flag that is on or off may stand alone.
func (t *Target) Args(values []string) ([]string, error) {
	bad := func(format string, args ...any) error {
		return fault.New(fault.Usage, "--target-flag: "+format, args...).
			Hint("'plimsoll serve %s --help=all' lists the flags", t.Server)
	}
	var args []string
	for _, v := range values {
		name, text, found := strings.Cut(strings.TrimLeft(v, "-"), "=")
		one := t.Set.Lookup(name)
		switch {
		case one == nil:
			return nil, t.unknown(name)
		case one.OfTheRun:
			return nil, bad("%s is set by the run itself", name)
		case !found && one.Switch():
			text = "true"
		case !found:
			return nil, bad("%q has no value: write --target-flag %s", v, t.Example)
		}
		if err := one.Set(text); err != nil {
			return nil, bad("%s: %w", name, err)
		}
		args = append(args, "--"+one.Name+"="+text)
	}
	if err := t.Set.Check(); err != nil {
		return nil, fault.New(fault.Usage, "--target-flag: %w", err)
	}
	return args, nil
}

// NamesIn are the names of the settings in values of --target-flag, whose values may be secret.
func NamesIn(values []string) []string {
	var names []string
	for _, v := range values {
		name, _, _ := strings.Cut(strings.TrimLeft(v, "-"), "=")
		names = append(names, name)
	}
	return names
}

// unknown refuses a name that the server has no setting of.
func (t *Target) unknown(name string) error {
	e := fault.New(fault.Usage, "--target-flag: %q is not a flag of 'plimsoll serve %s'", name, t.Server)
	help := fmt.Sprintf("'plimsoll serve %s --help=all' lists the flags", t.Server)
	var names []string
	for _, known := range t.names() {
		names = append(names, strings.TrimSuffix(known, "="))
	}
	if near := fault.Nearest(name, names); near != "" {
		return e.Hint("did you mean %s? %s", near, help)
	}
	return e.Hint("%s", help)
}

// ArgsFor are the Args of a run whose server is at url, "" for the embedded one. No other takes
// --target-flag.
func (t *Target) ArgsFor(url string, values []string) ([]string, error) {
	if url != "" && len(values) > 0 {
		return nil, fault.New(fault.Usage, "--target-flag is for the demo server, but a URL is given").
			Hint("remove one of them")
	}
	return t.Args(values)
}

// names are what may stand before the value in --target-flag, each with its sign.
func (t *Target) names() []string {
	var names []string
	for _, one := range t.Set.All() {
		switch {
		case one.OfTheRun || one.Name == "":
		case one.Switch():
			names = append(names, one.Name)
		default:
			names = append(names, one.Name+"=")
		}
	}
	return names
}
