//go:build unix

package cli_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/plimsoll/plimsoll/internal/cli"
	"github.com/plimsoll/plimsoll/internal/peertest"
)

// The scripts run this test's own binary under the name plimsoll, so that the embedded
// target is a real child process.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"bareloop":    bareLoop,
		"browse":      browse,
		"costloop":    costLoop,
		"fanears":     fanEars,
		"fansource":   fanSource,
		"goloop":      goLoop,
		"hostilecall": hostileCall,
		"rawgets":     rawGets,
		"rawtransfer": rawTransfer,
		"plimsoll":    func() { os.Exit(cli.Main(context.Background(), cli.OSEnv())) },
	})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	runScripts(t, testscript.Params{Dir: filepath.Join("testdata", "script")})
}

// runScripts runs scripts, each with a store of runs of its own.
func runScripts(t *testing.T, p testscript.Params) {
	p.Setup = func(e *testscript.Env) error {
		e.Setenv("XDG_STATE_HOME", filepath.Join(e.WorkDir, "state"))
		e.Setenv("HOME", e.WorkDir)
		e.Setenv("TZ", "UTC")
		return writeFixtures(e.WorkDir)
	}
	p.Condition = func(name string) (bool, error) {
		if name != "racing" {
			return false, fmt.Errorf("no condition is called %s", name)
		}
		return peertest.Racing(), nil
	}
	p.Cmds = map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "runs": runs}
	testscript.Run(t, p)
}

// runs runs a command that must show something. Its exit status is 0, or what a busy machine may make
// of it: 4 for an open model, 3 or 4 for a comparison and for thresholds, which may have got worse or be missed, or of
// which there may be no telling.
func runs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: runs COMMAND …")
	}
	err := ts.Exec(args[0], args[1:]...)
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && mayEnd(args, exit.ExitCode())) {
		ts.Fatalf("%v", err)
	}
	if strings.Contains(ts.ReadFile("stdout")+ts.ReadFile("stderr"), "broken law") {
		ts.Fatalf("a busy machine breaks no law")
	}
	if ts.ReadFile("stdout") == "" {
		ts.Fatalf("nothing on stdout")
	}
}

// mayEnd reports whether a busy machine may make a command end with this status.
func mayEnd(args []string, code int) bool {
	compared := slices.Contains(args, "--baseline") || slices.Contains(args, "--threshold")
	doubted := compared || slices.Contains(args, "--rate") || slices.Contains(args, "--stages") || slices.Contains(args, "updates")
	return doubted && code == 4 || compared && code == 3
}

// exits runs a command and checks its exit status and, when that is not 0, that stderr ends
// with one line of error and at most one of hint.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND …")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if code != want {
		ts.Fatalf("exit status %d, want %d", code, want)
	}
	if want != 0 {
		checkErrorLines(ts)
	}
}

// progressLine is a line that says how it goes, every ten seconds: a slow machine takes them for what is short.
var progressLine = regexp.MustCompile(`(^|· )\d+:\d\d( ·|$)`)

func checkErrorLines(ts *testscript.TestScript) {
	var said, hints int
	for _, line := range strings.Split(strings.TrimSpace(ts.ReadFile("stderr")), "\n") {
		switch {
		case progressLine.MatchString(line):
		case strings.HasPrefix(line, "plimsoll: "):
			said++
		case strings.HasPrefix(line, "hint: "):
			hints++
		case said == 1 && hints == 0 && strings.HasPrefix(line, "  "): // where it is wrong
		default:
			ts.Fatalf("stderr has a line that is neither an error nor a hint: %q", line)
		}
	}
	if said != 1 || hints > 1 {
		ts.Fatalf("stderr has %d errors and %d hints, want one and at most one", said, hints)
	}
}
