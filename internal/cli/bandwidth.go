package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/workload/bandwidth"
)

func newBandwidth(env *Env) *cobra.Command {
	o := &bandwidth.Command{Plan: bandwidth.DefaultPlan()}
	h := bandwidth.Help()
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

// twoDashes writes the flags of the bandwidth command that have one dash (-block 8), as the
// tool has them that people come from, with two. What is one letter long is left alone.
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
