package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
)

// TestTheSlowestHaveWhatTheTargetDidToThem breaks connections and holds answers back in known numbers: of the slowest,
// those it did that to are marked, and no others.
func TestTheSlowestHaveWhatTheTargetDidToThem(t *testing.T) {
	const all = 2000
	closed := &op.Failure{Cause: "closed"}
	refused := &op.Failure{Cause: "busy"}
	cut := func(why *op.Failure) func(uint64, int) *op.Failure { // the first attempt of 50: they last for 25 ms at least
		return func(index uint64, attempt int) *op.Failure {
			if index%40 == 7 && attempt == 1 {
				return why
			}
			return nil
		}
	}
	for name, c := range map[string]struct {
		fail func(uint64, int) *op.Failure
		slow uint64 // so many take 5 s
		want func(n int64) record.Tail
	}{
		"nothing but retries": {cut(refused), 0, func(n int64) record.Tail {
			return record.Tail{Count: n, Retried: n}
		}},
		"and on new connections": {cut(closed), 0, func(n int64) record.Tail {
			return record.Tail{Count: n, Retried: n, Reconnected: n}
		}},
		"some that the target was slow for": {cut(closed), 10, func(n int64) record.Tail {
			return record.Tail{Count: n, Retried: n - 10, Reconnected: n - 10, Other: 10}
		}},
		"none but those": {cut(closed), 30, func(int64) record.Tail { return record.Tail{Count: 30, Other: 30} }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab()
				l.fail = c.fail
				l.service = func(index uint64, _ time.Duration) time.Duration {
					if index%50 == 3 && index/50 < c.slow {
						return 5 * time.Second
					}
					return time.Millisecond
				}
				p := load()
				p.Duration, p.Operations, p.Retry.Timeout = 0, all, 10*time.Second
				doc, r := runWith(t, Config{Load: p, Workload: l}, nil)
				o := total(t, doc)
				counts(t, o, all, all, 0, 0, 0)
				got := r.Tail(*o.ResponseTime.P99NS)
				if got != c.want(got.Count) || got.Count < all/100 || got.Count > 60 {
					t.Errorf("%+v, want %+v", got, c.want(got.Count))
				}
			})
		})
	}
}

// TestTheSlowestWaitedForWhomeverTheyWaited has one client that cannot keep up with what is due.
func TestTheSlowestWaitedForWhomeverTheyWaited(t *testing.T) {
	for name, c := range map[string]struct {
		prepare, service time.Duration
		want             func(n int64) record.Tail
	}{
		"the target": {0, 3 * time.Millisecond, func(n int64) record.Tail { return record.Tail{Count: n, Waited: n} }},
		"the generator": {3 * time.Millisecond, 100 * time.Microsecond,
			func(n int64) record.Tail { return record.Tail{Count: n, Delayed: n} }},
		"nobody": {0, time.Millisecond, func(n int64) record.Tail { return record.Tail{Count: n, Other: n} }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab()
				l.prepare = c.prepare
				l.service = func(uint64, time.Duration) time.Duration { return c.service }
				p := load()
				p.Clients, p.Rate, p.Arrivals = 1, 500, plan.Constant
				doc, r := runWith(t, Config{Load: p, Workload: l}, nil)
				got := r.Tail(*total(t, doc).ResponseTime.P99NS)
				if got != c.want(got.Count) || got.Count < 10 {
					t.Errorf("%+v, want %+v", got, c.want(got.Count))
				}
			})
		})
	}
}
