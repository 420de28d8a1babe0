package run

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/report"
)

// What is worth a line: what has lasted for a second, or is known to.
func TestWhatIsWorthALine(t *testing.T) {
	s, ms := time.Second, time.Millisecond
	for _, tt := range []struct {
		said Live
		want bool
	}{
		{Live{Elapsed: s, Done: -1, Left: -1}, true},
		{Live{Elapsed: s - 1, Done: -1, Left: -1}, false},
		{Live{Elapsed: 500 * ms, Done: 0, Left: 500 * ms}, true},
		{Live{Elapsed: 500 * ms, Done: 0, Left: 500*ms - 1}, false},
		{Live{Elapsed: 500 * ms, Done: 0.5, Left: 600 * ms, About: true}, false},
		{Live{Elapsed: 100 * ms, Done: -1, Left: 5 * s}, false},
		{Live{Elapsed: 100 * ms, Done: 0.5, Left: -1}, false},
		{Live{Elapsed: 100 * ms, Done: 0.5, Left: 0}, false},
	} {
		v := NewView(&Env{Stderr: io.Discard, IsTerminal: func(io.Writer) bool { return false }}, true, report.Kind{})
		v.watched = true
		if _, show := v.live(time.Now(), nil); show {
			t.Error("nothing goes on, and is shown")
		}
		end := v.Begin("it", func() Live { return tt.said })
		if l, show := v.live(time.Now(), nil); show != tt.want || l.Phase != "it" || l.Elapsed != tt.said.Elapsed {
			t.Errorf("%+v: %+v, %t", tt.said, l, show)
		}
		end()
	}
}

// What nobody knows of a stage is said to be not known; who looks on sees this run alone.
func TestNow(t *testing.T) {
	v := NewView(&Env{Stderr: io.Discard, IsTerminal: func(io.Writer) bool { return false }}, true, report.Kind{})
	v.watched = true
	if got := v.now(); got != (Live{Done: -1, Left: -1}) {
		t.Errorf("%+v", got)
	}
	v.Among("run 2 of 3", 1, 3, time.Minute)
	end := v.Begin("it", nil)
	defer end()
	if got := v.now(); got.Phase != "it" || got.Done != -1 || got.Left != -1 || got.What != "" {
		t.Errorf("%+v", got)
	}
	for at, want := range map[int]bool{0: true, 1: false, 2: false} {
		v.Among("", at, 3, 0)
		if got := v.first(); got != want {
			t.Errorf("%d is the first: %v", at, got)
		}
	}
	for left, want := range map[time.Duration]time.Duration{-1: -1, 0: 2 * time.Minute, time.Second: 2*time.Minute + time.Second} {
		a := among{what: "run 1 of 3", at: 0, of: 3, each: time.Minute}
		if got := a.place(Live{Done: -1, Left: left}); got.Left != want || got.What != "run 1 of 3" {
			t.Errorf("%v: %+v", left, got)
		}
	}
}

// A line is due every ten seconds, and once each time.
func TestDue(t *testing.T) {
	p := plain{next: plainEvery}
	for _, tt := range []struct {
		elapsed time.Duration
		want    bool
	}{{9 * time.Second, false}, {10 * time.Second, true}, {10 * time.Second, false}, {19 * time.Second, false}, {23 * time.Second, true},
		{29 * time.Second, false}, {30 * time.Second, true}, {5 * time.Second, false}, {10 * time.Second, true}} {
		if got := p.due(tt.elapsed); got != tt.want {
			t.Errorf("at %v: %v", tt.elapsed, got)
		}
	}
}

// A line leaves the last column free, and has one at least; it is written over by what terminals know.
func TestScreen(t *testing.T) {
	for width, want := range map[int]int{0: 0, 1: 1, 2: 1, 3: 2, 80: 79} {
		v := NewView(&Env{Stderr: io.Discard, IsTerminal: func(io.Writer) bool { return false }, Width: func(io.Writer) int { return width }}, false, report.Kind{})
		if got := v.screen().Width; got != want {
			t.Errorf("%d columns: %d, want %d", width, got, want)
		}
	}
	if again != "\r\x1b[K" {
		t.Errorf("%q", again)
	}
}

// What a program has begun to write is ended before a note, once, however little it is.
func TestNotesBesideAProgram(t *testing.T) {
	var out bytes.Buffer
	env := &Env{Stderr: &out, IsTerminal: func(io.Writer) bool { return true }, LookupEnv: func(string) (string, bool) { return "", false }}
	v := NewView(env, false, report.Kind{})
	beside := v.Beside()
	for _, text := range []string{"x", "", "yz\n", "\n", "-"} {
		if n, err := io.WriteString(beside, text); n != len(text) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	v.Note("one")
	v.Note("two")
	if got, want := out.String(), "xyz\n\n-\nplimsoll: one\nplimsoll: two\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if strings.Contains(out.String(), again) {
		t.Error("a line was written over, and there was none")
	}
}
