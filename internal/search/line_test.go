package search_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/plimsoll/plimsoll/internal/search"
	"github.com/plimsoll/plimsoll/setdoc"
)

const (
	lowestRate  = 2
	highestRate = 1_000_000
)

// ends searches a server that meets a load or not, and gives back the probes.
func ends(t *testing.T, l *search.Line, meets func(load float64) bool) (loads []float64, met []bool) {
	t.Helper()
	for load, ok := l.Next(); ok; load, ok = l.Next() {
		if load < l.Lowest || load > l.Highest || l.Whole && load != math.Trunc(load) {
			t.Fatalf("probe %d is of %v", len(loads), load)
		}
		if again, _ := l.Next(); again != load {
			t.Fatalf("probe %d is of %v, asked again of %v", len(loads), load, again)
		}
		loads, met = append(loads, load), append(met, meets(load))
		l.Took(load, met[len(met)-1])
		if len(loads) > 200 {
			t.Fatalf("no end")
		}
	}
	return loads, met
}

func line(start float64) *search.Line {
	return &search.Line{Start: start, Lowest: lowestRate, Highest: highestRate}
}

// A server that is the same at each probe.
func TestSearchFindsASharpLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for range 20 {
		capacity := 4 * math.Pow(10, r.Float64()*5)
		l := line(2 * math.Pow(10, r.Float64()*4))
		loads, _ := ends(t, l, func(load float64) bool { return load <= capacity })
		f := l.Found()
		if f.Ending != setdoc.LineFound || f.Low > capacity || f.High < capacity || f.Load < capacity*0.95 || f.Load > capacity*1.05 {
			t.Errorf("%v from %v: %+v", capacity, l.Start, f)
		}
		if f.Probes > 30 || f.Probes >= len(loads) || f.Drift != nil {
			t.Errorf("%v from %v: %d probes, %+v", capacity, l.Start, len(loads), f)
		}
	}
}

func TestSearchReportsALimitOutsideItsBounds(t *testing.T) {
	for _, c := range []struct {
		ending string
		meets  bool
	}{{setdoc.LineAbove, true}, {setdoc.LineBelow, false}} {
		l := line(45)
		loads, _ := ends(t, l, func(float64) bool { return c.meets })
		if f := l.Found(); f.Ending != c.ending || f.Probes < 1 || f.Probes > 8 {
			t.Errorf("%+v after %v", f, loads)
		}
	}
}

// One probe of twenty says the contrary, and the first of all.
func TestSearchToleratesFalseProbes(t *testing.T) {
	seeds, least := 6, 5
	if nightly {
		seeds, least = 20, 18
	}
	for _, capacity := range []float64{30, 900, 40_000} {
		right := 0
		for seed := range uint64(seeds) {
			r, n := rand.New(rand.NewPCG(seed, 1)), 0
			l := line(45)
			ends(t, l, func(load float64) bool {
				n++
				return load <= capacity != (n == 1 || r.Float64() < 0.05)
			})
			if f := l.Found(); f.Low <= capacity && capacity <= f.High && f.Probes <= 60 {
				right++
			}
		}
		if right < least {
			t.Errorf("%v: %d of %d", capacity, right, seeds)
		}
	}
}

// What a line does next follows from the probes alone.
func TestSearchIsAFunctionOfItsProbes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	first := line(100)
	loads, met := ends(t, first, func(load float64) bool { return math.Log(load/700)+0.1*r.NormFloat64() < 0 })
	second := line(100)
	for i := range loads {
		second.Took(loads[i], met[i])
	}
	a, b := first.Found(), second.Found()
	if a.Load != b.Load || a.Low != b.Low || a.High != b.High || a.Ending != b.Ending || a.Probes != b.Probes ||
		!slices.Equal(a.Drift, b.Drift) {
		t.Errorf("%+v, told again %+v", a, b)
	}
}

// Few clients are not known to 5%, but to one.
func TestSearchOfWholeLoads(t *testing.T) {
	for most := range 40 {
		l := &search.Line{Start: 4, Lowest: 1, Highest: 1000, Whole: true}
		ends(t, l, func(load float64) bool { return load <= float64(most) })
		f := l.Found()
		if most == 0 {
			if f.Ending != setdoc.LineBelow {
				t.Errorf("none: %+v", f)
			}
			continue
		}
		if f.Ending != setdoc.LineFound || f.Low > float64(most) || f.High < float64(most) || math.Abs(f.Load-float64(most)) > 0.05*float64(most) {
			t.Errorf("%d clients: %+v", most, f)
		}
		if most < 12 && f.High-f.Low > 1 || f.High-f.Low > 0.09*float64(most)+2 || f.Probes > 20 {
			t.Errorf("%d clients: %+v", most, f)
		}
	}
}

// A document may say anything of its probes.
func TestSearchToleratesNonsense(t *testing.T) {
	l := line(100)
	for _, load := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		l.Took(load, true)
	}
	if load, ok := l.Next(); load != 100 || !ok {
		t.Errorf("%v, %v", load, ok)
	}
	for range 100_000 {
		l.Took(100, true)
	}
	if f := l.Found(); f.Ending != setdoc.LineWide || f.Load != 0 {
		t.Errorf("%+v", f)
	}
	for _, extreme := range []float64{math.SmallestNonzeroFloat64, math.MaxFloat64} {
		l = line(100)
		l.Took(extreme, true)
		l.Took(1/extreme, false)
		for range 100 {
			l.Took(extreme, extreme > 1)
			l.Took(100, extreme > 1)
		}
		if f := l.Found(); math.IsNaN(f.Load) || math.IsNaN(f.Low) || math.IsNaN(f.High) || math.IsNaN(f.Spread) {
			t.Errorf("%v: %+v", extreme, f)
		}
	}
	l = line(100)
	l.Took(100, false)
	l.Took(50, true)
	for range 100_000 {
		l.Took(70, false)
	}
	if f := l.Found(); f.Ending == "" || f.Probes > 60 {
		t.Errorf("%+v", f)
	}
}

// Of a server that is slower for eight probes and then faster, the interval has the line in it about as often as it says,
// and is no narrower for not having seen it change.
func TestSearchToleratesCorrelatedProbes(t *testing.T) {
	const line, stays = 700, 8
	seeds, least := 12, 9
	if nightly {
		seeds, least = 60, 53 // 51 without the variance of the mean in the autocorrelation
	}
	right := 0
	for seed := range uint64(seeds) {
		r, at, slower := rand.New(rand.NewPCG(seed, 4)), 0, 0.0
		l := &search.Line{Start: 100, Lowest: lowestRate, Highest: highestRate}
		ends(t, l, func(load float64) bool {
			if at++; at%stays == 1 {
				slower = 0.05 * r.NormFloat64()
			}
			return math.Log(load/line) < slower+0.01*r.NormFloat64()
		})
		if f := l.Found(); f.Low <= line && line <= f.High {
			right++
		}
	}
	t.Logf("%d of %d are right", right, seeds)
	if right < least {
		t.Errorf("%d of %d are right", right, seeds)
	}
}

// Without a probe that failed, or one that met the condition, the load is not known: an estimate would lie beyond the
// loads that were tried.
func TestOneSideIsNoLoad(t *testing.T) {
	for _, met := range []bool{true, false} {
		l := search.Line{Start: 100, Lowest: 50, Highest: 200}
		for {
			load, ok := l.Next()
			if !ok {
				break
			}
			l.Took(load, met)
			if f := l.Found(); f.Load != 0 || f.High != 0 {
				t.Fatalf("met %v: %+v", met, f)
			}
		}
		if f := l.Found(); f.Ending != setdoc.LineAbove && f.Ending != setdoc.LineBelow {
			t.Errorf("met %v: %+v", met, f)
		}
	}
}
