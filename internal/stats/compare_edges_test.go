package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The variance of a mean is that of independent values, of stretches, or of a process that forgets, whichever is largest.
func TestEdgesOfMeans(t *testing.T) {
	rng := rand.New(rand.NewPCG(firstSeed, 18))
	level := 0.0
	const rising = 2
	for _, rho := range []float64{-0.9, 0, 0.2, 0.5, 0.9, 0.999, rising} {
		for _, n := range []int{20, 40, 300} {
			x := make([]float64, n)
			for i := range x {
				if level = rho*level + rng.NormFloat64(); rho == rising {
					level = float64(i)
				}
				x[i] = 10 + level
			}
			ends := stretches(Series{Values: make([]int64, n)})
			mean, squares, products := 0.0, 0.0, 0.0
			for _, v := range x {
				mean += v
			}
			mean /= float64(n)
			for i, v := range x {
				squares += (v - mean) * (v - mean)
				if i > 0 {
					products += (v - mean) * (x[i-1] - mean)
				}
			}
			want, r := squares/float64(n-1)/float64(n), products/squares
			if r += (1 + 3*r) / float64(n); r > 0 {
				r = min(r, 1-1/float64(n))
				want *= (1 + r) / (1 - r)
			}
			var moves []float64
			from := 0
			for _, to := range ends {
				move := 0.0
				for _, v := range x[from:to] {
					move += (v - mean) / float64(n)
				}
				moves, from = append(moves, move), to
			}
			sum, alike, count := powers(moves, 2), 0.0, float64(len(moves))
			for i, m := range moves[1:] {
				alike += m * moves[i]
			}
			of := sum * count / (count - 1)
			if r := alike/sum + (1+3*alike/sum)/count; r > 0.3 {
				r = min(r, 0.9)
				of *= (1 + r) / (1 - r)
			}
			if len(ends) != 15 || !near(between(x, ends, mean), of) {
				t.Errorf("%d of %v: %v between %d, not %v", n, rho, between(x, ends, mean), len(ends), of)
			}
			if m, v := meanOf(x, ends); !near(m, mean) || !near(v, max(want, of)) {
				t.Errorf("%d of %v: %v ± %v, not %v ± %v", n, rho, m, v, mean, max(want, of))
			}
		}
	}
	if m, v := meanOf([]float64{3, 3, 3, 3}, []int{2, 4}); m != 3 || v != 0 {
		t.Errorf("of the same: %v ± %v", m, v)
	}
	if v := between([]float64{1, 2}, []int{2}, 1); v != 0 {
		t.Errorf("of one stretch: %v", v)
	}
	if v := between([]float64{1, 1, 1}, []int{1, 3}, 1); v != 0 {
		t.Errorf("of the same: %v", v)
	}
	for _, test := range []struct {
		n      int
		rounds []int
		want   []int
	}{
		{16, []int{2, 2, 2, 2, 2, 2, 2, 2}, []int{2, 4, 6, 8, 10, 12, 14, 16}},
		{16, []int{2, 0, 2, 2, 2, 2, 2, 2, 2}, []int{2, 4, 6, 8, 10, 12, 14, 16}},
		{14, []int{2, 2, 2, 2, 2, 2, 2}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}},
		{16, []int{2, 2, 2, 2, 2, 2, 2, 1}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16}},
		{16, []int{2, 2, 2, 2, 2, 2, 2, 3}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16}},
		{16, []int{2, -1, 2, 2, 2, 2, 2, 2, 3}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16}},
		{9, []int{1, 1, 1, 1, 1, 1, 1, 2}, []int{1, 2, 3, 4, 5, 6, 7, 9}}, {3, nil, []int{1, 2, 3}}, {0, nil, nil},
	} {
		if got := stretches(Series{Values: make([]int64, test.n), Rounds: test.rounds}); !slices.Equal(got, test.want) {
			t.Errorf("%d in %v: %v", test.n, test.rounds, got)
		}
	}
	if got := placements([]int64{1, 2, 3, 9}, []int64{2, 2, 3, 5}); !slices.Equal(got, []float64{0, 0.25, 0.625, 1}) {
		t.Errorf("%v", got)
	}
}

// What is said of a difference depends on its P, its interval and what matters, each with its edges.
func TestEdgesOfOutcomes(t *testing.T) {
	for _, test := range []struct {
		s        Shift
		p, least float64
		want     Outcome
	}{
		{Shift{Before: 100, Diff: 10, Lo: 1, Hi: 19}, 0.049, 0.1, Worse}, {Shift{Before: 100, Diff: 10, Lo: 1, Hi: 19}, 0.05, 0.1, CannotTell},
		{Shift{Before: 100, Diff: 9.9, Lo: 1, Hi: 19}, 0.01, 0.1, CannotTell}, {Shift{Before: 100, Diff: 10, Lo: 0, Hi: 19}, 0.01, 0.1, CannotTell},
		{Shift{Before: 100, Diff: -10, Lo: -19, Hi: -1}, 0.049, 0.1, Better}, {Shift{Before: 100, Diff: -10, Lo: -19, Hi: -1}, 0.05, 0.1, CannotTell},
		{Shift{Before: 100, Diff: -9.9, Lo: -19, Hi: -1}, 0.01, 0.1, CannotTell}, {Shift{Before: 100, Diff: -10, Lo: -19, Hi: 0}, 0.01, 0.1, CannotTell},
		{Shift{Before: 100, Diff: 0, Lo: -10, Hi: 10}, 1, 0.1, Same}, {Shift{Before: 100, Diff: 0, Lo: -10.1, Hi: 10}, 1, 0.1, CannotTell},
		{Shift{Before: 100, Diff: 0, Lo: -10, Hi: 10.1}, 1, 0.1, CannotTell}, {Shift{Before: 100}, 1, 0, Same},
		{Shift{Before: 0}, 1, 0.1, CannotTell}, {Shift{Before: 100, Absent: "few"}, 1, 0.1, CannotTell},
		{Shift{Before: 100}, 1, -0.1, CannotTell}, {Shift{Before: 100}, 1, math.NaN(), CannotTell}, {Shift{Before: math.NaN()}, 1, 0.1, CannotTell},
		{Shift{Before: 100, Diff: 5, Lo: 1, Hi: 9}, 0.01, 0.1, Same}, {Shift{Before: 1, Diff: 0.5, Lo: 0.4, Hi: 0.6}, 0.01, 0.5, Worse},
	} {
		if got := test.s.Outcome(test.p, test.least); got != test.want {
			t.Errorf("%+v with %v, %v: %s", test.s, test.p, test.least, got)
		}
	}
	// Documents and reports have these words.
	for outcome, want := range map[Outcome]string{Better: "better", Worse: "worse", Same: "same", CannotTell: "cannot tell"} {
		if string(outcome) != want {
			t.Errorf("%q is called %q", want, outcome)
		}
	}
	// Wallace's normal approximation, by its formula.
	for _, f := range []float64{1, 3, 29} {
		for _, v := range []float64{-2, 0, 0.5, 3} {
			want := math.Erfc(math.Sqrt(f*math.Log(1+v*v/f)) * (f + 0.125) / (f + 0.375) / math.Sqrt2)
			if got := studentP(v, f); !near(got, want) {
				t.Errorf("t of %v with %v: %v, not %v", v, f, got, want)
			}
		}
	}
}

// The interval of a median, of values that are not alike and that are, and which comparisons have none.
func TestEdgesOfMedians(t *testing.T) {
	rng := rand.New(rand.NewPCG(firstSeed, 19))
	inTurn, spells := make([]int64, 60), make([]int64, 60)
	for i := range inTurn {
		inTurn[i] = 1000 + int64(100*(i%2)) + rng.Int64N(50)
		spells[i] = 1000 + int64(100*(i/4%2)) + rng.Int64N(50)
	}
	for name, values := range map[string][]int64{"in turn": inTurn, "spells": spells, "with ties": slices.Repeat([]int64{1, 2, 2, 3, 2}, 8)} {
		s := newSeries(Series{Values: values})
		median := Percentile(s.sorted, 0.5)
		below := make([]float64, len(values))
		for i, v := range values {
			below[i] = map[bool]float64{true: 1}[float64(v) < median] + map[bool]float64{true: 0.5}[float64(v) == median]
		}
		n := float64(len(values))
		_, variance := meanOf(below, s.ends)
		dependence := max(1, 4*n*variance)
		reach := student975(14) * math.Sqrt(dependence/n) / 2
		low, high, dep := s.medianInterval()
		if !near(low, Percentile(s.sorted, 0.5-reach)) || !near(high, Percentile(s.sorted, 0.5+reach)) || !near(dep, dependence) {
			t.Errorf("%s: %v to %v, %v", name, low, high, dep)
		}
		other := newSeries(Series{Values: inTurn})
		got := CompareMedians(Series{Values: values}, Series{Values: inTurn})
		otherLow, otherHigh, otherDep := other.medianInterval()
		now := Percentile(other.sorted, 0.5)
		lo, hi := now-median-math.Hypot(now-otherLow, high-median), now-median+math.Hypot(otherHigh-now, median-low)
		if got.Absent != "" || !near(got.Lo, lo) || !near(got.Hi, hi) || !near(got.Dependence, max(dep, otherDep)) || got.Before != median ||
			got.Now != now || !near(got.P, max(got.Whitney, placementP(s, other))) {
			t.Errorf("%s: %+v, not %v to %v", name, got, lo, hi)
		}
	}
	// Placements of two samples whose P follows from Welch's t.
	a, b := newSeries(Series{Values: spells}), newSeries(Series{Values: inTurn})
	meanA, varA := meanOf(placements(a.values, b.sorted), a.ends)
	meanB, varB := meanOf(placements(b.values, a.sorted), b.ends)
	v := varA + varB
	if want := studentP((meanB-meanA)/2/math.Sqrt(v), v*v/(varA*varA/14+varB*varB/14)); !near(placementP(a, b), want) {
		t.Errorf("P of placements: %v, not %v", placementP(a, b), want)
	}
	if got := placementP(a, a); got != 1 {
		t.Errorf("of the same: %v", got)
	}
	if far := newSeries(Series{Values: slices.Repeat([]int64{9_000_000}, 30)}); placementP(a, far) != 0 {
		t.Error("samples that do not overlap")
	}
	few := slices.Repeat([]int64{1, 2}, 10)
	if got := CompareMedians(Series{Values: few}, Series{Values: few}); got.Absent != "" {
		t.Errorf("20 values: %+v", got)
	}
	if got := CompareMedians(Series{Values: few[:19]}, Series{Values: few}); got.Absent != "19 values are too few (20 are needed on either side)" ||
		got.P != 1 || got.Whitney != 1 || got.Dependence != 1 {
		t.Errorf("19 values: %+v", got)
	}
	drift := make([]int64, 100)
	for i := range drift {
		drift[i] = int64(i)
	}
	if got := CompareMedians(Series{Values: drift}, Series{Values: few}); got.Absent == "" || got.P != 1 || got.Lo != 0 || got.Dependence < 10 {
		t.Errorf("values that drift: %+v", got)
	}
}
