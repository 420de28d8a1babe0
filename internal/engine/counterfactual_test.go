package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/wire"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/wake"
	"github.com/plimsoll/plimsoll/rundoc"
)

// freeze is a time in which the generator does not run.
type freeze struct{ from, length time.Duration }

// paused is a generator that is stopped once, for a second.
func paused() []freeze { return []freeze{{time.Second, time.Second}} }

// throttled is a generator that gets 30 ms of each 100.
func throttled() (all []freeze) {
	for at := 30 * time.Millisecond; at < 12*time.Second; at += 100 * time.Millisecond {
		all = append(all, freeze{at, 70 * time.Millisecond})
	}
	return all
}

// hogged is a generator that waits for its turn among others: for 3 to 12 ms, after 1 to 6 ms.
func hogged(seed uint64) (all []freeze) {
	r := rand.New(rand.NewPCG(seed, 7))
	ms := func(from, to float64) time.Duration { return time.Duration((from + r.Float64()*(to-from)) * 1e6) }
	for at := ms(1, 6); at < 12*time.Second; at += ms(1, 6) {
		all = append(all, freeze{at, ms(3, 12)})
		at += all[len(all)-1].length
	}
	return all
}

// simulate runs against a target whose service times depend on nothing but the seed and the operation's number,
// and which does not mind how many come at once. In a freeze no alarm rings, and answers wait in the kernel.
func simulate(t *testing.T, p plan.Load, seed uint64, freezes []freeze) (doc *rundoc.Run) {
	synctest.Test(t, func(t *testing.T) {
		alarms := wake.NewPortable()
		defer alarms.Close()
		l := newLab()
		l.forget = true
		l.sends = func(uint64) sending { return whole }
		l.service = func(index uint64, _ time.Duration) time.Duration {
			r := rand.New(rand.NewPCG(seed, index))
			return time.Duration((1 + 2*r.ExpFloat64()) * 1e6)
		}
		l.thaw = func(at time.Duration) time.Duration {
			for _, f := range freezes {
				if at >= f.from && at < f.from+f.length {
					return f.from + f.length
				}
			}
			return at
		}
		for _, f := range freezes {
			alarms.At(l.made.Add(f.from), func() { time.Sleep(time.Until(l.made.Add(f.from + f.length))) })
		}
		doc, _ = runWith(t, Config{Load: p, Workload: l, Alarms: alarms}, nil)
	})
	return doc
}

// apart bounds how far the percentiles of two samples of the lab's service times lie apart by chance, in ns: by six
// standard errors of their difference. That of one is √(p(1−p)/n) ÷ density, and the density at the percentile p of
// times with an exponential part of 2 ms is (1−p) ÷ 2 ms.
func apart(p float64, n, m int64) float64 {
	return 6 * 2e6 * math.Sqrt(p/(1-p)*(1/float64(n)+1/float64(m)))
}

// TestCorrectedPercentilesMatchAnUndisturbedGenerator compares the corrected percentiles of a generator that is paused
// repeatedly with those of one that is not, for the same simulated target.
func TestCorrectedPercentilesMatchAnUndisturbedGenerator(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow under the race detector; make test runs it")
	}
	seed := uint64(20261124)
	if os.Getenv("PLIMSOLL_NIGHTLY") != "" {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	open, closed := load(), load()
	open.Duration = 2 * time.Second
	nightly := os.Getenv("PLIMSOLL_NIGHTLY") != ""
	if nightly {
		open.Duration = 10 * time.Second
	}
	closed.Duration = open.Duration
	open.MaxWaiting = 10_000
	open.Arrivals, open.Rate, open.Seed, open.Clients = plan.Poisson, 2500, seed, 60
	closed.Clients = 60
	// No timeout has a part in it: the timers of the lab do not stop with its generator.
	open.Retry.Timeout, closed.Retry.Timeout = time.Minute, time.Minute
	kinds := map[string][]freeze{"hogged": hogged(seed)}
	if nightly {
		kinds["paused"], kinds["throttled"] = paused(), throttled()
	}
	for name, freezes := range kinds {
		for model, p := range map[string]plan.Load{"open": open, "closed": closed} {
			t.Run(fmt.Sprint(name, ", ", model), func(t *testing.T) {
				frozen, truth := simulate(t, p, seed, freezes), simulate(t, p, seed, nil)
				got, want := frozen.Operations[0].ResponseTime, truth.Operations[0].ResponseTime
				if got.Free == nil || truth.Generator.OwnTimeNS != 0 {
					t.Fatalf("free %v, own %v without a freeze", got.Free, time.Duration(truth.Generator.OwnTimeNS))
				}
				for i, p := range []*int64{want.P50NS, want.P99NS, want.P999NS} {
					raw := []*int64{got.P50NS, got.P99NS, got.P999NS}[i]
					free := []*int64{got.Free.P50NS, got.Free.P99NS, got.Free.P999NS}[i]
					if p == nil || raw == nil {
						continue // the sample is too small for this one
					}
					t.Logf("raw %v, free %v, truth %v", time.Duration(*raw), time.Duration(*free), time.Duration(*p))
					tolerated := 0.2e6
					if model == "closed" { // a frozen generator makes fewer operations: another sample of the same times
						tolerated += apart([]float64{.5, .99, .999}[i], got.Count, want.Count)
					}
					if off := math.Abs(float64(*free - *p)); off > tolerated {
						t.Errorf("free %v, truth %v", time.Duration(*free), time.Duration(*p))
					}
				}
			})
		}
	}
}

// stampedLab is a lab whose answers have the kernel's stamps.
type stampedLab struct {
	*lab
	times *wire.Times
}

func (l *stampedLab) Stamp(t *wire.Times) { l.times = t }

// TestDocumentCountsKernelStamps has one response in ten with an impossible stamp, and one in ten without.
func TestDocumentCountsKernelStamps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &stampedLab{lab: newLab()}
		l.stamped = func(index uint64, came time.Duration) time.Duration {
			switch {
			case index%10 == 0:
				return came + time.Second // after it was read
			case index%10 == 1:
				return 0 // not known
			}
			return came
		}
		doc, _ := runWith(t, Config{Load: load(), Workload: l}, nil)
		if got := *doc.Generator.Stamps; l.times == nil || got != (rundoc.Stamps{Used: 320, Missing: 40, Refused: 40}) {
			t.Errorf("%+v", got)
		}
		if want := "kernel stamps: only 320 of 400 responses have one"; !slices.Contains(doc.Generator.Unseen, want) {
			t.Errorf("unseen: %q", doc.Generator.Unseen)
		}
	})
}
