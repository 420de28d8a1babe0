package run

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/report"
)

// screen is a terminal that notes when it was written to.
type screen struct {
	mu      sync.Mutex
	out     bytes.Buffer
	writes  int
	held    chan struct{} // closed when it takes something again; nil: it does
	columns int
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	held := s.held
	s.mu.Unlock()
	if held != nil {
		<-held
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	return s.out.Write(p)
}

// release has a screen take something again.
func (s *screen) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.held)
	s.held = nil
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

// lines are what a terminal shows in the end: a line that is written anew is shown as it was last.
func (s *screen) lines() []string {
	var shown []string
	for line := range strings.SplitSeq(s.String(), "\n") {
		if at := strings.LastIndex(line, again); at >= 0 {
			line = line[at+len(again):]
		}
		shown = append(shown, line)
	}
	return shown
}

func (s *screen) env(terminal bool, variables ...string) *Env {
	return &Env{
		Stderr:     s,
		IsTerminal: func(io.Writer) bool { return terminal },
		LookupEnv: func(name string) (string, bool) {
			for _, v := range variables {
				if key, value, _ := strings.Cut(v, "="); key == name {
					return value, true
				}
			}
			return "", false
		},
		Width: func(io.Writer) int {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.columns
		},
	}
}

const utf8Locale = "LANG=de_DE.UTF-8"

func messages() report.Kind {
	return report.Kind{Words: report.Words{One: "message", Many: "messages", Short: "msg"}}
}

// terminal is a view on a terminal of so many columns.
func terminal(columns int) (*View, *screen) {
	s := &screen{columns: columns}
	return NewView(s.env(true, "TERM=xterm", utf8Locale), false, messages()), s
}

// sleep advances the fake clock by d and waits until all goroutines of the bubble are blocked.
//
// synctest: called only inside a bubble.
func sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// at is what the engine tells at a second of a window of ten.
func at(second int) engine.Progress {
	return engine.Progress{
		Phase: "window", Elapsed: time.Duration(second) * time.Second, Done: float64(second) / 10,
		Left: time.Duration(10-second) * time.Second, Measured: second > 0, Rate: 100,
	}
}

// A bar is there from the beginning where it is known that it will last, moves by the clock between two words of the
// engine, is written no more than five times a second, and nothing of it stays.
func TestViewOnATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, s := terminal(60)
		ready := v.Begin("getting ready", nil)
		tell, end := v.Engine()
		tell(at(0))
		sleep(450 * time.Millisecond)
		if want := "[░░░░░░]    4%  measuring, 9.6 s left,      – msg/s"; s.lines()[0] != want {
			t.Errorf("%q, want %q", s.lines()[0], want)
		}
		sleep(600 * time.Millisecond)
		tell(at(1))
		sleep(4 * time.Second)
		// Two seconds after the last word of the engine nobody knows.
		if want := "[█░░░░░]   30%  measuring, 7.0 s left,    100 msg/s"; s.lines()[0] != want {
			t.Errorf("%q, want %q", s.lines()[0], want)
		}
		end()
		ready()
		if got := s.lines(); len(got) != 1 || got[0] != "" {
			t.Errorf("it leaves %q", got)
		}
		// Five times a second while it changes, which ends after 3 s, and once to take it away.
		if s.writes > 17 || s.writes < 8 {
			t.Errorf("written %d times in 5 s", s.writes)
		}
		before := s.writes
		sleep(time.Minute)
		if s.writes != before {
			t.Error("it is written when all is over")
		}
	})
}

// What is over within a second is not shown, also within what is not, and not after it.
func TestViewShowsNothingShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, s := terminal(60)
		for range 5 {
			end := v.Begin("connect", nil)
			sleep(900 * time.Millisecond)
			end()
		}
		if s.String() != "" {
			t.Errorf("%q", s)
		}
		whole := v.Begin("all of it", nil)
		sleep(1300 * time.Millisecond)
		shown := s.lines()[0]
		if !strings.HasSuffix(shown, "  all of it") {
			t.Errorf("%q", shown)
		}
		end := v.Begin("a part", nil)
		sleep(900 * time.Millisecond)
		if got := s.lines()[0]; got != shown {
			t.Errorf("a part that is short: %q after %q", got, shown)
		}
		end()
		sleep(900 * time.Millisecond)
		if got := s.lines()[0]; got != shown { // a second of it has to pass again
			t.Errorf("what goes on after a part: %q after %q", got, shown)
		}
		sleep(500 * time.Millisecond)
		if got := s.lines()[0]; got == shown {
			t.Errorf("the mark stands still: %q", got)
		}
		whole()
		sleep(time.Second)
	})
}

// A terminal that takes nothing holds up nobody who has something to tell, and the end for a moment only.
func TestViewOnATerminalThatTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, s := terminal(60)
		s.held = make(chan struct{})
		tell, end := v.Engine()
		begun := time.Now()
		for second := range 10 {
			tell(at(second))
			sleep(time.Second)
		}
		v.Ending()
		end()
		if took := time.Since(begun); took > 10*time.Second+patience {
			t.Errorf("held up for %v", took-10*time.Second)
		}
		s.release()
		sleep(time.Second)
		if got := s.lines(); got[len(got)-1] != "" {
			t.Errorf("it leaves %q", got)
		}
	})
}

// Elsewhere there is a line every ten seconds of a phase, without control characters, and none of a run of ten.
func TestViewPlain(t *testing.T) {
	for _, variables := range [][]string{{"TERM=dumb", utf8Locale}, {"TERM=xterm", utf8Locale}} {
		synctest.Test(t, func(t *testing.T) {
			s := &screen{}
			v := NewView(s.env(variables[0] == "TERM=dumb", variables...), false, messages())
			ready := v.Begin("getting ready", nil)
			sleep(3 * time.Second)
			tell, end := v.Engine()
			for second := range 36 {
				p := engine.Progress{Phase: "warm-up", Done: -1, Left: -1}
				if second >= 5 {
					p = engine.Progress{Phase: "window", Elapsed: time.Duration(second-5) * time.Second, Done: 0.5,
						Left: time.Duration(35-second) * time.Second, Measured: true, Rate: 100}
				}
				tell(p)
				sleep(time.Second)
			}
			end()
			ready()
			sleep(time.Minute)
			want := "measuring, 20 s left, 100 msg/s, p50 –, p99 –, 0 in flight, 0 errors\n" +
				"measuring, 10 s left, 100 msg/s, p50 –, p99 –, 0 in flight, 0 errors\n" +
				"measuring, 0.0 s left, 100 msg/s, p50 –, p99 –, 0 in flight, 0 errors\n"
			if diff := cmp.Diff(want, s.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// An interrupt is told on a line of its own, also where the bar is that of one of several runs, which has a view of its own.
func TestViewTellsAnInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, s := terminal(60)
		whole := NewView(s.env(true, "TERM=xterm", utf8Locale), false, messages())
		for _, told := range []*View{v, whole} {
			tell, end := v.Engine()
			tell(at(3))
			sleep(300 * time.Millisecond)
			told.Ending()
			sleep(300 * time.Millisecond)
			end()
		}
		const note = "plimsoll: interrupted: finishing the run; press Ctrl-C again to stop at once"
		if diff := cmp.Diff([]string{note, note, ""}, s.lines()); diff != "" {
			t.Error(diff)
		}
	})
}

// A quiet view says what must not be missed, and nothing else.
func TestViewQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &screen{columns: 80}
		v := NewView(s.env(true, "TERM=xterm"), true, messages())
		tell, end := v.Engine()
		tell(at(1))
		sleep(5 * time.Second)
		v.Ending()
		v.Note("important")
		end()
		if got := s.String(); got != "plimsoll: important\n" {
			t.Errorf("%q", got)
		}
	})
}

// A run among several shows the whole of them, and that of one when nobody knows how many there are.
func TestViewAmongSeveral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, s := terminal(70)
		v.Among("load 3 of 4", 2, 4, 11*time.Second)
		tell, end := v.Engine()
		tell(at(2))
		sleep(250 * time.Millisecond)
		// Half of all are done, and two tenths of this one; left are 8 s and the last one.
		if want := "[███░░░]   55%  measuring, load 3 of 4, ~19 s left,    100 msg/s"; s.lines()[0] != want {
			t.Errorf("%q, want %q", s.lines()[0], want)
		}
		tell(engine.Progress{Phase: engine.Drain, Elapsed: 2 * time.Second, Done: -1, Left: -1})
		sleep(250 * time.Millisecond)
		if want := "[███░░░]   55%  draining, load 3 of 4, 0 in flight"; s.lines()[0] != want {
			t.Errorf("%q, want %q", s.lines()[0], want)
		}
		v.Among("trial 7", 0, 0, 0)
		tell(at(2))
		sleep(250 * time.Millisecond)
		if got := s.lines()[0]; !strings.HasSuffix(got, "  measuring, trial 7, 7.9 s left,    100 msg/s") {
			t.Errorf("%q", got)
		}
		end()
		sleep(time.Second)
	})
}

// A bar does not go back when an estimate was too good.
func TestViewDoesNotGoBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, s := terminal(60)
		tell, end := v.Engine()
		for second, done := range []float64{0.1, 0.5, 0.3, 0.4} {
			tell(engine.Progress{Phase: "window", Elapsed: time.Duration(second+1) * time.Second, Done: done,
				Left: 10 * time.Second, About: true})
			sleep(time.Second)
		}
		end()
		sleep(time.Second)
		last := 0
		for _, m := range regexp.MustCompile(`(\d+)%`).FindAllStringSubmatch(s.String(), -1) {
			var n int
			if fmt.Sscan(m[1], &n); n < last {
				t.Errorf("%d%% after %d%%", n, last)
			}
			last = max(last, n)
		}
		if last < 50 {
			t.Errorf("no more than %d%%", last)
		}
	})
}

// What a program says that runs beside is never within the line, nor the line within what it says.
func TestViewBesideAProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, s := terminal(60)
		program := v.Beside()
		end := v.BeginBeside("the command", nil)
		for _, said := range []string{"one\n", "two ", "", "three\n"} {
			sleep(1500 * time.Millisecond)
			fmt.Fprint(program, said)
		}
		sleep(1500 * time.Millisecond)
		v.Note("a note")
		v.Ending() // who runs the program says what an interrupt does to it
		sleep(300 * time.Millisecond)
		end() // and the line goes
		fmt.Fprint(program, "four ")
		v.Note("interrupted")
		sleep(time.Second)
		want := []string{"one", "two three", "plimsoll: a note", "four ", "plimsoll: interrupted", ""}
		if diff := cmp.Diff(want, s.lines()); diff != "" {
			t.Error(diff)
		}
		if n := strings.Count(s.String(), "the command"); n < 10 {
			t.Errorf("the line was shown %d times", n)
		}
		if middle := s.String()[strings.Index(s.String(), "two "):strings.Index(s.String(), "three")]; middle != "two " {
			t.Errorf("within what the program said: %q", middle)
		}
	})
	// Elsewhere the program has what it would have without us, and no line is among its own.
	synctest.Test(t, func(t *testing.T) {
		s := &screen{}
		v := NewView(s.env(false), false, messages())
		if v.Beside() != io.Writer(s) {
			t.Error("the program does not have what it would have without us")
		}
		end := v.BeginBeside("the command", nil)
		sleep(time.Minute)
		end()
		if s.String() != "" {
			t.Errorf("%q", s)
		}
	})
}

// What a view costs: five of these are made in a second of a run, on a terminal alone.
func BenchmarkView(b *testing.B) {
	s := &screen{columns: 120}
	v := NewView(s.env(true, "TERM=xterm", utf8Locale), false, messages())
	c := &course{at: time.Now(), told: at(3)}
	v.stages = []*stage{{what: "connect", ask: c.live, begun: time.Now()}}
	over := make(chan struct{})
	for b.Loop() {
		v.shown = ""
		if l, show := v.live(time.Now(), over); show {
			v.draw(l, over)
		}
		s.out.Reset()
	}
}
