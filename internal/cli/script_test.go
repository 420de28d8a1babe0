//go:build unix

package cli_test

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/plimsoll/plimsoll/internal/cli"
)

// The scripts run this test's own binary under the name plimsoll, so that the embedded
// target is a real child process.
func TestMain(m *testing.M) {
	// Tests mostly wait for processes, which wait for time to pass. The flag -parallel still decides.
	if err := flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	testscript.Main(interruptible{m}, map[string]func(){
		"browse":      browse,
		"costloop":    costLoop,
		"fanears":     fanEars,
		"fansource":   fanSource,
		"hostilecall": hostileCall,
		"rawtransfer": rawTransfer,
		"plimsoll":    func() { os.Exit(cli.Main(context.Background(), cli.OSEnv())) },
	})
}

// interruptible runs the tests so that they can interrupt the processes they start.
type interruptible struct{ *testing.M }

// Run runs the tests. A shell without job control starts its background jobs with SIGINT ignored, which children inherit,
// but not if the signal is caught.
func (m interruptible) Run() int {
	if signal.Ignored(os.Interrupt) {
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	}
	return m.M.Run()
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
	p.Cmds = map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "refuses": refuses, "runs": runs}
	testscript.Run(t, p)
}

// runs runs a command that must print something. Its exit status is 0, or one that mayEnd accepts.
func runs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: runs COMMAND …")
	}
	err := ts.Exec(args[0], args[1:]...)
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && mayEnd(strings.Join(args, " "), exit.ExitCode())) {
		ts.Fatalf("%v", err)
	}
	if strings.Contains(ts.ReadFile("stdout")+ts.ReadFile("stderr"), "invariant violated") {
		ts.Fatalf("an invariant does not hold")
	}
	if ts.ReadFile("stdout") == "" {
		ts.Fatalf("nothing on stdout")
	}
}

// exits runs a command and checks its exit status, of which there may be several with commas between. If it is not 0,
// stderr must end with one line of error and at most one hint.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE,… COMMAND …")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if !slices.Contains(strings.Split(args[0], ","), strconv.Itoa(code)) {
		ts.Fatalf("exit status %d, want %s", code, args[0])
	}
	if code != 0 {
		checkErrorLines(ts, ts.ReadFile("stderr"))
	}
}

// refuses calls plimsoll in this process, which saves its start, and checks that it ends with exit status 2, prints
// nothing on stdout, and matches the patterns on stderr. The arguments must not name files of the script.
func refuses(ts *testscript.TestScript, neg bool, args []string) {
	end := slices.Index(args, "--")
	if neg || end < 1 {
		ts.Fatalf("usage: refuses PATTERN… -- ARGUMENT…")
	}
	var stdout, stderr strings.Builder
	code := cli.Main(context.Background(), cli.Env{
		Args: args[end+1:], Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		LookupEnv: func(name string) (string, bool) {
			value := ts.Getenv(name)
			return value, value != ""
		},
		IsTerminal: func(io.Writer) bool { return false },
		Signals:    func() (<-chan os.Signal, func()) { return nil, func() {} },
	})
	said := stderr.String()
	if code != 2 || stdout.Len() > 0 {
		ts.Fatalf("exit status %d, want 2\n%s%s", code, stdout.String(), said)
	}
	for _, pattern := range args[:end] {
		re, err := regexp.Compile("(?m)" + pattern)
		ts.Check(err)
		if !re.MatchString(said) {
			ts.Fatalf("no match of %q in\n%s", pattern, said)
		}
	}
	checkErrorLines(ts, said)
}

// progressLine matches the lines of progress that a command prints every ten seconds.
var progressLine = regexp.MustCompile(`(^|· )\d+:\d\d( ·|$)`)

func checkErrorLines(ts *testscript.TestScript, stderr string) {
	var said, hints int
	for _, line := range strings.Split(strings.TrimSpace(stderr), "\n") {
		switch {
		case progressLine.MatchString(line), strings.HasPrefix(line, "note: "):
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
