package cli

import (
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/workload/overhead"
)

func newOverhead(env *Env) *cobra.Command {
	o := &overhead.Command{Plan: overhead.DefaultPlan()}
	h := overhead.Help()
	cmd := &cobra.Command{
		Use: h.Use, Short: h.Short, Long: h.Long, Example: h.Example,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return overhead.OperationNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Plan.List {
				if err := alone(cmd, args, "list"); err != nil {
					return err
				}
				return overhead.ListOperations(env.Stdout)
			}
			if err := o.Resolve(args, cmd.Flags().Changed); err != nil {
				return err
			}
			return o.Run(cmd.Context(), env)
		},
	}
	addSettings(cmd, env, o.Settings())
	return cmd
}

// alone refuses what is given beside a flag that does nothing else.
func alone(cmd *cobra.Command, args []string, flag string) error {
	other := ""
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != flag {
			other = "--" + f.Name
		}
	})
	if len(args) > 0 {
		other = strconv.Quote(args[0])
	}
	if other == "" {
		return nil
	}
	return fault.New(fault.Usage, "--%s does nothing else, and %s is given, too", flag, other).Hint("leave one of them out")
}
