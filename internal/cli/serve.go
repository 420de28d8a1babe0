package cli

import (
	"github.com/spf13/cobra"
)

func newServe(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run a target on its own",
		Long: `Run one of the servers that Plimsoll measures when no other is named, for
measuring it from another machine or for testing other clients against it.`,
		Example: "  plimsoll serve chat --listen 127.0.0.1:8080",
		Args:    knownCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newServeChat(env), newServeS3(env), newServeAWS(env))
	return cmd
}
