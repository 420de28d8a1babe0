package run

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Colours are for a terminal that takes them and a user who wants them, on stdout and stderr alike.
func TestColour(t *testing.T) {
	for _, test := range []struct {
		terminal  bool
		variables map[string]string
		want      bool
	}{
		{true, nil, true},
		{true, map[string]string{"TERM": "xterm"}, true},
		{true, map[string]string{"NO_COLOR": ""}, true},
		{true, map[string]string{"NO_COLOR": "0"}, false},
		{true, map[string]string{"TERM": "dumb"}, false},
		{false, nil, false},
	} {
		env := &Env{
			IsTerminal: func(io.Writer) bool { return test.terminal },
			LookupEnv: func(name string) (string, bool) {
				v, set := test.variables[name]
				return v, set
			},
		}
		if got := env.Colour(nil); got != test.want {
			t.Errorf("terminal %v, %v: %v", test.terminal, test.variables, got)
		}
	}
}

// onTerminal is a run that ends on a terminal of 80 columns, and what it shows there.
func onTerminal(t *testing.T, forms Forms) (*Run, *bytes.Buffer) {
	t.Helper()
	state := t.TempDir()
	out := &bytes.Buffer{}
	env := &Env{
		Stdout: out, Stderr: io.Discard, IsTerminal: func(w io.Writer) bool { return w == out },
		Width: func(io.Writer) int { return 80 },
		LookupEnv: func(name string) (string, bool) {
			return map[string]string{"XDG_STATE_HOME": state, "NO_COLOR": "1"}[name], true
		},
	}
	return New(env, Job{Operations: "calls", Forms: forms, Work: ended{}}), out
}

// finished is what a run shows on a terminal.
func finished(t *testing.T, r *Run, out *bytes.Buffer, want fault.Code) string {
	t.Helper()
	doc := &rundoc.Run{
		Schema: rundoc.Schema, ID: r.ID, Operations: []rundoc.Operation{{Name: "call", Scheduled: 3, OK: 3}},
		Phases: []rundoc.Phase{{Name: rundoc.PhaseWindow, DurationNS: 1e9, Operations: 3, OK: 3}},
	}
	if err := r.Prepare(); err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(&Found{Doc: doc}); fault.CodeOf(err) != want {
		t.Errorf("%v, want %v", err, want)
	}
	return out.String()
}

// The answer on a terminal says how the rest of the report is to be had.
func TestAnswerSaysWhereTheRestIs(t *testing.T) {
	t.Chdir(t.TempDir())
	r, out := onTerminal(t, Forms{})
	if got := finished(t, r, out, fault.OK); !strings.Contains(got, "plimsoll report last --full") {
		t.Errorf("the newest run:\n%s", got)
	}
	// One that began later was saved before.
	r, out = onTerminal(t, Forms{})
	s, err := saved.Open(r.Env.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	later := &rundoc.Run{ID: "99991231T000000.000Z-0000"}
	path := s.Path(later.ID)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), rundoc.WriteFile(path, later)); err != nil {
		t.Fatal(err)
	}
	if got := finished(t, r, out, fault.OK); !strings.Contains(got, "plimsoll report "+r.ID+" --full") {
		t.Errorf("another run is the last:\n%s", got)
	}
	// A file named last is not the last run.
	if err := os.WriteFile("last", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r, out = onTerminal(t, Forms{})
	if got := finished(t, r, out, fault.OK); !strings.Contains(got, "plimsoll report "+r.ID+" --full") {
		t.Errorf("a file is named last:\n%s", got)
	}
	r, out = onTerminal(t, Forms{Out: "my run"})
	if got := finished(t, r, out, fault.OK); !strings.Contains(got, "plimsoll report 'my run' --full") {
		t.Errorf("--out:\n%s", got)
	}
	r, out = onTerminal(t, Forms{NoSave: true})
	if got := finished(t, r, out, fault.OK); !strings.Contains(got, "was not kept") {
		t.Errorf("--no-save:\n%s", got)
	}
}

// What a run is shown beside comes before the answer, and on a terminal alone: the whole report has it.
func TestBesideComesBeforeTheAnswer(t *testing.T) {
	r, out := onTerminal(t, Forms{})
	beside := func(w io.Writer, opt report.Options) error {
		if opt.Width != 80 {
			t.Errorf("%d columns", opt.Width)
		}
		_, err := io.WriteString(w, "beside\n")
		return err
	}
	r.job.Work = ended{Conclusion: Conclusion{Beside: beside}}
	if got := finished(t, r, out, fault.OK); !strings.HasPrefix(got, "beside\nPlimsoll") {
		t.Errorf("%s", got)
	}
	r, out = onTerminal(t, Forms{Markdown: true})
	r.job.Work = ended{Conclusion: Conclusion{Beside: beside}}
	if got := finished(t, r, out, fault.OK); strings.Contains(got, "beside") {
		t.Errorf("%s", got)
	}
}

// The command is one that a shell can run.
func TestWholeReportIsForAShell(t *testing.T) {
	for name, want := range map[string]string{
		"last": "last", "last~1": "last~1", "a/b.json": "a/b.json", "a b": "'a b'", "it's": `'it'\''s'`,
		"-x": "./-x", "~x": "./~x", "$HOME": "'$HOME'", "": "''", "é": "'é'",
	} {
		if got := WholeReport(name); got != "plimsoll report "+want+" --full" {
			t.Errorf("%q: %s", name, got)
		}
	}
}
