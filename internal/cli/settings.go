package cli

import (
	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/setting"
)

// addSettings makes flags of settings, under the headings of their groups, and has a shell offer their
// words.
func addSettings(cmd *cobra.Command, env *Env, settings *setting.Set) {
	cmd.Flags().SortFlags = false // they have the order in which they were declared
	for _, one := range settings.All() {
		if one.Name == "" {
			continue
		}
		flag := cmd.Flags().VarPF(one, one.Name, one.Shorthand, one.Help)
		flag.Annotations = map[string][]string{groupKey: {one.Heading}}
		if one.Switch() {
			flag.NoOptDefVal = "true"
		}
		switch {
		case one.RunName:
			offerRuns(cmd, env, one.Name)
		case one.Unended:
			offer(cmd, one.Name, cobra.ShellCompDirectiveNoSpace, one.Words...)
		case one.Words != nil:
			completeWith(cmd, one.Name, one.Words...)
		}
	}
}

// offerRuns has a shell offer the saved runs for a flag.
func offerRuns(cmd *cobra.Command, env *Env, flag string) {
	runs := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return completeRuns(env), cobra.ShellCompDirectiveDefault
	}
	if err := cmd.RegisterFlagCompletionFunc(flag, runs); err != nil {
		panic(err) // the flag was made just before
	}
}
