package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/setting"
)

func newVersion(env *Env) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  plimsoll version --json",
		Args:    command.AtMost(0, "it takes no arguments"),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return command.WriteJSON(env.Stdout, run.Tool())
			}
			return printVersion(env)
		},
	}
	command.AddFlags(cmd, new(setting.Set).Group("Output", setting.Switch(&asJSON, "json", "print JSON")))
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

// sourceTime is the time that SOURCE_DATE_EPOCH names, for those who make the same files twice; or when the sources of
// this program were committed, as far as the Go toolchain noted it; or now.
func sourceTime(env *Env) time.Time {
	if text, given := env.LookupEnv("SOURCE_DATE_EPOCH"); given {
		if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
			return time.Unix(seconds, 0).UTC()
		}
	}
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
