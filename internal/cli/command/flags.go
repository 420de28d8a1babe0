package command

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/setting"
)

// Annotations of flags, for the help.
const (
	GroupKey = "plimsoll_group" // of a flag: names its group
	OftenKey = "plimsoll_often" // of a flag that most people need: which of them it is
	// Of a flag that another command explains: names that one. It is taken and offered, and not listed.
	OfOtherKey = "plimsoll_of_other"
)

// AddFlags makes flags of settings, under the headings of their groups.
func AddFlags(cmd *cobra.Command, settings *setting.Set) {
	cmd.Flags().SortFlags = false // they have the order in which they were declared
	for _, one := range settings.All() {
		if one.Name == "" {
			continue
		}
		flag := cmd.Flags().VarPF(one, one.Name, one.Shorthand, one.Help)
		flag.Annotations = map[string][]string{GroupKey: {one.Heading}}
		if one.Often > 0 {
			flag.Annotations[OftenKey] = []string{fmt.Sprintf("%02d", one.Often)}
		}
		if one.Switch() {
			flag.NoOptDefVal = "true"
		}
		one.NotifyBy(func(note string) { fmt.Fprintln(cmd.ErrOrStderr(), "note: "+note) })
	}
	for _, one := range settings.All() {
		for _, name := range slices.Concat(one.Former, one.Also) {
			if cmd.Flags().Lookup(name) != nil {
				continue // another flag has the name now
			}
			flag := cmd.Flags().VarPF(alias{one, name}, name, "", one.Help)
			flag.Hidden, flag.NoOptDefVal = true, cmd.Flags().Lookup(one.Name).NoOptDefVal
		}
	}
}

// An alias is the value of a flag under another of its names.
type alias struct {
	*setting.Setting
	name string
}

// Set reads the value of the flag.
func (a alias) Set(text string) error { return a.Setting.SetAs(a.name, text) }

// Given returns a function that reports whether a flag of cmd was given, by any of its names.
func Given(cmd *cobra.Command) func(name string) bool {
	return func(name string) bool {
		flag := cmd.Flags().Lookup(name)
		if flag == nil {
			return false
		}
		if one, is := flag.Value.(*setting.Setting); is {
			return len(one.Texts()) > 0
		}
		return flag.Changed
	}
}

// OfferValues has a shell offer what the values of a command's settings can be; runs are the names of runs. Cobra keeps
// what it is given for as long as the program runs: it is for a call by a shell, of the command that is asked.
func OfferValues(cmd *cobra.Command, runs func() []string) {
	cmd.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
		one, ok := flag.Value.(*setting.Setting)
		if !ok {
			return
		}
		if offered := completionOf(one, runs); offered != nil {
			if err := cmd.RegisterFlagCompletionFunc(flag.Name, offered); err != nil {
				panic(err) // the command has the flag, and it is offered once
			}
		}
	})
}

// completionOf is what a shell offers as values of a setting; nil: files.
func completionOf(one *setting.Setting, runs func() []string) cobra.CompletionFunc {
	const nothing = cobra.ShellCompDirectiveNoFileComp
	switch {
	case one.RunName:
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return runs(), cobra.ShellCompDirectiveDefault
		}
	case one.Unended:
		return cobra.FixedCompletions(one.Words, nothing|cobra.ShellCompDirectiveNoSpace)
	case one.Words != nil:
		return cobra.FixedCompletions(one.Words, nothing)
	case len(one.Endings) > 0:
		return cobra.FixedCompletions(one.Endings, cobra.ShellCompDirectiveFilterFileExt)
	}
	switch one.Kind {
	case "file", "path", "place", "section": // the command itself offers the last
		return nil
	case "directory":
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	case "url":
		return cobra.FixedCompletions([]string{"http://", "https://"}, nothing|cobra.ShellCompDirectiveNoSpace)
	}
	return cobra.FixedCompletions(nil, nothing)
}
