package run

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// What the engine tells is what is shown, and what is connected or in flight in words; the kind says what it knows
// better, once a second and while the window goes on alone.
func TestViewShowsEngineProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		env := &Env{Stderr: io.Discard, IsTerminal: func(io.Writer) bool { return false }}
		v := NewView(env, true, report.Kind{})
		v.watched = true
		v.Position = func() Live {
			asked++
			return Live{Phase: "reading", What: "a file", Count: "3 of 9", Done: 0.3, Left: 10 * time.Second, About: true,
				Measured: asked < 3}
		}
		tell, end := v.Engine()
		defer end()
		for name, tt := range map[string]struct {
			told engine.Progress
			want Live
		}{
			"one client":    {engine.Progress{Phase: "connect", Clients: 1, Done: -1, Left: -1}, Live{Phase: "connect", Done: -1, Left: -1}},
			"two of them":   {engine.Progress{Phase: "connect", Clients: 2, Connected: 1, Done: -1, Left: -1}, Live{Phase: "connect", Count: "1 of 2 clients", Done: -1, Left: -1}},
			"drain":         {engine.Progress{Phase: engine.Drain, Clients: 1, InFlight: 3, Done: -1, Left: -1}, Live{Phase: "drain", Count: "3 in flight", InFlight: 3, Done: -1, Left: -1}},
			"in flight":     {engine.Progress{Phase: "warm-up", InFlight: 3, Done: -1, Left: -1}, Live{Phase: "warm-up", InFlight: 3, Done: -1, Left: -1}},
			"what it knows": {engine.Progress{Phase: "ramp", Done: 0, Left: 4, Measured: true, Rate: 9, Bytes: 8, P50: 7, P99: 6, Errors: 5}, Live{Phase: "ramp", Done: 0, Left: 4, Measured: true, Rate: 9, Bytes: 8, P50: 7, P99: 6, Errors: 5}},
		} {
			tell(tt.told)
			if diff := cmp.Diff(tt.want, v.now()); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
		if asked > 0 {
			t.Errorf("the kind was asked %d times outside of the window", asked)
		}
		window := engine.Progress{Phase: rundoc.PhaseWindow, Elapsed: time.Second, Done: -1, Left: -1, Measured: true, Rate: 9}
		tell(window)
		want := Live{Phase: "reading", What: "a file", Count: "3 of 9", Elapsed: time.Second, Done: 0.3, Left: 10 * time.Second,
			About: true, Measured: true, Rate: 9}
		if diff := cmp.Diff(want, v.now()); diff != "" || asked != 1 {
			t.Errorf("asked %d times: %s", asked, diff)
		}
		time.Sleep(time.Second - 1)
		got := v.now()
		if asked != 1 || got.Left != 9*time.Second+1 || got.Elapsed != 2*time.Second-1 {
			t.Errorf("just before a second has passed: asked %d times, %+v", asked, got)
		}
		time.Sleep(time.Nanosecond)
		if got := v.now(); asked != 2 || got.Left != 10*time.Second || got.Done < 0.36 || !got.Measured {
			t.Errorf("after a second: asked %d times, and a bar went back: %+v", asked, got)
		}
		window.Measured = false
		tell(window)
		if got := v.now(); got.Measured {
			t.Errorf("measured without figures: %+v", got)
		}
		window.Measured = true
		tell(window)
		time.Sleep(time.Second)
		if got := v.now(); got.Measured {
			t.Errorf("measured where they tell nothing: %+v", got)
		}
		tell(engine.Progress{Phase: engine.Drain, Done: 0.1, Left: -1})
		if got := v.now(); got.Done != 0.1 {
			t.Errorf("the next phase begins behind the last: %+v", got)
		}
	})
}
