package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/redact"
)

// Known refuses arguments of a command that only has subcommands.
func Known(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	e := Unknown(cmd, args[0])
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	if scheme, _, isURL := strings.Cut(args[0], "://"); isURL {
		for _, name := range []string{scheme, strings.TrimSuffix(scheme, "s")} { // https, wss
			if slices.Contains(names, name) {
				return e.Hint("what measures it comes first: '%s %s URL'", cmd.CommandPath(), name)
			}
		}
		return e.Hint("what measures it comes first: '%s --help' has the commands", cmd.CommandPath())
	}
	if near := fault.Nearest(args[0], names); near != "" {
		return e.Hint("did you mean '%s %s'?", cmd.CommandPath(), near)
	}
	return e.Hint("run '%s --help' for its commands", cmd.CommandPath())
}

// Unknown is the error of a word that is none of the commands below cmd.
func Unknown(cmd *cobra.Command, word string) *fault.Error {
	return fault.New(fault.Usage, "%q is not a command of %s", redact.URL(word), cmd.CommandPath())
}

// AtMost allows up to n arguments, which are described by what.
func AtMost(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= n {
			return nil
		}
		return fault.New(fault.Usage, "%s does not understand %q: %s", cmd.CommandPath(), args[n], what).
			Hint("run '%s --help' for an example", cmd.CommandPath())
	}
}

// ExactlyOne asks for one argument, which is described by what.
func ExactlyOne(name, what string) cobra.PositionalArgs {
	more := AtMost(1, what)
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fault.New(fault.Usage, "%s needs %s: %s", cmd.CommandPath(), name, what).
				Hint("run '%s --help' for an example", cmd.CommandPath())
		}
		return more(cmd, args)
	}
}
