package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/fault"
)

// unended is NoSpace where what is offered has to be followed by more, such as a scheme by a host.
func unended(offered []string) cobra.ShellCompDirective {
	if slices.ContainsFunc(offered, isScheme) {
		return cobra.ShellCompDirectiveNoSpace
	}
	return cobra.ShellCompDirectiveDefault
}

// isScheme reports whether what is offered is the beginning of a URL.
func isScheme(offered string) bool {
	return strings.HasSuffix(offered, ":") || strings.HasSuffix(offered, "/")
}

// offerNoMore has a shell offer nothing where a command would refuse one argument more.
func offerNoMore(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		offerNoMore(sub)
	}
	if cmd.Args == nil || cmd.HasSubCommands() {
		return
	}
	offered := cmd.ValidArgsFunction
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		switch {
		case cmd.ValidateArgs(slices.Concat(args, []string{"one more"})) != nil:
			return nil, cobra.ShellCompDirectiveNoFileComp
		case offered == nil:
			return nil, cobra.ShellCompDirectiveDefault
		}
		return offered(cmd, args, begun)
	}
}

// addCompletions makes the command that writes scripts for shells, which is cobra's, one of ours.
func addCompletions(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	i := slices.IndexFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == "completion" })
	cmd := root.Commands()[i]
	cmd.Short = "Generate shell completion scripts"
	cmd.Long = `Generate a script with which your shell completes commands, flags and values.
The help for your shell describes how to install it.`
	cmd.Example = "  source <(plimsoll completion bash)"
	cmd.Args = knownShell
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	for _, shell := range cmd.Commands() {
		shell.Short = "Generate the script for " + shell.Name()
		shell.Args = command.AtMost(0, "it takes no arguments")
	}
}

// knownShell refuses what is no shell with a script, and names those that have one where another shell is meant.
func knownShell(cmd *cobra.Command, args []string) error {
	others := []string{"tcsh", "csh", "ksh", "sh", "dash", "nu", "nushell", "elvish", "xonsh", "cmd"}
	if len(args) == 0 || !slices.Contains(others, args[0]) {
		return knownCommand(cmd, args)
	}
	var names []string
	for _, shell := range cmd.Commands() {
		names = append(names, shell.Name())
	}
	return fault.New(fault.Usage, "there is no script for %s", args[0]).Hint("Plimsoll has scripts for %s",
		strings.Join(names, ", "))
}
