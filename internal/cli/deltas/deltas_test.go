//go:build unix

package deltas_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/cli/deltas"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
)

// envFor is the Env of a command that is called in this process.
func envFor(stdout, stderr io.Writer, args ...string) run.Env {
	return run.Env{
		Args: args, LookupEnv: func(string) (string, bool) { return "", false },
		Stdin: strings.NewReader(""), Stdout: stdout, Stderr: stderr,
		IsTerminal: func(io.Writer) bool { return false },
		Signals:    func() (<-chan os.Signal, func()) { return nil, func() {} },
	}
}

// execute runs the command that env.Args name, and says on stderr how it failed.
func execute(ctx context.Context, env run.Env) int {
	cmd := deltas.New(&env)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(env.Args)
	err := cmd.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintf(env.Stderr, "plimsoll: %v\n", err)
	}
	return int(fault.CodeOf(err))
}

func writeTemp(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const header = "key,mutation_type,logical_commit_time,value,value_type\n"

// With --keep-going the exit status is 2 all the same, and only so many bad rows are named.
func TestKeepGoing(t *testing.T) {
	in := writeTemp(t, "in.csv", header+strings.Repeat("k,UPDATE,1,v,string\nk\n", 30))
	var stdout, stderr bytes.Buffer
	status := execute(t.Context(), envFor(&stdout, &stderr, "convert", in, "--to", "csv", "--keep-going"))
	if status != 2 {
		t.Errorf("exit status %d", status)
	}
	if got := stdout.String(); got != header+strings.Repeat("k,UPDATE,1,v,string\n", 30) {
		t.Errorf("stdout:\n%s", got)
	}
	said := stderr.String()
	if n := strings.Count(said, "skipped "+in+":"); n != 20 {
		t.Errorf("%d bad rows are named", n)
	}
	if want := fmt.Sprintf("skipped more, which are only counted\nplimsoll: 30 of 60 rows were bad and were skipped; the first: %s:3: the header has 5 fields", in); !strings.Contains(said, want) {
		t.Errorf("stderr has not %q:\n%s", want, said)
	}
}

// A damaged message has rows that nobody can count.
func TestDamagedMessage(t *testing.T) {
	dir := t.TempDir()
	var stdout, stderr bytes.Buffer
	if status := execute(t.Context(), envFor(&stdout, &stderr, "generate", "--updates", "100", "--batch", "10",
		"--format", "compact", "--out", dir, "--quiet")); status != 0 {
		t.Fatalf("exit status %d: %s", status, &stderr)
	}
	path := filepath.Join(dir, "DELTA_0000000000000001.compact")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content[100] ^= 1
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	status := execute(t.Context(), envFor(&stdout, &stderr, "inspect", path, "--keep-going"))
	if status != 2 || !strings.Contains(stdout.String(), "Skipped       0 bad rows, 1 damaged message\n") || !strings.Contains(stdout.String(), "90: 90 updates") {
		t.Errorf("exit status %d:\n%s", status, &stdout)
	}
	if want := "plimsoll: 1 damaged message, with an unknown number of rows, and 0 bad rows were skipped; the first: " + path + ": message 1: "; !strings.Contains(stderr.String(), want) {
		t.Errorf("stderr has not %q:\n%s", want, &stderr)
	}
}

// No bytes that are no text go to a terminal.
func TestTerminal(t *testing.T) {
	in := writeTemp(t, "in.csv", header+"\"\x1b[31m\",UPDATE,1,\u009b,string\n")
	for _, format := range []string{"avro", "compact"} {
		var stdout, stderr bytes.Buffer
		env := envFor(&stdout, &stderr, "convert", in, "--to", format)
		env.IsTerminal = func(io.Writer) bool { return true }
		if status := execute(t.Context(), env); status != 2 || stdout.Len() > 0 || !strings.Contains(stderr.String(), "cannot be shown in a terminal") {
			t.Errorf("%s: exit status %d, %q, %q", format, status, &stdout, &stderr)
		}
	}
	var stdout, stderr bytes.Buffer
	if status := execute(t.Context(), envFor(&stdout, &stderr, "inspect", in)); status != 0 {
		t.Errorf("exit status %d: %s", status, &stderr)
	}
	if strings.ContainsAny(stdout.String(), "\x1b\u009b") || !strings.Contains(stdout.String(), `"\x1b[31m"`) {
		t.Errorf("stdout: %q", &stdout)
	}
}

// An interrupt leaves the files that are complete, and nothing else.
func TestInterrupted(t *testing.T) {
	in := writeTemp(t, "in.csv", header+strings.Repeat("k,UPDATE,1,v,string\n", 1000))
	for _, args := range [][]string{
		{"generate", "--files", "1000000", "--updates", "20000"},
		{"convert", in, "--to", "avro"},
		{"inspect", in},
	} {
		dir := t.TempDir()
		if args[0] != "inspect" {
			args = append(args, "--out", dir+"/")
		}
		var stdout, stderr bytes.Buffer
		ctx, cancel := context.WithCancel(t.Context())
		env := envFor(&stdout, &stderr, args...)
		// The context that a signal would end is done from the start.
		env.Signals = func() (<-chan os.Signal, func()) { cancel(); return nil, func() {} }
		if status := execute(ctx, env); status != 130 || !strings.Contains(stderr.String(), "plimsoll: interrupted") {
			t.Errorf("%q: exit status %d, %s", args, status, &stderr)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 || stdout.Len() > 0 {
			t.Errorf("%q: left behind: %v, %v, %q", args, left, err, &stdout)
		}
	}
}
