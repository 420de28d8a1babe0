package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth"
	"github.com/plimsoll/plimsoll/internal/workload/chat"
	"github.com/plimsoll/plimsoll/internal/workload/overhead"
	"github.com/plimsoll/plimsoll/internal/workload/updates"
)

// kinds are the kinds of traffic: the one list of them.
func kinds() []run.Kind {
	return []run.Kind{chat.Kind(), bandwidth.Kind(), overhead.Kind(), updates.Kind()}
}

// reportKind is how a run of this workload is shown. That of a workload which is not known has the
// common report.
func reportKind(workload string) report.Kind {
	all := kinds()
	if i := slices.IndexFunc(all, func(k run.Kind) bool { return k.Name == workload }); i >= 0 {
		return all[i].Report
	}
	return report.Kind{}
}

// newKind makes the command of a kind.
func newKind(env *Env, k run.Kind) *cobra.Command {
	c := k.New()
	cmd := &cobra.Command{
		Use: k.Help.Use, Short: k.Help.Short, Long: k.Help.Long, Example: k.Help.Example,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.Resolve(args, cmd.Flags().Changed); err != nil {
				return err
			}
			return c.Run(cmd.Context(), env)
		},
	}
	if k.Help.Args != "" {
		cmd.Args = atMost(k.Help.Most, k.Help.Args)
	}
	if k.Offer != nil {
		cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return k.Offer(), cobra.ShellCompDirectiveNoFileComp
		}
	}
	addSettings(cmd, env, c.Settings())
	return cmd
}

// twoDashes writes the flags of a command that have one dash (-block 8), as the tool has them that
// people come from, with two. What is one letter long is left alone.
func twoDashes(args []string, cmd *cobra.Command) []string {
	if len(args) == 0 || args[0] != cmd.Name() {
		return args
	}
	list := append([]string(nil), args...)
	for i, a := range list {
		if a == "--" {
			break
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(a, "-"), "=")
		if strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && len(name) > 1 && cmd.Flags().Lookup(name) != nil {
			list[i] = "-" + a
		}
	}
	return list
}
