package cli

import (
	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth"
)

func newBandwidth(env *Env) *cobra.Command {
	o := &bandwidth.Command{}
	h := bandwidth.Help()
	cmd := &cobra.Command{
		Use: h.Use, Short: h.Short, Long: h.Long, Example: h.Example, Args: atMost(h.Most, h.Args),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.Resolve(args, cmd.Flags().Changed); err != nil {
				return err
			}
			var err error
			if o.ServerArgs, err = s3Target().args(o.TargetFlags); err != nil {
				return err
			}
			return o.Run(cmd.Context(), env)
		},
	}
	addBandwidthFlags(cmd, o)
	completeWith(cmd, "data", plan.DataRandom, plan.DataText, plan.DataZero)
	completeWith(cmd, "checksum", plan.ChecksumCRC32C, plan.ChecksumSHA256, plan.ChecksumNone)
	completeWith(cmd, "only", plan.OnlyUpload, plan.OnlyDownload)
	completeWith(cmd, "policy", "whole-file", "sequential", "random", "vector", "prefetch")
	offer(cmd, "target-flag", cobra.ShellCompDirectiveNoSpace, s3Target().names()...)
	return cmd
}
