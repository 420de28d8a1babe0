package cli

import (
	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/workload/updates"
)

func newUpdates(env *Env) *cobra.Command {
	o := &updates.Command{Plan: updates.DefaultPlan()}
	h := updates.Help()
	cmd := &cobra.Command{
		Use: h.Use, Short: h.Short, Long: h.Long, Example: h.Example, Args: atMost(h.Most, h.Args),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.Resolve(args, cmd.Flags().Changed); err != nil {
				return err
			}
			return o.Run(cmd.Context(), env)
		},
	}
	addSettings(cmd, env, o.Settings())
	return cmd
}
