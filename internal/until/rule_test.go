package until

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// window runs one of so many seconds at most, whose times are by a function of the second.
func window(r Rule, of func(rng *rand.Rand, at time.Duration) float64) (*Window, Answer) {
	w, rng := NewWindow(r), rand.New(rand.NewPCG(1, 2))
	for w.length < r.Most {
		b := Batch{Length: Stretch, Times: make([]uint32, Bins)}
		for range 100 {
			v := of(rng, w.length)
			b.OK, b.Count, b.Sum = b.OK+1, b.Count+1, b.Sum+v
			b.Times[Bin(int64(v))]++
		}
		if w.Add(b) {
			break
		}
	}
	return w, w.End()
}

func noisy(rng *rand.Rand) float64 { return 1e6 * (1 + rng.Float64()) }

// What is steady is known, long before the most.
func TestWhatIsSteadyIsKnown(t *testing.T) {
	r := Rule{Measure: Percentile, Quantile: 0.5, Needs: 20, Within: 0.05, Most: 5 * time.Minute}
	w, a := window(r, func(rng *rand.Rand, _ time.Duration) float64 { return noisy(rng) })
	if !a.Known || !a.Steady || w.length > 20*time.Second || a.Interval.Low > 1.5e6 || a.Interval.High < 1.5e6 {
		t.Errorf("%+v after %v", a, w.length)
	}
	if half := a.Interval.Half(); half > 0.05 {
		t.Errorf("±%v", half)
	}
}

// What rises without an end is not known, however narrow its interval, and it is told.
func TestWhatRisesIsNotKnown(t *testing.T) {
	r := Rule{Measure: Percentile, Quantile: 0.5, Needs: 20, Within: 0.5, Most: time.Minute}
	w, a := window(r, func(rng *rand.Rand, at time.Duration) float64 { return noisy(rng) * (1 + at.Seconds()) })
	if a.Known || a.Steady || !strings.Contains(a.Why, "not steady: it rises") || w.length < time.Minute {
		t.Errorf("%+v after %v", a, w.length)
	}
}

// A window that would take far too long ends early, and says for how long it would go on.
func TestWhatWouldTakeTooLongEndsEarly(t *testing.T) {
	r := Rule{Measure: Mean, Within: 0.001, Most: time.Minute}
	w, a := window(r, func(rng *rand.Rand, _ time.Duration) float64 { return noisy(rng) * noisy(rng) / 1e6 })
	if a.Known || w.length > 45*time.Second || a.Takes < 3*time.Minute || !strings.Contains(a.Why, "shrinks too slowly") {
		t.Errorf("%+v after %v", a, w.length)
	}
}

// A percentile that so few times have not got says so, and how long it would take.
func TestTooFewTimesForAPercentile(t *testing.T) {
	r := Rule{Measure: Percentile, Quantile: 0.9999, Needs: 100_000, Within: 0.1, Most: time.Minute}
	_, a := window(r, func(rng *rand.Rand, _ time.Duration) float64 { return noisy(rng) })
	if a.Known || !strings.Contains(a.Why, "too few times") || a.Takes < 4*time.Minute || a.Takes > 5*time.Minute {
		t.Errorf("%+v", a)
	}
}

// Nothing that ended, or nothing that failed, is no figure.
func TestFiguresWithoutAValue(t *testing.T) {
	for want, r := range map[string]Rule{
		"none failed":               {Measure: Failed, Within: 0.1, Most: time.Minute},
		"no operation has ended ok": {Measure: Rate, Within: 0.1, Most: time.Minute},
	} {
		w := NewWindow(r)
		for range 60 {
			b := Batch{Length: Stretch, OK: 10}
			if r.Measure == Rate {
				b.OK = 0
			}
			w.Add(b)
		}
		if a := w.End(); a.Known || !strings.Contains(a.Why, want) {
			t.Errorf("%s: %+v", want, a)
		}
	}
}

// A share that fails at random is known by its binomial distribution at best.
func TestTheShareThatFailed(t *testing.T) {
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
func TestTheWarmUpEndsWhenItIsSteady(t *testing.T) {
	r := Rule{Measure: Percentile, Quantile: 0.5, Needs: 20, Within: 0.05}
	ended := func(slowFor time.Duration) time.Duration {
		w, rng := NewWarmup(r), rand.New(rand.NewPCG(5, 6))
		for at := time.Duration(0); at < time.Minute; at += Stretch {
			b := Batch{Length: Stretch, Times: make([]uint32, Bins)}
			for range 50 {
				v := noisy(rng) * (1 + 10*max(0, 1-at.Seconds()/slowFor.Seconds()))
				b.OK, b.Count = b.OK+1, b.Count+1
				b.Times[Bin(int64(v))]++
			}
			if w.Add(b) {
				return at + Stretch
			}
		}
		return time.Minute
	}
	if got := ended(time.Millisecond); got != 10*Stretch {
		t.Errorf("a steady one ends after %v", got)
	}
	if got := ended(5 * time.Second); got < 5*time.Second || got > 25*time.Second {
		t.Errorf("one of 5 s ends after %v", got)
	}
}

// A time is in the bin that begins at it or below it, and each bin is narrow.
func TestBins(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 10_000 {
		ns := rng.Int64N(1 << (1 + rng.IntN(42)))
		bin := Bin(ns)
		if bin >= Bins || low(bin) > float64(ns) || low(bin+1) <= float64(ns) || low(bin+1)-low(bin) > max(1, 0.016*float64(ns)+1) {
			t.Fatalf("%d is in bin %d, from %v to %v", ns, bin, low(bin), low(bin+1))
		}
	}
	if Bin(-1) != 0 || Bin(1<<62) != Bins-1 {
		t.Error("the ends")
	}
}
