package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const (
	groupKey  = "plimsoll_group" // the annotation of a flag that names its group
	helpWidth = 88
)

// printHelp writes the help of cmd: what it does, how it is called, an example, and its
// flags by group.
func printHelp(cmd *cobra.Command, _ []string) {
	var b bytes.Buffer
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	fmt.Fprintf(&b, "%s\n\nUsage:\n", strings.TrimSpace(text))
	if cmd.Runnable() && cmd.HasParent() {
		fmt.Fprintf(&b, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s COMMAND\n", cmd.CommandPath())
	}
	if cmd.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", strings.TrimRight(cmd.Example, "\n"))
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n")
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&b, "  %-*s  %s\n", cmd.NamePadding(), sub.Name(), sub.Short)
			}
		}
		fmt.Fprintf(&b, "\nRun '%s COMMAND --help' for the flags of a command.\n", cmd.CommandPath())
	}
	for _, g := range groupsOf(cmd) {
		fmt.Fprintf(&b, "\n%s:\n%s", g.Name(), g.FlagUsagesWrapped(helpWidth))
	}
	// A help that cannot be written has nowhere to complain.
	_, _ = cmd.OutOrStdout().Write(b.Bytes())
}

// groupsOf are the flags of cmd by heading, in the order in which they were added. Flags
// without one (--help) come last.
func groupsOf(cmd *cobra.Command) []*namedSet {
	var groups []*namedSet
	byName := map[string]*namedSet{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		heading := "Flags"
		if g := f.Annotations[groupKey]; len(g) > 0 {
			heading = g[0]
		}
		if byName[heading] == nil {
			set := &namedSet{FlagSet: pflag.NewFlagSet(heading, pflag.ContinueOnError), name: heading}
			set.SortFlags = false
			byName[heading] = set
			groups = append(groups, set)
		}
		byName[heading].AddFlag(f)
	})
	return groups
}

// namedSet is a set of flags that knows its heading, which pflag keeps to itself.
type namedSet struct {
	*pflag.FlagSet
	name string
}

// Name is the heading.
func (s *namedSet) Name() string { return s.name }
