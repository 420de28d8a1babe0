package cli

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// targetFlags are the flags of a serve command that may follow --target-flag.
type targetFlags struct {
	kind    string // of 'plimsoll serve'
	example string // of one and its value
	set     *pflag.FlagSet
	chosen  []string     // which the run sets itself, since it has to reach the server
	check   func() error // of what was set, as the target checks it
}

// args turns the values of --target-flag (delay=20ms) into arguments of the embedded target, having
// checked them as the target will. A flag that is on or off may stand alone.
func (t *targetFlags) args(values []string) ([]string, error) {
	bad := func(format string, args ...any) error {
		return fault.New(fault.Usage, "--target-flag: "+format, args...).
			Hint("run 'plimsoll serve %s --help' for the flags that may follow", t.kind)
	}
	var args []string
	for _, v := range values {
		name, setting, found := strings.Cut(strings.TrimLeft(v, "-"), "=")
		flag := t.set.Lookup(name)
		switch {
		case flag == nil:
			return nil, bad("%q is not a flag of 'plimsoll serve %s'", name, t.kind)
		case slices.Contains(t.chosen, name):
			return nil, bad("%s is chosen by the run itself", name)
		case !found && flag.NoOptDefVal != "":
			setting = flag.NoOptDefVal
		case !found:
			return nil, bad("%q lacks a value: write --target-flag %s", v, t.example)
		}
		if err := flag.Value.Set(setting); err != nil {
			return nil, bad("%s: %w", name, err)
		}
		args = append(args, "--"+name+"="+setting)
	}
	if err := t.check(); err != nil {
		return nil, fault.New(fault.Usage, "--target-flag: %w", err)
	}
	return args, nil
}

// names are what may stand before the value in --target-flag, each with its sign.
func (t *targetFlags) names() []string {
	var names []string
	t.set.VisitAll(func(f *pflag.Flag) {
		switch {
		case slices.Contains(t.chosen, f.Name):
		case f.NoOptDefVal != "":
			names = append(names, f.Name)
		default:
			names = append(names, f.Name+"=")
		}
	})
	return names
}
