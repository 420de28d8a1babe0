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
				return e.Hint("put the kind of traffic before the URL: '%s %s URL'", cmd.CommandPath(), name)
			}
		}
		return e.Hint("put the kind of traffic before the URL; '%s --help' lists the kinds", cmd.CommandPath())
	}
	if near := fault.Nearest(args[0], names); near != "" {
		return e.Hint("did you mean '%s %s'?", cmd.CommandPath(), near)
	}
	return e.Hint("'%s --help' lists its commands", cmd.CommandPath())
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
		return fault.New(fault.Usage, "unexpected argument %q: %s", args[n],
			strings.Replace(what, "it takes", cmd.CommandPath()+" takes", 1)).
			Hint("'%s --help' has examples", cmd.CommandPath())
	}
}

// ExactlyOne asks for one argument, which is described by what.
func ExactlyOne(name, what string) cobra.PositionalArgs {
	more := AtMost(1, "it takes one argument, "+what)
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fault.New(fault.Usage, "%s needs %s: %s", cmd.CommandPath(), name, what).
				Hint("'%s --help' has examples", cmd.CommandPath())
		}
		return more(cmd, args)
	}
}
