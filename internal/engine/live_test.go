package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/rundoc"
)

// partial is the document of what a window has come to.
func partial(t *testing.T, s *record.SoFar) *rundoc.Run {
	t.Helper()
	doc, err := s.Document(record.Times{Response: true})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// What has come to pass so far is in the document, with what may come to it at best.
func TestLiveReportsTheBestCase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, p := newLab(), load() // two clients, 10 ms each: 200 operations a second, of two names
		l.service = func(i uint64, _ time.Duration) time.Duration {
			return time.Duration(10+i%2) * time.Millisecond
		}
		l.fail = func(index uint64, _ int) *op.Failure {
			if index%20 == 0 {
				return &op.Failure{Cause: "rejected", Final: true}
			}
			return nil
		}
		var looked *rundoc.Run
		var inFlight int64
		full, _ := runWith(t, Config{Load: p, Workload: l, Live: func(s *record.SoFar) bool {
			looked, inFlight = partial(t, s), s.InFlight // the last one is of 1.75 s
			return false
		}}, nil)
		part, all := total(t, looked), total(t, full)
		about(t, "failed", part.Failed, all.Failed*7/8, .1)
		// ten more of each name, and the two in flight
		about(t, "ok", part.OK, all.OK*7/8+20+2, .02)
		if part.Scheduled != part.OK+part.Failed || inFlight != 2 || part.ResponseTime.Count != part.OK {
			t.Errorf("%d scheduled, %d ok, %d failed, %d in flight, %d times", part.Scheduled, part.OK, part.Failed,
				inFlight, part.ResponseTime.Count)
		}
		if part.RatePerS < all.RatePerS || part.RatePerS > all.RatePerS*1.05 {
			t.Errorf("%v/s at best, and %v/s in the end", part.RatePerS, all.RatePerS)
		}
		if part.ResponseTime.MinNS != 10e6 || part.ResponseTime.MaxNS != 11e6 || part.ResponseTime.Free == nil {
			t.Errorf("%+v", part.ResponseTime)
		}
		if looked.Ledger.WindowNS != 1750e6 {
			t.Errorf("after %v", time.Duration(looked.Ledger.WindowNS))
		}
	})
}

// A miss ends the window as a stop does: within a second of the miss, with what is in flight waited for and all laws
// kept; it is no interruption.
func TestLiveEndsTheWindow(t *testing.T) {
	for _, open := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l, p := newLab(), load()
			p.Duration = time.Hour
			if open {
				p.Rate, p.Clients, p.Ramp = 100, 10, time.Second
			}
			bad := 3 * time.Second // from then on it is slow
			l.service = func(_ uint64, at time.Duration) time.Duration {
				if at > bad {
					return 90 * time.Millisecond
				}
				return 10 * time.Millisecond
			}
			doc, got := runWith(t, Config{Load: p, Workload: l, Live: func(s *record.SoFar) bool {
				return total(t, partial(t, s)).ResponseTime.MaxNS >= 90e6
			}}, nil)
			o, window := total(t, doc), time.Duration(doc.Ledger.WindowNS)
			if !got.Aborted || doc.Interrupted || window+p.Ramp < bad || window+p.Ramp > bad+time.Second {
				t.Errorf("aborted %v, interrupted %v, after %v", got.Aborted, doc.Interrupted, window)
			}
			if o.OK != o.Scheduled || o.Unsent+o.Unfinished+o.Failed != 0 || o.OK == 0 {
				t.Errorf("%d of %d ok", o.OK, o.Scheduled)
			}
			if (len(doc.Phases) == 0) || doc.Phases[len(doc.Phases)-1].Name != rundoc.PhaseDrain {
				t.Errorf("phases %+v", doc.Phases)
			}
		})
	}
}
