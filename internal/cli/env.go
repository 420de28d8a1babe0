package cli

import (
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// Env is what a command needs of the process that it runs in.
type Env struct {
	Args       []string                    // without the program's name
	LookupEnv  func(string) (string, bool) // as os.LookupEnv
	Stdin      io.Reader
	Stdout     io.Writer // reports and run documents, nothing else
	Stderr     io.Writer // progress, logs, errors
	IsTerminal func(io.Writer) bool
	Width      func(io.Writer) int // columns of a terminal, or 0; may be nil
	Executable string              // this program, to start an embedded target; "" when not known

	// Signals begins to take interrupts, which end the process until then. The function
	// that it returns gives them back.
	Signals func() (<-chan os.Signal, func())
}

// OSEnv is the Env of the running process. Writing to a pipe that nobody reads any more is an
// error from here on, and not the end of the process: a run must outlive its progress lines.
func OSEnv() Env {
	signal.Ignore(syscall.SIGPIPE)
	executable, err := os.Executable()
	if err != nil {
		executable = "" // only a command that needs it complains
	}
	return Env{
		Args:       os.Args[1:],
		LookupEnv:  os.LookupEnv,
		Stdin:      os.Stdin,
		Stdout:     os.Stdout,
		Stderr:     os.Stderr,
		IsTerminal: isTerminal,
		Width:      terminalWidth,
		Executable: executable,
		Signals:    osSignals,
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

func osSignals() (<-chan os.Signal, func()) {
	// Two may come before the first is read; a third says nothing new.
	ch := make(chan os.Signal, 2)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
	return ch, func() { signal.Stop(ch) }
}

// width is the number of columns of w, or 0 when it is not known.
func (e *Env) width(w io.Writer) int {
	if e.Width == nil {
		return 0
	}
	return e.Width(w)
}

// getenv is the variable's value, or "" when it is not set.
func (e *Env) getenv(name string) string {
	v, _ := e.LookupEnv(name)
	return v
}
