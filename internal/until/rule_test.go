package until

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/stats"
)

// window runs one of so many seconds at most, whose times are by a function of the second.
func window(r Rule, of func(rng *rand.Rand, at time.Duration) float64) (*Window, Answer) {
	w, rng := NewWindow(r), rand.New(rand.NewPCG(1, 2))
	for w.length < r.Most {
		b := Batch{Length: Stretch, Times: make([]uint32, stats.Bins)}
		for range 100 {
			v := of(rng, w.length)
			b.OK, b.Count, b.Sum = b.OK+1, b.Count+1, b.Sum+v
			b.Times[stats.Bin(int64(v))]++
		}
		if w.Add(b) {
			break
		}
	}
	return w, w.End()
}

func noisy(rng *rand.Rand) float64 { return 1e6 * (1 + rng.Float64()) }

// What is steady is known, long before the most.
func TestSteadyValueIsKnown(t *testing.T) {
	r := Rule{Measure: Percentile, Quantile: 0.5, Needs: 20, Within: 0.05, Most: 5 * time.Minute}
	w, a := window(r, func(rng *rand.Rand, _ time.Duration) float64 { return noisy(rng) })
	if !a.Known || !a.Steady || w.length > 50*time.Second || a.Interval.Low > 1.5e6 || a.Interval.High < 1.5e6 {
		t.Errorf("%+v after %v", a, w.length)
	}
	if half := a.Interval.Half(); half > 0.05 {
		t.Errorf("±%v", half)
	}
}

// What rises without an end is not known, however narrow its interval, and it is told.
func TestRisingValueIsNotKnown(t *testing.T) {
	r := Rule{Measure: Percentile, Quantile: 0.5, Needs: 20, Within: 0.5, Most: time.Minute}
	w, a := window(r, func(rng *rand.Rand, at time.Duration) float64 { return noisy(rng) * (1 + at.Seconds()) })
	if a.Known || a.Steady || !strings.Contains(a.Why, "not steady: it rises") || w.length < time.Minute {
		t.Errorf("%+v after %v", a, w.length)
	}
}

// A window that would take far too long ends early, and says for how long it would go on.
func TestHopelessWindowEndsEarly(t *testing.T) {
	r := Rule{Measure: Mean, Within: 0.001, Most: time.Minute}
	w, a := window(r, func(rng *rand.Rand, _ time.Duration) float64 { return noisy(rng) * noisy(rng) / 1e6 })
	if a.Known || w.length > 45*time.Second || a.Takes < 3*time.Minute || !strings.Contains(a.Why, "far longer than the maximum") {
		t.Errorf("%+v after %v", a, w.length)
	}
}

// A percentile that so few times have not got says so, and how long it would take.
func TestTooFewTimesForAPercentile(t *testing.T) {
	r := Rule{Measure: Percentile, Quantile: 0.9999, Needs: 100_000, Within: 0.1, Most: time.Minute}
	_, a := window(r, func(rng *rand.Rand, _ time.Duration) float64 { return noisy(rng) })
	if a.Known || !strings.Contains(a.Why, "too few values") || a.Takes < 4*time.Minute || a.Takes > 5*time.Minute {
		t.Errorf("%+v", a)
	}
}

// A rate without successful operations and a share of failures of none or of all have no interval.
func TestMetricWithoutValueIsNotKnown(t *testing.T) {
	for _, test := range []struct {
		measure    Measure
		ok, failed int64
		want       string
	}{
		{Failed, 10, 0, "operations succeeded, so"},
		{Failed, 0, 10, "operations failed"},
		{Failed, 0, 0, "no operation has completed"},
		{Rate, 0, 0, "no operation has succeeded"},
	} {
		want, r := test.want, Rule{Measure: test.measure, Within: 0.1, Most: time.Minute}
		w := NewWindow(r)
		for at := time.Duration(0); at < r.Most; at += Stretch {
			if w.Add(Batch{Length: Stretch, OK: test.ok, Failed: test.failed}) { // it ends early
				break
			}
		}
		if w.length > 40*time.Second {
			t.Errorf("%s: after %v", want, w.length)
		}
		if a := w.End(); a.Known || !strings.Contains(a.Why, want) {
			t.Errorf("%s: %+v", want, a)
		}
	}
}

// A share that fails at random is known by its binomial distribution at best.
func TestFailureRateIsKnown(t *testing.T) {
	w, rng := NewWindow(Rule{Measure: Failed, Within: 0.2, Most: time.Hour}), rand.New(rand.NewPCG(3, 4))
	for w.length < time.Hour {
		b := Batch{Length: Stretch}
		for range 100 {
			if rng.Float64() < 0.02 {
				b.Failed++
			} else {
				b.OK++
			}
		}
		if w.Add(b) {
			break
		}
	}
	if a := w.End(); !a.Known || a.Interval.Low > 0.02 || a.Interval.High < 0.02 || w.length > 2*time.Minute {
		t.Errorf("%+v after %v", a, w.length)
	}
}

// The warm-up goes on while it gets faster, and ends when it does so no more.
func TestWarmupEndsWhenSteady(t *testing.T) {
	r := Rule{Measure: Percentile, Quantile: 0.5, Needs: 20, Within: 0.05}
	ended := func(slowFor time.Duration) time.Duration {
		w, rng := NewWarmup(r), rand.New(rand.NewPCG(5, 6))
		for at := time.Duration(0); at < time.Minute; at += Stretch {
			b := Batch{Length: Stretch, Times: make([]uint32, stats.Bins)}
			for range 50 {
				v := noisy(rng) * (1 + 10*max(0, 1-at.Seconds()/slowFor.Seconds()))
				b.OK, b.Count = b.OK+1, b.Count+1
				b.Times[stats.Bin(int64(v))]++
			}
			if w.Add(b) != w.Steady() {
				t.Errorf("Steady returns %v after %v", w.Steady(), at)
			}
			if w.Steady() {
				return at + Stretch
			}
		}
		return time.Minute
	}
	if got := ended(time.Millisecond); got < 5*time.Second || got > 8*time.Second {
		t.Errorf("a steady one ends after %v", got)
	}
	if got := ended(5 * time.Second); got < 5*time.Second || got > 25*time.Second {
		t.Errorf("one of 5 s ends after %v", got)
	}
}

// A server that is slow for its first seconds and then is not, which is no trend over ten slices, is waited for; one
// that is so by a tenth, or that is slow for a moment, is not.
func TestWarmupWaitsForAStep(t *testing.T) {
	for _, measure := range []Rule{{Measure: Percentile, Quantile: 0.99, Needs: 1000}, {Measure: Percentile, Quantile: 0.5},
		{Measure: Mean}, {Measure: Rate}} {
		for _, slowFor := range []time.Duration{0, 1500 * time.Millisecond, 3 * time.Second, 4500 * time.Millisecond} {
			early, late := 0, 0
			for seed := range uint64(10) {
				w, rng, at := NewWarmup(measure), rand.New(rand.NewPCG(seed, 6)), time.Duration(0)
				for ended := false; !ended; at += Stretch {
					b, slow := Batch{Length: Stretch, Times: make([]uint32, stats.Bins)}, 1.0
					if at < slowFor {
						slow = 1.6
					}
					for range int(200 / slow) {
						v := noisy(rng) * slow
						b.OK, b.Count, b.Sum = b.OK+1, b.Count+1, b.Sum+v
						b.Times[stats.Bin(int64(v))]++
					}
					ended = w.Add(b)
				}
				if at < slowFor {
					early++
				}
				if at > 2*slowFor+8*time.Second {
					late++
				}
			}
			if early > 0 || late > 1 {
				t.Errorf("slow for %v, measure %d: of 10 warm-ups %d end before, and %d late", slowFor, measure.Measure, early, late)
			}
		}
	}
}

// A stretch without operations has no figure, and a share that was nothing has no ratio: neither is told as a number.
func TestMissingValuesAreNoTrend(t *testing.T) {
	w := NewWindow(Rule{Measure: Percentile, Quantile: 0.5, Within: 0.1, Most: time.Hour})
	for i := range 40 {
		b := Batch{Length: Stretch, Times: make([]uint32, stats.Bins)}
		if i >= 20 {
			b.OK, b.Count = 1, 1
			b.Times[stats.Bin(1e6)]++
		}
		w.batches.Add(b)
	}
	if trend := w.trend(w.batches.All(), apart); trend != "" {
		t.Error(trend)
	}
	w = NewWindow(Rule{Measure: Failed, Within: 0.1, Most: time.Hour})
	for i := range 40 {
		w.batches.Add(Batch{Length: Stretch, OK: 100, Failed: int64(max(0, i-16))})
	}
	if trend := w.trend(w.batches.All(), apart); !strings.HasSuffix(trend, "in the first 30% of the window") {
		t.Error(trend)
	}
}
