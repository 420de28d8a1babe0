package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/run"
)

func newVersion(env *Env) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  plimsoll version --json",
		Args:    atMost(0, "it takes no argument"),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return writeJSON(env.Stdout, run.Tool())
			}
			return printVersion(env)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printVersion(env *Env) error {
	_, err := fmt.Fprintln(env.Stdout, versionLine())
	return err
}

func versionLine() string {
	t := run.Tool()
	if t.Commit != "" {
		t.Commit = " (commit " + t.Commit + ")"
	}
	return fmt.Sprintf("plimsoll %s%s, %s %s/%s", t.Version, t.Commit, t.Go, runtime.GOOS, runtime.GOARCH)
}

// sourceTime is when the sources of this program were committed, as far as the Go toolchain
// noted it, or now.
func sourceTime() time.Time {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key != "vcs.time" {
				continue
			}
			if t, err := time.Parse(time.RFC3339, s.Value); err == nil {
				return t
			}
		}
	}
	return time.Now()
}

func writeJSON(w io.Writer, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
