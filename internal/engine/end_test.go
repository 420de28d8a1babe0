package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/record"
)

// TestTheEndIsWaitedForWhileItIsSaid: what has a stamp behind an end that is being said is not the window's, though nobody
// knows the end yet.
func TestTheEndIsWaitedForWhileItIsSaid(t *testing.T) {
	for name, charges := range map[string]func(ph *phase) int64{
		"the ledger": func(ph *phase) int64 {
			s := &slot{ph: ph, state: record.Awaiting, since: 1}
			s.enter(record.Idle, 100)
			return s.ledger[record.Awaiting]
		},
		"a part":  func(ph *phase) int64 { return ph.clip(1, 100) },
		"a stamp": func(ph *phase) int64 { return map[bool]int64{true: 0, false: 50}[ph.inside(51)] },
	} {
		ph := &phase{start: 1}
		ph.saying.Lock()
		ph.end.Store(unsaid)
		asked := make(chan struct{})
		go func() {
			<-asked
			ph.end.Store(51)
			ph.saying.Unlock()
		}()
		close(asked)
		if got := charges(ph); got != 50 {
			t.Errorf("%s: %d ns are the window's, want 50", name, got)
		}
	}
}

// TestClosingNow: a window that ends by something else than its length ends then, but not behind an end that was known
// before, and not before least.
func TestClosingNow(t *testing.T) {
	const s = int64(time.Second)
	for _, tt := range []struct{ known, least, want int64 }{
		{never, 0, 2 * s}, {3 * s, 0, 2 * s}, {2 * s, 0, 2 * s}, {s, 0, s}, {never, 2*s + 1, 2*s + 1}, {s, s + 1, s + 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			ph := &phase{
				clock: op.NewClock(), soft: make(chan struct{}), source: newClosedSource(0, never, 0),
				window: record.New(record.Config{Kinds: []record.Kind{{}}, Series: true}),
			}
			ph.end.Store(tt.known)
			time.Sleep(2 * time.Second)
			ph.closeNow(tt.least)
			if got := ph.windowEnd(); got != tt.want {
				t.Errorf("%+v: it ends at %d", tt, got)
			}
			<-ph.soft
			if _, ok := ph.source.next(tt.want); ok {
				t.Errorf("%+v: the source hands out what lies behind the end", tt)
			}
			for _, end := range []int64{tt.want, tt.want + 1} {
				before := ph.window.Inside()
				ph.window.Record(0, &record.Operation{End: end, Attempts: 1})
				if inside := ph.window.Inside() != before; inside != (end == tt.want) {
					t.Errorf("%+v: an operation that ends %d ns behind the end is inside: %v", tt, end-tt.want, inside)
				}
			}
		})
	}
}
