package run

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/report"
)

func view(terminal, quiet bool) (*View, *bytes.Buffer) {
	out := &bytes.Buffer{}
	return NewView(viewEnv(out, terminal, "xterm"), quiet,
		report.Kind{Words: report.Words{One: "message", Many: "messages", Short: "msg"}}), out
}

func viewEnv(out io.Writer, terminal bool, kind string) *Env {
	return &Env{
		Stderr:     out,
		IsTerminal: func(io.Writer) bool { return terminal },
		LookupEnv:  func(name string) (string, bool) { return kind, name == "TERM" },
		Width:      func(io.Writer) int { return 40 },
	}
}

func at(seconds int) engine.Progress {
	return engine.Progress{Elapsed: time.Duration(seconds) * time.Second, Rate: 100, Left: time.Minute}
}

// On a terminal each line replaces the last, and nothing of it stays.
func TestLiveTerminal(t *testing.T) {
	v, out := view(true, false)
	v.Progress(at(1))
	v.Progress(at(2))
	v.Note("the disk is full")
	v.Close()
	got := out.String()
	if strings.Count(got, "\r\x1b[K") != 3 || strings.Count(got, "\n") != 1 {
		t.Errorf("%q", got)
	}
	if !strings.HasSuffix(got, "\r\x1b[Kplimsoll: the disk is full\n") {
		t.Errorf("the note does not take the line's place: %q", got)
	}
}

// The line leaves the last column of the terminal free.
func TestLiveWidth(t *testing.T) {
	for columns := 20; columns < 90; columns++ {
		v, out := view(true, false)
		v.width = func() int { return columns }
		v.Progress(at(1))
		line := strings.TrimPrefix(out.String(), "\r\x1b[K")
		if n := utf8.RuneCountInString(line); n >= columns || n < 9 {
			t.Errorf("%d of %d columns: %q", n, columns, line)
		}
	}
}

// A dumb terminal gets plain lines.
func TestLiveDumb(t *testing.T) {
	out := &bytes.Buffer{}
	v := NewView(viewEnv(out, true, "dumb"), false, report.Kind{})
	v.Progress(at(1))
	v.Progress(at(10))
	v.Close()
	if got := out.String(); strings.ContainsAny(got, "\r\x1b") || strings.Count(got, "\n") != 1 {
		t.Errorf("%q", got)
	}
}

// Elsewhere there is a line every ten seconds, without control characters.
func TestLivePlain(t *testing.T) {
	v, out := view(false, false)
	for s := 1; s <= 35; s++ {
		if s != 20 { // a report may be missing
			v.Progress(at(s))
		}
	}
	v.Close()
	var starts []string
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		starts = append(starts, strings.Fields(line)[0])
	}
	if got := strings.Join(starts, " "); got != "0:10 0:21 0:30" {
		t.Errorf("lines at %s\n%s", got, out)
	}
	if strings.ContainsAny(out.String(), "\r\x1b") {
		t.Errorf("%q", out)
	}
}

func TestLiveQuiet(t *testing.T) {
	v, out := view(true, true)
	v.Progress(at(10))
	v.Note("important")
	v.Close()
	if out.String() != "plimsoll: important\n" {
		t.Errorf("%q", out)
	}
}

// What a program says that runs beside is never within the line, nor the line within what it says.
func TestLiveBesideAProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, out := view(true, false)
		program, calls := v.Beside(), int64(0)
		end := v.Follow("the command", func() (n, errors int64) { calls += 12; return calls, 3 })
		for _, said := range []string{"one\n", "two ", "", "three\n"} {
			time.Sleep(1500 * time.Millisecond)
			synctest.Wait()
			fmt.Fprint(program, said)
		}
		time.Sleep(1500 * time.Millisecond)
		end() // and the line goes
		fmt.Fprint(program, "four ")
		v.Note("interrupted")
		v.Close()
		const again = "\r\x1b[K"
		line := func(clock string, call int) string {
			return fmt.Sprintf(again+"the command, call %d · %s · 3 errors", call, clock)
		}
		// After "two " there is no line until its end: call 48 comes and goes.
		want := line("0:01", 12) + again + "one\n" + line("0:02", 24) + line("0:03", 36) + again + "two three\n" +
			line("0:07", 84) + again + "four \nplimsoll: interrupted\n"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Error(diff)
		}
	})
	for _, tt := range []struct{ terminal, quiet bool }{{false, false}, {true, true}} {
		v, out := view(tt.terminal, tt.quiet)
		if v.Beside() != io.Writer(out) {
			t.Error("the program does not have what it would have without us")
		}
		v.Follow("the command", nil)()
	}
}

// The first signal ends the soft context, the second the hard one.
func TestInterrupts(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	signals := make(chan os.Signal)
	stopped := false
	env := &Env{Signals: func() (<-chan os.Signal, func()) { return signals, func() { stopped = true } }}
	soft, hard, release := Interrupts(context.Background(), env)
	if soft.Err() != nil || hard.Err() != nil {
		t.Fatal("ended before a signal")
	}
	signals <- syscall.SIGINT
	<-soft.Done()
	if hard.Err() != nil {
		t.Fatal("one signal ended both")
	}
	signals <- syscall.SIGTERM
	<-hard.Done()
	release()
	if !stopped {
		t.Error("the signals were not given back")
	}
}

// Without a signal nothing ends before the release.
func TestInterruptsRelease(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	env := &Env{Signals: func() (<-chan os.Signal, func()) { return nil, func() {} }}
	soft, hard, release := Interrupts(context.Background(), env)
	if soft.Err() != nil || hard.Err() != nil {
		t.Error("ended without a signal")
	}
	release()
	<-hard.Done()
	<-soft.Done()
}
