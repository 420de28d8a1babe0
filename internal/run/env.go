package run

import (
	"errors"
	"io"
	"log"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"golang.org/x/term"

	"github.com/plimsoll/plimsoll/internal/outfile"
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
	Files      outfile.Files       // what files are written with

	// Signals begins to take interrupts, which end the process until then. The function
	// that it returns gives them back.
	Signals func() (<-chan os.Signal, func())
}

// OSEnv is the Env of the running process. Writing to a pipe that nobody reads any more is an
// error from here on, and not the end of the process: a run must outlive its progress lines.
func OSEnv() Env {
	// It is not ignored, as programs that are started here, such as a pager, would ignore it as well, and complain.
	// What has no room in the channel, which nobody reads, is dropped.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	log.SetOutput(io.Discard) // net/http writes there what a hostile server has sent
	executable, err := os.Executable()
	if err != nil {
		executable = "" // only a command that needs it complains
	}
	return Env{
		Args:       os.Args[1:],
		LookupEnv:  os.LookupEnv,
		Stdin:      os.Stdin,
		Stdout:     &output{file: os.Stdout},
		Stderr:     os.Stderr,
		IsTerminal: isTerminal,
		Width:      terminalWidth,
		Executable: executable,
		Files:      outfile.Files{}.Guarded(),
		Signals:    osSignals,
	}
}

// output is the process's stdout. That its reader has seen enough and is gone, as head does, is
// no error of a command: what is still to come goes nowhere, and the exit status is what it would
// have been.
type output struct {
	file *os.File
	gone atomic.Bool
}

// Write writes, while there is somebody to read it.
func (o *output) Write(p []byte) (int, error) {
	if o.gone.Load() {
		return len(p), nil
	}
	n, err := o.file.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		o.gone.Store(true)
		return len(p), nil
	}
	return n, err
}

// fileOf is the file behind a writer of the process.
func fileOf(w io.Writer) (*os.File, bool) {
	if o, ok := w.(*output); ok {
		return o.file, true
	}
	f, ok := w.(*os.File)
	return f, ok
}

func isTerminal(w io.Writer) bool {
	f, ok := fileOf(w)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Colour reports whether what is written to w may have colours: a terminal takes them, unless the user
// or the terminal wants none. An empty NO_COLOR does not count (no-color.org).
func (e *Env) Colour(w io.Writer) bool {
	return e.IsTerminal(w) && e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb"
}

// Red is a word that is to stand out in what is written to w: red where that may have colours.
func (e *Env) Red(w io.Writer, word string) string {
	if !e.Colour(w) {
		return word
	}
	return "\x1b[1;31m" + word + "\x1b[0m"
}

func terminalWidth(w io.Writer) int {
	f, ok := fileOf(w)
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
	var taken []os.Signal
	// A terminal that is closed sends SIGHUP: what was made on a server must be removed then, too. What whoever started
	// the program has it ignore stays ignored, as nohup wants. Go knows that of SIGHUP and of SIGINT.
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			taken = append(taken, s)
		}
	}
	signal.Notify(ch, taken...) // SIGTERM is always among them: none would be all
	return ch, func() { signal.Stop(ch) }
}

// Columns is the number of columns of w, or 0 when it is not known.
func (e *Env) Columns(w io.Writer) int {
	if e.Width == nil {
		return 0
	}
	return e.Width(w)
}

// Getenv is the variable's value, or "" when it is not set.
func (e *Env) Getenv(name string) string {
	v, _ := e.LookupEnv(name)
	return v
}
