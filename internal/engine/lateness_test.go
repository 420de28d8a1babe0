package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestLatenessIsAttributedToItsCause holds up the generator, the target, or both, by more than
// the load allows, so that operations wait for longer and longer.
func TestLatenessIsAttributedToItsCause(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow under the race detector; make test runs it")
	}
	for _, c := range []struct {
		name             string
		prepare, service time.Duration
		own              time.Duration // p99, at least; the send delay is over 500 ms in all cases
		most             time.Duration
		late             bool
	}{
		// A queue that grows because the slot idles is the generator's, all of it.
		{"the generator", 3 * time.Millisecond, 100 * time.Microsecond, 500 * time.Millisecond, 2 * time.Second, true},
		{"the target", 0, 3 * time.Millisecond, 0, 0, false},
		// Each of the thousand operations adds half a millisecond of the generator's to the delay of all that follow, and the
		// target as much: without the generator's part, the last would have started half a second earlier.
		{"both, one as much as the other", 500 * time.Microsecond, 2500 * time.Microsecond, 480 * time.Millisecond,
			500 * time.Millisecond, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab()
				l.prepare = c.prepare
				l.service = func(uint64, time.Duration) time.Duration { return c.service }
				p := load()
				p.Clients, p.Rate = 1, 500
				g := run(t, l, p, nil).Generator
				if g.SendDelayP99NS < 500e6 {
					t.Errorf("send delay p99 %v", time.Duration(g.SendDelayP99NS))
				}
				if own := time.Duration(g.OwnDelayP99NS); own < c.own || own > c.most {
					t.Errorf("own delay p99 %v, want %v to %v", own, c.own, c.most)
				}
				// Half of the operations wait for longer than half of the longest.
				if got := *g.OwnLate > 300; got != c.late || !c.late && *g.OwnLate != 0 {
					t.Errorf("%d operations are late for the generator's own reasons", *g.OwnLate)
				}
			})
		})
	}
}

// A target that refuses most attempts keeps the clients in back-off: operations start late because of that, although
// the generator takes a millisecond of its own for each of them.
func TestRefusalsAreNotGeneratorDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.prepare = time.Millisecond
		l.service = func(uint64, time.Duration) time.Duration { return time.Millisecond }
		l.fail = func(index uint64, _ int) *op.Failure {
			if index < 100 {
				return nil
			}
			return &op.Failure{Cause: "full"}
		}
		p := load()
		p.Clients, p.Rate, p.Duration, p.Drain = 16, 40, 30*time.Second, time.Minute
		doc := run(t, l, p, nil)
		counts(t, total(t, doc), 1200, 100, 1100, 0, 0)
		if g := doc.Generator; *g.OwnLate != 0 || g.OwnDelayP99NS < rundoc.MinLateNS {
			t.Errorf("%d operations are late because of a generator with an own delay of %v (p99)", *g.OwnLate,
				time.Duration(g.OwnDelayP99NS))
		}
	})
}

// A generator that takes longer for each operation than the schedule leaves is late, also where the target refuses all.
func TestRefusalsDoNotExcuseTheGenerator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.prepare = 100 * time.Millisecond
		l.service = func(uint64, time.Duration) time.Duration { return time.Millisecond }
		l.fail = func(uint64, int) *op.Failure { return &op.Failure{Cause: "full"} }
		p := load()
		p.Clients, p.Rate, p.Duration, p.Drain, p.Retry.Max = 1, 40, 10*time.Second, time.Minute, 0
		doc := run(t, l, p, nil)
		counts(t, total(t, doc), 400, 0, 400, 0, 0)
		if late := *doc.Generator.OwnLate; late < 390 {
			t.Errorf("%d of 400 operations are late because of the generator", late)
		}
	})
}
