//go:build unix

package run

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Who reads stdout may go, and what comes then goes nowhere, also where somebody else reads there later.
func TestStdoutThatNobodyReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("there is no FIFO here: %v", err)
	}
	reader := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first := reader()
	writer, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	o := &output{file: writer}
	if n, err := o.Write([]byte("abc")); n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if text, err := io.ReadAll(io.LimitReader(first, 3)); err != nil || string(text) != "abc" {
		t.Errorf("%q, %v", text, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if n, err := o.Write([]byte("abcd")); n != 4 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	second := reader()
	defer second.Close()
	if n, err := o.Write([]byte("ab")); n != 2 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(second); err != nil || len(text) > 0 {
		t.Errorf("%q, %v", text, err)
	}
}

// A terminal is known by what it is, also behind stdout, and has columns.
func TestTerminal(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	for _, w := range []io.Writer{write, &output{file: write}, new(bytes.Buffer)} {
		if isTerminal(w) || terminalWidth(w) != 0 {
			t.Errorf("%T is a terminal of %d columns", w, terminalWidth(w))
		}
	}
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("there is no terminal to be had here: %v", err)
	}
	defer terminal.Close()
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 97}); err != nil {
		t.Skipf("a terminal that has no size: %v", err)
	}
	for _, w := range []io.Writer{terminal, &output{file: terminal}} {
		if !isTerminal(w) || terminalWidth(w) != 97 {
			t.Errorf("%T: %v, %d columns", w, isTerminal(w), terminalWidth(w))
		}
	}
	if got := (&Env{}).Columns(terminal); got != 0 {
		t.Errorf("%d columns that nobody knows of", got)
	}
}

// The process's own signals are taken, and given back.
func TestSignalsOfTheProcess(t *testing.T) {
	e := OSEnv()
	executable, _ := os.Executable()
	if !slices.Equal(e.Args, os.Args[1:]) || e.Stdin != os.Stdin || e.Stderr != os.Stderr || e.Executable != executable {
		t.Errorf("%+v", e)
	}
	if o, is := e.Stdout.(*output); !is || o.file != os.Stdout {
		t.Errorf("stdout is %v", e.Stdout)
	}
	signals, giveBack := e.Signals()
	defer giveBack()
	if cap(signals) < 2 {
		t.Errorf("room for %d", cap(signals))
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if got := <-signals; got != syscall.SIGTERM {
		t.Errorf("%v", got)
	}
}

// Red is for terminals.
func TestRed(t *testing.T) {
	for terminal, want := range map[bool]string{true: "\x1b[1;31mbad\x1b[0m", false: "bad"} {
		e := &Env{IsTerminal: func(io.Writer) bool { return terminal }, LookupEnv: func(string) (string, bool) { return "", false }}
		if got := e.Red(nil, "bad"); got != want {
			t.Errorf("%t: %q", terminal, got)
		}
	}
}
