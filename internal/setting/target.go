package setting

import (
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
func (t *Target) Flag(into *[]string, what string) *Setting {
	s := List(into, "target-flag", "name=value", "flag of 'plimsoll serve "+t.Server+"' for the embedded "+what+
		", such as "+t.Example+"; may be given several times").Offer(t.names()...)
	s.Unended = true
	return s
}

// Args turns the values of --target-flag (delay=20ms) into arguments of the embedded server, having
// checked them as the server will. A flag that is on or off may stand alone.
func (t *Target) Args(values []string) ([]string, error) {
	bad := func(format string, args ...any) error {
		return fault.New(fault.Usage, "--target-flag: "+format, args...).
			Hint("run 'plimsoll serve %s --help' for the flags that may follow", t.Server)
	}
	var args []string
	for _, v := range values {
		name, text, found := strings.Cut(strings.TrimLeft(v, "-"), "=")
		one := t.Set.Lookup(name)
		switch {
		case one == nil:
			return nil, bad("%q is not a flag of 'plimsoll serve %s'", name, t.Server)
		case one.OfTheRun:
			return nil, bad("%s is chosen by the run itself", name)
		case !found && one.Switch():
			text = "true"
		case !found:
			return nil, bad("%q lacks a value: write --target-flag %s", v, t.Example)
		}
		if err := one.Set(text); err != nil {
			return nil, bad("%s: %w", name, err)
		}
		args = append(args, "--"+name+"="+text)
	}
	if err := t.Set.Check(); err != nil {
		return nil, fault.New(fault.Usage, "--target-flag: %w", err)
	}
	return args, nil
}

// ArgsFor are the Args of a run whose server is at url, "" for the embedded one. No other takes
// --target-flag.
func (t *Target) ArgsFor(url string, values []string) ([]string, error) {
	if url != "" && len(values) > 0 {
		return nil, fault.New(fault.Usage, "--target-flag is for the embedded target, and a URL is given").
			Hint("leave one of them out")
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
