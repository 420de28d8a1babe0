package cli

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/target"
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
	cmd.AddCommand(newServeChat(env), newServeS3(env), newServeAWS(env), newServeKV(env))
	return cmd
}

// server is what a serve command runs.
type server interface {
	Listen(ctx context.Context) error
	URL() string
	// Serve serves until ctx is done, and gives back what the server holds, also when it does
	// not listen.
	Serve(ctx context.Context) error
}

// runUntilTold gives a serve command its life: it ends with a signal and, as the child of a run,
// with its parent.
func runUntilTold(cmd *cobra.Command, env *Env, run func(ctx context.Context, child bool) error) {
	child := false
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, _, release := interrupts(cmd.Context(), env)
		defer release()
		if child {
			ctx = target.WatchParent(ctx, env.Stdin)
		}
		return run(ctx, child)
	}
	cmd.Flags().BoolVar(&child, "child", false, "announce the URL on stdout, and end with stdin")
	if err := cmd.Flags().MarkHidden("child"); err != nil {
		panic(err) // the flag is defined on the line above
	}
}

// serverLog is where a server says what it did not mean to happen.
func serverLog(env *Env) *slog.Logger {
	return slog.New(slog.NewTextHandler(env.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// serveUntil listens, tells the parent or the user where, and serves until ctx is done.
func serveUntil(ctx context.Context, env *Env, s server, child bool, where func() string) error {
	err := s.Listen(ctx)
	switch {
	case err != nil:
	case child:
		err = target.Announce(env.Stdout, s.URL())
	default:
		_, err = fmt.Fprintln(env.Stderr, where())
	}
	if err != nil {
		// Nobody can reach the server; Serve gives back what it holds.
		ended, cancel := context.WithCancel(ctx)
		cancel()
		_ = s.Serve(ended)
		return err
	}
	return s.Serve(ctx)
}
