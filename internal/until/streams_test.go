package until

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"
)

// perSecond is how many operations a second the streams have.
const perSecond = 400

// stream makes times in ns, one operation after the other.
type stream struct {
	name string
	next func(*rand.Rand) func() float64
}

func scale(v float64) float64 { return 1e6 * v }

// auto has times whose logarithm is autoregressive, so that neighbours are alike over 1/(1−rho) operations.
func auto(rho float64) func(*rand.Rand) func() float64 {
	return func(rng *rand.Rand) func() float64 {
		level := rng.NormFloat64()
		return func() float64 {
			level = rho*level + math.Sqrt(1-rho*rho)*rng.NormFloat64()
			return scale(math.Exp(0.5 * level))
		}
	}
}

// regimes are a third of the time twice as slow, for about so many operations each time.
func regimes(slowFor float64) func(*rand.Rand) func() float64 {
	return func(rng *rand.Rand) func() float64 {
		slow := rng.Float64() < 1./3
		return func() float64 {
			if slow && rng.Float64() < 1/slowFor || !slow && rng.Float64() < 1/(2*slowFor) {
				slow = !slow
			}
			v := math.Exp(0.3 * rng.NormFloat64())
			if slow {
				v *= 2
			}
			return scale(v)
		}
	}
}

// bursts are so many operations that are five times as slow, together, once in so many.
func bursts(long, every float64) func(*rand.Rand) func() float64 {
	return func(rng *rand.Rand) func() float64 {
		left := 0
		return func() float64 {
			if left == 0 && rng.Float64() < 1/every {
				left = 1 + int(rng.ExpFloat64()*long)
			}
			v := math.Exp(0.3 * rng.NormFloat64())
			if left > 0 {
				left--
				v *= 5
			}
			return scale(v)
		}
	}
}

// batch is a quarter of a second of a stream.
func batch(rng *rand.Rand, next func() float64) Batch {
	b := Batch{Length: Stretch, Times: make([]uint32, Bins)}
	for range perSecond * int(Stretch/time.Millisecond) / 1000 {
		v := next()
		b.OK, b.Count, b.Sum = b.OK+1, b.Count+1, b.Sum+v
		b.Times[Bin(int64(v))]++
	}
	return b
}

// truth is what a figure of a stream is in the long run.
func truth(s stream, r Rule) float64 {
	next := s.next(rand.New(rand.NewPCG(7, 7)))
	all := Batch{Times: make([]uint32, Bins)}
	for range 4_000_000 {
		v := next()
		all.Count, all.Sum = all.Count+1, all.Sum+v
		all.Times[Bin(int64(v))]++
	}
	return r.plain(&all)
}

// stopped is what so many runs of a stream came to at the moment when they stopped.
type stopped struct {
	known, covered, steady int
	length                 float64 // mean, s
}

func trials(s stream, r Rule, seed uint64, n int) (all stopped) {
	want := truth(s, r)
	var mu sync.Mutex
	var running sync.WaitGroup
	jobs := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		running.Go(func() {
			for trial := range jobs {
				rng := rand.New(rand.NewPCG(seed, uint64(trial)))
				next, w := s.next(rng), NewWindow(r)
				for w.length < r.Most && !w.Add(batch(rng, next)) {
				}
				a := w.End()
				mu.Lock()
				all.length += w.length.Seconds() / float64(n)
				if a.Steady {
					all.steady++
				}
				if a.Known {
					all.known++
					if a.Interval.Low <= want && want <= a.Interval.High {
						all.covered++
					}
				}
				mu.Unlock()
			}
		})
	}
	for trial := range n {
		jobs <- trial
	}
	close(jobs)
	running.Wait()
	return all
}

// TestCoversAtTheMomentOfStopping: of 500 runs that stop when they know enough, on streams whose neighbours are alike, at
// least 93 % have an interval that contains what the figure is in the long run. A run that says that it does not know
// has said nothing wrong.
func TestCoversAtTheMomentOfStopping(t *testing.T) {
	const seed = 20261123
	n := 500
	if testing.Short() {
		n = 60
	}
	most := 5 * time.Minute
	p50 := Rule{Measure: Percentile, Quantile: 0.5, Needs: 20, Within: 0.05, Most: most}
	p90 := Rule{Measure: Percentile, Quantile: 0.9, Needs: 100, Within: 0.15, Most: most}
	p99 := Rule{Measure: Percentile, Quantile: 0.99, Needs: 1000, Within: 0.2, Most: most}
	mean := Rule{Measure: Mean, Within: 0.1, Most: most}
	for _, test := range []struct {
		name string
		stream
		Rule
	}{
		{"p50 ±5 %", independent(), p50}, {"p99 ±20 %", independent(), p99},
		{"p50 ±5 %", stream{"bursts of 10", bursts(10, 500)}, p50}, {"mean ±10 %", stream{"bursts of 10", bursts(10, 500)}, mean},
		{"p90 ±15 %", stream{"AR(1) 0.9", auto(0.9)}, p90}, {"p99 ±20 %", stream{"AR(1) 0.9", auto(0.9)}, p99},
		{"mean ±10 %", stream{"AR(1) 0.97", auto(0.97)}, mean}, {"p99 ±20 %", stream{"regimes of 100", regimes(100)}, p99},
	} {
		got := trials(test.stream, test.Rule, seed, n)
		t.Logf("%-11s %-15s known in %d of %d, of which %.1f %% cover; %.0f s each", test.name, test.stream.name, got.known, n,
			100*float64(got.covered)/float64(got.known), got.length)
		if float64(got.covered) < 0.93*float64(got.known)-float64(500-n)/100 || got.known < n*9/10 {
			t.Errorf("%s of %s: %d of %d known, %d cover (seed %d)", test.name, test.stream.name, got.known, n, got.covered, seed)
		}
	}
}

func independent() stream { return stream{"independent", auto(0)} }
