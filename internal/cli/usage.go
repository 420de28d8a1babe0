package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// flagError words what is wrong with a flag, and finds the flag that was meant.
func flagError(cmd *cobra.Command, err error) error {
	help := "run '" + cmd.CommandPath() + " --help' for its flags"
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		dash, name := "--", unknown.GetSpecifiedName()
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			dash, name = "-", short
		}
		e := fault.New(fault.Usage, "unknown flag %s%s", dash, name)
		if near := nearestFlag(cmd, name); near != "" {
			return e.Hint("did you mean --%s? %s", near, help)
		}
		return e.Hint("%s", help)
	case errors.As(err, &missing):
		return fault.New(fault.Usage, "--%s needs a value", missing.GetSpecifiedName()).Hint("%s", help)
	case errors.As(err, &invalid):
		return fault.New(fault.Usage, "--%s: %w", invalid.GetFlag().Name, invalid.Unwrap())
	}
	return fault.New(fault.Usage, "%w", err).Hint("%s", help)
}

// nearestFlag is the flag of cmd whose name differs least from name, or "" when none is
// near.
func nearestFlag(cmd *cobra.Command, name string) string {
	best, nearest := max(2, len(name)/3)+1, ""
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		d := fault.EditDistance(name, f.Name)
		if strings.HasPrefix(f.Name, name) {
			d = 1
		}
		if d < best {
			best, nearest = d, f.Name
		}
	})
	return nearest
}

// completeWith has a shell offer values for a flag.
func completeWith(cmd *cobra.Command, flag string, values ...string) {
	offer(cmd, flag, cobra.ShellCompDirectiveDefault, values...)
}

func offer(cmd *cobra.Command, flag string, how cobra.ShellCompDirective, values ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, how|cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag does not exist, or has its values already: a slip in this package
	}
}

// knownCommand refuses arguments of a command that only has subcommands.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	e := fault.New(fault.Usage, "%q is not a command of %s", args[0], cmd.CommandPath())
	if args[0] == "" { // near to every command
		return e.Hint("run '%s --help' for its commands", cmd.CommandPath())
	}
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return e.Hint("did you mean '%s %s'?", cmd.CommandPath(), near[0])
	}
	return e.Hint("run '%s --help' for its commands", cmd.CommandPath())
}

// atMost allows up to n arguments, which are described by what.
func atMost(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= n {
			return nil
		}
		return fault.New(fault.Usage, "%s does not understand %q: %s", cmd.CommandPath(), args[n], what).
			Hint("run '%s --help' for an example", cmd.CommandPath())
	}
}

// exactlyOne asks for one argument, which is described by what.
func exactlyOne(name, what string) cobra.PositionalArgs {
	more := atMost(1, what)
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fault.New(fault.Usage, "%s needs %s: %s", cmd.CommandPath(), name, what).
				Hint("run '%s --help' for an example", cmd.CommandPath())
		}
		return more(cmd, args)
	}
}
