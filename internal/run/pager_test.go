//go:build unix

package run

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// onScreen is an Env whose stdout is a file that passes for a terminal, and what was shown on it.
func onScreen(t *testing.T, variables map[string]string, signals ...os.Signal) (*Env, func() string) {
	t.Helper()
	screen, err := os.Create(filepath.Join(t.TempDir(), "screen"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	env := &Env{
		Stdout: &output{file: screen}, Stderr: io.Discard,
		IsTerminal: func(io.Writer) bool { return true },
		LookupEnv: func(name string) (string, bool) {
			v, set := variables[name]
			return v, set
		},
		Signals: func() (<-chan os.Signal, func()) {
			ch := make(chan os.Signal, len(signals))
			for _, s := range signals {
				ch <- s
			}
			return ch, func() {}
		},
	}
	return env, func() string {
		text, err := os.ReadFile(screen.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// A pager is the user's own choice, and one that fails costs nothing of the text.
func TestPager(t *testing.T) {
	type variables = map[string]string
	for _, test := range []struct {
		name      string
		variables variables
		want      string
	}{
		{"PAGER", variables{"PAGER": "sed s/^/page:/"}, "page:one\npage:two\n"},
		{"PLIMSOLL_PAGER comes first", variables{"PAGER": "sed s/^/no:/", "PLIMSOLL_PAGER": "sed s/^/own:/"}, "own:one\nown:two\n"},
		{"a pipe", variables{"PAGER": "tr a-z A-Z | tail -n 1"}, "TWO\n"},
		{"PLIMSOLL_PAGER is empty", variables{"PAGER": "sed s/^/no:/", "PLIMSOLL_PAGER": ""}, "one\ntwo\n"},
		{"PAGER is empty", variables{"PAGER": " "}, "one\ntwo\n"},
		{"cat is none", variables{"PAGER": "cat"}, "one\ntwo\n"},
		{"a dumb terminal", variables{"PAGER": "sed s/^/no:/", "TERM": "dumb"}, "one\ntwo\n"},
		{"it is left early", variables{"PAGER": "head -n 1"}, "one\n"},
		{"it cannot start", variables{"PAGER": "/no/such/pager"}, "one\ntwo\n"},
		{"it fails at once", variables{"PAGER": "exit 3"}, "one\ntwo\n"},
		{"less and lv take colours", variables{"PAGER": "echo $LESS $LV"}, "FRX -c\n"},
	} {
		env, shown := onScreen(t, test.variables)
		if err := env.page([]byte("one\ntwo\n")); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if got := shown(); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// The pager that nobody has chosen is less, if it is there.
func TestPagerByDefault(t *testing.T) {
	bin := t.TempDir()
	sh, err := os.ReadFile("/bin/sh") // what a script needs is not to be had from a PATH without it
	if err != nil || len(sh) == 0 {
		t.Skip("there is no /bin/sh here")
	}
	t.Setenv("PATH", bin)
	env, shown := onScreen(t, nil)
	if err := env.page([]byte("one\n")); err != nil || shown() != "one\n" {
		t.Errorf("without less: %q, %v", shown(), err)
	}
	script := "#!/bin/sh\necho \"less $*\"\nread line\necho \"$line\"\n"
	if err := os.WriteFile(filepath.Join(bin, "less"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	env, shown = onScreen(t, nil)
	if err := env.page([]byte("one\n")); err != nil || shown() != "less -FRX\none\n" {
		t.Errorf("%q, %v", shown(), err)
	}
}

// An interrupt of the keyboard is the pager's business, and what it was left by is no failure; any other
// signal ends it.
func TestPagerTakesTheSignals(t *testing.T) {
	env, shown := onScreen(t, map[string]string{"PAGER": "exit 2"}, os.Interrupt)
	if err := env.page([]byte("one\n")); err != nil || shown() != "" {
		t.Errorf("interrupted: %q, %v", shown(), err)
	}
	env, shown = onScreen(t, map[string]string{"PAGER": "exec sleep 600"}, syscall.SIGTERM)
	if err := env.page([]byte("one\n")); err != nil || shown() != "" {
		t.Errorf("terminated: %q, %v", shown(), err)
	}
}

// A pager that an interrupt has ended was left by it, whichever of the two is seen first.
func TestPagerThatAnInterruptEnded(t *testing.T) {
	for range 100 {
		signals, ended := make(chan os.Signal, 1), make(chan error, 1)
		signals <- os.Interrupt
		ended <- errors.New("exit status 130")
		if !leftWell(signals, ended, func(os.Signal) {}) {
			t.Fatal("it is taken for one that failed")
		}
	}
}
