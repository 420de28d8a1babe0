package until

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/stats"
)

// perSecond is how many operations a second the streams have.
const perSecond = 400

// stream makes times in ns, one operation after the other.
type stream struct {
	name  string
	next  func(*rand.Rand) func() float64
	exact func(Rule) float64 // nil: it is taken from many of them
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

// queue has the times in an M/M/1 queue of this load, wait and service, so that they are alike for longer the busier it
// is: by Lindley's recursion.
func queue(load float64) func(*rand.Rand) func() float64 {
	return func(rng *rand.Rand) func() float64 {
		wait := 0.0
		if rng.Float64() < load { // as in the long run from the first on
			wait = rng.ExpFloat64() / (1 - load)
		}
		return func() float64 {
			service := rng.ExpFloat64()
			took := wait + service
			wait = max(0, took-rng.ExpFloat64()/load)
			return scale(took)
		}
	}
}

// tailed are independent times with the tail of a Pareto distribution of this shape.
func tailed(shape float64) func(*rand.Rand) func() float64 {
	return func(rng *rand.Rand) func() float64 {
		return func() float64 { return scale(math.Pow(1-rng.Float64(), -1/shape)) }
	}
}

// steps are of a level that goes on for so many operations, about, and then is another one.
func steps(long float64) func(*rand.Rand) func() float64 {
	return func(rng *rand.Rand) func() float64 {
		level := rng.NormFloat64()
		return func() float64 {
			if rng.Float64() < 1/long {
				level = rng.NormFloat64()
			}
			return scale(math.Exp(0.2*level + 0.3*rng.NormFloat64()))
		}
	}
}

// batch is a quarter of a second of a stream.
func batch(rng *rand.Rand, next func() float64) Batch {
	b := Batch{Length: Stretch, Times: make([]uint32, stats.Bins)}
	for range perSecond * int(Stretch/time.Millisecond) / 1000 {
		v := next()
		b.OK, b.Count, b.Sum = b.OK+1, b.Count+1, b.Sum+v
		b.Times[stats.Bin(int64(v))]++
	}
	return b
}

// truth is what a figure of a stream is in the long run.
func truth(s stream, r Rule) float64 {
	if s.exact != nil {
		return s.exact(r)
	}
	next := s.next(rand.New(rand.NewPCG(7, 7)))
	all := Batch{Times: make([]uint32, stats.Bins)}
	for range 4_000_000 {
		v := next()
		all.Count, all.Sum = all.Count+1, all.Sum+v
		all.Times[stats.Bin(int64(v))]++
	}
	v, _ := r.figure(&all)
	return v
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

// TestIntervalCoversTruthWhenStopped simulates runs that stop as soon as the value is known, on autocorrelated streams.
// At least 93% of the intervals must contain the long-run value, and nine runs in ten must reach a known value. The
// seed is fixed; make nightly simulates 500 runs of each stream instead of 20, with wider bounds.
func TestIntervalCoversTruthWhenStopped(t *testing.T) {
	const seed = 20261124
	n := 20
	if os.Getenv("PLIMSOLL_NIGHTLY") != "" {
		n = 500
	}
	most := 5 * time.Minute
	p50 := Rule{Measure: Percentile, Quantile: 0.5, Needs: 20, Within: 0.05, Most: most}
	p90 := Rule{Measure: Percentile, Quantile: 0.9, Needs: 100, Within: 0.15, Most: most}
	p99 := Rule{Measure: Percentile, Quantile: 0.99, Needs: 1000, Within: 0.2, Most: most}
	mean := Rule{Measure: Mean, Within: 0.1, Most: most}
	all := map[string]stream{}
	for _, s := range streams() {
		all[s.name] = s
	}
	for at, test := range []struct {
		name, stream string
		Rule
	}{
		{"p50 ±5%", "AR(1) 0", p50}, {"p99 ±20%", "AR(1) 0", p99}, {"p50 ±5%", "bursts of 10", p50},
		{"mean ±10%", "bursts of 10", mean}, {"p90 ±15%", "bursts of 50", p90}, {"p90 ±15%", "AR(1) 0.9", p90},
		{"p99 ±20%", "AR(1) 0.9", p99}, {"mean ±10%", "AR(1) 0.97", mean}, {"p90 ±15%", "AR(1) 0.99", p90},
		{"p99 ±20%", "regimes of 100", p99}, {"p90 ±15%", "steps of 400", p90}, {"p90 ±15%", "M/M/1 0.5", p90},
		{"p99 ±20%", "Pareto 3", p99}, {"mean ±10%", "Pareto 3", mean},
	} {
		got := trials(all[test.stream], test.Rule, seed+uint64(at), n)
		t.Logf("%-11s %-15s known in %d of %d, of which %.1f%% cover; %.0f s each", test.name, test.stream, got.known, n,
			100*float64(got.covered)/float64(got.known), got.length)
		least, known := 0.93, n*9/10
		if n < 500 {
			least, known = 0.8, n*3/4
		}
		if float64(got.covered) < least*float64(got.known) || got.known < known {
			t.Errorf("%s of %s: %d of %d known, %d cover (seed %d)", test.name, test.stream, got.known, n, got.covered, seed)
		}
	}
}

// BenchmarkCoverageOfManyStreams is a table for people, by -v: PLIMSOLL_COVERAGE is how many seeds (1), each of which
// takes minutes, and ONLY which rows.
func BenchmarkCoverageOfManyStreams(b *testing.B) {
	seeds := 1
	if n, err := strconv.Atoi(os.Getenv("PLIMSOLL_COVERAGE")); err == nil && n > 0 {
		seeds = n
	}
	for b.Loop() {
		coverage(b, seeds)
	}
}

func coverage(b *testing.B, seeds int) {
	only := regexp.MustCompile(os.Getenv("ONLY"))
	const perSeed = 250
	most := 5 * time.Minute
	rules := map[string]Rule{
		"p50 ±5%":   {Measure: Percentile, Quantile: 0.5, Needs: 20, Within: 0.05, Most: most},
		"p90 ±15%":  {Measure: Percentile, Quantile: 0.9, Needs: 100, Within: 0.15, Most: most},
		"p99 ±20%":  {Measure: Percentile, Quantile: 0.99, Needs: 1000, Within: 0.2, Most: most},
		"p99 ±10%":  {Measure: Percentile, Quantile: 0.99, Needs: 1000, Within: 0.1, Most: most},
		"mean ±10%": {Measure: Mean, Within: 0.1, Most: most},
	}
	for _, s := range streams() {
		for _, name := range slices.Sorted(maps.Keys(rules)) {
			if !only.MatchString(s.name + " " + name) {
				continue
			}
			known, covered, length := 0, 0, 0.0
			for seed := range seeds {
				got := trials(s, rules[name], uint64(1000+seed), perSeed)
				known, covered, length = known+got.known, covered+got.covered, length+got.length/float64(seeds)
			}
			mark := ""
			if float64(covered) < 0.93*float64(known) {
				mark = "  <<<"
			}
			b.Logf("%-10s %-16s known %5.1f%%, cover %5.1f%%; %.0f s each%s", name, s.name, 100*float64(known)/perSeed/float64(seeds),
				100*float64(covered)/float64(known), length, mark)
		}
	}
}

// streams are all kinds of them.
func streams() []stream {
	list := []stream{
		{"regimes of 100", regimes(100), nil}, {"regimes of 400", regimes(400), nil}, {"regimes of 2000", regimes(2000), nil},
		{"bursts of 10", bursts(10, 500), nil}, {"bursts of 50", bursts(50, 2000), nil},
		{"steps of 400", steps(400), nil}, {"steps of 2000", steps(2000), nil}, {"steps of 8000", steps(8000), nil},
	}
	for _, rho := range []float64{0, 0.5, 0.9, 0.97, 0.99, 0.997} {
		list = append(list, stream{fmt.Sprintf("AR(1) %v", rho), auto(rho), lognormal})
	}
	for _, load := range []float64{0.5, 0.8, 0.9, 0.95} {
		list = append(list, stream{fmt.Sprintf("M/M/1 %v", load), queue(load), func(r Rule) float64 {
			if r.Measure == Mean {
				return scale(1 / (1 - load))
			}
			return scale(-math.Log(1-r.Quantile) / (1 - load))
		}})
	}
	for _, shape := range []float64{2.2, 3} {
		list = append(list, stream{fmt.Sprintf("Pareto %v", shape), tailed(shape), func(r Rule) float64 {
			if r.Measure == Mean {
				return scale(shape / (shape - 1))
			}
			return scale(math.Pow(1-r.Quantile, -1/shape))
		}})
	}
	return list
}

// lognormal is a figure of the times of auto, which are the same for each rho.
func lognormal(r Rule) float64 {
	if r.Measure == Mean {
		return scale(math.Exp(0.125))
	}
	return scale(math.Exp(0.5 * math.Sqrt2 * math.Erfinv(2*r.Quantile-1)))
}
