package cli

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/server"
)

func newServe(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run a demo server on its own",
		Long: `Run one of Plimsoll's demo servers on its own, to measure it from another
machine or to test other clients with it.`,
		Example: `  plimsoll serve http --listen 127.0.0.1:8081

  plimsoll serve s3 --discard`,
		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newServeHTTP(env), newServeChat(env), newServeS3(env), newServeAWS(env), newServeKV(env))
	return cmd
}

// embeddable is what a serve command runs.
type embeddable interface {
	Listen(ctx context.Context) error
	URL() string
	// Serve serves until ctx is done, and gives back what the server holds, also when it does
	// not listen.
	Serve(ctx context.Context) error
}

// runUntilTold gives a serve command its life: it ends with a signal and, as the child of a run,
// with its parent.
func runUntilTold(cmd *cobra.Command, env *Env, serve func(ctx context.Context, child bool) error) {
	child := false
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, _, release := run.Interrupts(cmd.Context(), env, nil)
		defer release()
		if child {
			if !heldOpen(env.Stdin) {
				return fault.New(fault.Usage,
					"--child needs a pipe on stdin: it is meant for programs that start this server").
					Hint("leave out --child")
			}
			ctx = server.WatchParent(ctx, env.Stdin)
		}
		return serve(ctx, child)
	}
	cmd.Flags().BoolVar(&child, "child", false, "print the URL on stdout, and exit when stdin is closed")
	if err := cmd.Flags().MarkHidden("child"); err != nil {
		panic(err) // the flag is defined on the line above
	}
}

// heldOpen says whether somebody may hold the other end of stdin. Of /dev/null, a file, or what takes
// the place of a stdin that is closed, the end is there at once, and a server would leave without a word.
func heldOpen(stdin io.Reader) bool {
	file, ok := stdin.(*os.File)
	if !ok {
		return true
	}
	info, err := file.Stat()
	return err == nil && (info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 || term.IsTerminal(int(file.Fd())))
}

// serverLog is where a server says what it did not mean to happen.
func serverLog(env *Env) *slog.Logger {
	return slog.New(slog.NewTextHandler(env.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// serveUntil listens, tells the parent or the user where, and serves until ctx is done.
func serveUntil(ctx context.Context, env *Env, s embeddable, child bool, where func() string) error {
	return serveBeside(ctx, env, s, "", child, where)
}

// serveBeside is serveUntil for a server beside a message service, whose URL the parent is told, too.
func serveBeside(
	ctx context.Context, env *Env, s embeddable, broker string, child bool, where func() string,
) error {
	err := s.Listen(ctx)
	switch {
	case err != nil:
	case child:
		err = server.Announce(env.Stdout, s.URL(), broker)
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
