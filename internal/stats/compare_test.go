package stats

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lcg gives the numbers of a congruential generator (Knuth's MMIX), which the scripts that
// made the constants below have, too.
func lcg(seed uint64, n int, mod, shift int64) []int64 {
	list := make([]int64, n)
	for i := range list {
		seed = seed*6364136223846793005 + 1442695040888963407
		list[i] = int64(seed>>33)%mod + shift
	}
	return list
}

// The constants are by SciPy 1.17.1: mannwhitneyu (exact for small samples without ties, else
// asymptotic with continuity), brunnermunzel, and numpy.median.
func TestCompareAgreesWithSciPy(t *testing.T) {
	for _, tt := range []struct {
		name          string
		a, b          []int64
		whitney       float64
		munzel        float64 // p of Brunner and Munzel, for independent values
		before, now   float64
		toleranceBoth float64
	}{
		{"exact", lcg(1, 45, 1e9, 0), lcg(2, 40, 1e9, 1e8), 0.09187670863955036, 0.08788045002765055, 426146746,
			567980727, 0.001},
		{"hundreds", lcg(1, 400, 100000, 0), lcg(2, 300, 100000, 4000), 0.030261842894823122, 0.02909542358586772,
			46797.5, 48718, 0.001},
		{"many ties", lcg(1, 1000, 50, 0), lcg(2, 1500, 50, 1), 0.054680407797036354, 0.056378482137824655,
			25, 26, 0.001},
		// With ties among so few benchmath is exact, and SciPy is not.
		{"few and tied", lcg(1, 20, 7, 0), lcg(2, 24, 7, 1), 0.04330014097394521, 0.03723613180643892, 2.5, 3, 0.06},
	} {
		got := CompareMedians(Series{Values: tt.a}, Series{Values: tt.b})
		if got.Before != tt.before || got.Now != tt.now || got.Diff != tt.now-tt.before {
			t.Errorf("%s: medians %v and %v, want %v and %v", tt.name, got.Before, got.Now, tt.before, tt.now)
		}
		if math.Abs(got.Whitney/tt.whitney-1) > tt.toleranceBoth {
			t.Errorf("%s: p = %v, SciPy has %v", tt.name, got.Whitney, tt.whitney)
		}
		if got.P < got.Whitney {
			t.Errorf("%s: P = %v is less than %v", tt.name, got.P, got.Whitney)
		}
		// By stretches the p is another, but for independent values not far from it.
		if p := placementP(newSeries(Series{Values: tt.a}), newSeries(Series{Values: tt.b})); p < tt.munzel*0.9 ||
			p > 0.35 {
			t.Errorf("%s: p by placements is %v, by Brunner and Munzel %v", tt.name, p, tt.munzel)
		}
	}
}

func TestStudentP(t *testing.T) { // 2·scipy.stats.t.sf(t, f)
	for _, tt := range []struct{ t, f, want, tolerance float64 }{
		{1, 29, 0.32558198801619365, 1e-3}, {2.045, 29, 0.050024075922411614, 1e-3},
		{3.5, 29, 0.0015244463146546023, 0.003},
		{6, 29, 1.5927908426174689e-06, 0.02}, {2, 58, 0.05019046804144834, 1e-3},
		{4, 58, 0.00018171818105899105, 0.002},
		{10, 58, 3.1040899884616043e-14, 0.05}, {2.5, 19, 0.02174041116839744, 0.003},
	} {
		if got := studentP(tt.t, tt.f); math.Abs(got/tt.want-1) > tt.tolerance {
			t.Errorf("p(%g, %g) = %.6g, want %.6g", tt.t, tt.f, got, tt.want)
		}
		if got := studentP(-tt.t, tt.f); got != studentP(tt.t, tt.f) {
			t.Errorf("p(%g) is not two-sided", tt.t)
		}
	}
}

// By hand, and as R's p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") has it.
func TestHolm(t *testing.T) {
	for _, tt := range []struct{ p, want []float64 }{
		{nil, []float64{}},
		{[]float64{0.2}, []float64{0.2}},
		{[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		{[]float64{0.9, 0.8, 0}, []float64{1, 1, 0}},
	} {
		near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
		if diff := cmp.Diff(tt.want, Holm(tt.p), near); diff != "" {
			t.Errorf("%v: %s", tt.p, diff)
		}
	}
}

func TestComparisonsThatCannotBeMade(t *testing.T) {
	few := lcg(1, 19, 100, 1000)
	drift := make([]int64, 400)
	for i := range drift {
		drift[i] = int64(1000 + i)
	}
	for _, tt := range []struct {
		name string
		a, b []int64
		want string
	}{
		{"none", nil, nil, "too few values: 0"},
		{"few", few, lcg(2, 400, 100, 1000), "too few values: 19"},
		{"few now", lcg(2, 400, 100, 1000), few, "too few values: 19"},
		{"drift", drift, lcg(2, 400, 100, 1000), "the values drift"},
	} {
		got := CompareMedians(Series{Values: tt.a}, Series{Values: tt.b})
		if !strings.Contains(got.Absent, tt.want) || got.Outcome(got.P, 0) != CannotTell {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

func TestComparisonsAtTheEdges(t *testing.T) {
	equal, ends := make([]int64, 50), make([]int64, 50)
	for i := range equal {
		equal[i], ends[i] = 7, []int64{math.MinInt64, math.MaxInt64}[i%2]
	}
	if got := CompareMedians(Series{Values: equal}, Series{Values: equal}); got.Diff != 0 || got.P != 1 ||
		got.Lo != 0 || got.Hi != 0 || got.Outcome(1, 0) != Same {
		t.Errorf("equal values: %+v", got)
	}
	other := make([]int64, 50)
	for i := range other {
		other[i] = 9
	}
	if got := CompareMedians(Series{Values: equal}, Series{Values: other}); got.P > 1e-9 ||
		got.Outcome(got.P, 0.03) != Worse || got.Lo != 2 || got.Hi != 2 {
		t.Errorf("all slower by the same: %+v", got)
	}
	if got := CompareMedians(Series{Values: ends}, Series{Values: ends}); math.IsNaN(got.P) || math.IsNaN(got.Lo) {
		t.Errorf("the ends of int64: %+v", got)
	}
}

// Swapping the samples changes the sign and nothing else, and so does a factor.
func TestComparisonsAreSymmetric(t *testing.T) {
	a, b := lcg(5, 300, 1000, 2000), lcg(6, 400, 1000, 2100)
	x, y := CompareMedians(Series{Values: a}, Series{Values: b}), CompareMedians(Series{Values: b}, Series{Values: a})
	if math.Abs(x.Diff+y.Diff) > 1e-9 || math.Abs(x.Lo+y.Hi) > 1e-9 || math.Abs(x.P/y.P-1) > 1e-9 {
		t.Errorf("%+v and %+v", x, y)
	}
	for i := range a {
		a[i] *= 1000
	}
	for i := range b {
		b[i] *= 1000
	}
	if z := CompareMedians(Series{Values: a}, Series{Values: b}); math.Abs(z.Lo/x.Lo-1000) > 1e-6 || z.P != x.P {
		t.Errorf("%+v and %+v", x, z)
	}
}

func TestOutcomes(t *testing.T) {
	for _, tt := range []struct {
		name         string
		diff, lo, hi float64
		p            float64
		want         Outcome
	}{
		{"clear", 10, 8, 12, 0.001, Worse},
		{"clear and faster", -10, -12, -8, 0.001, Better},
		{"as much as matters", 3, 1, 5, 0.001, Worse},
		{"certain and small", 2, 1, 2.9, 0.001, Same},
		{"certain, and may matter", 2.5, 1, 4, 0.001, CannotTell},
		{"large and not certain", 10, 1, 19, 0.06, CannotTell},
		{"interval over 0", 10, -1, 21, 0.001, CannotTell},
		{"nothing", 0, -1, 1, 0.9, Same},
		{"wide", 0, -9, 9, 0.9, CannotTell},
		{"perhaps much faster", -3, -7, 1, 0.06, CannotTell},
		{"perhaps much slower", 3, -1, 7, 0.06, CannotTell},
	} {
		s := Shift{Before: 100, Now: 100 + tt.diff, Diff: tt.diff, Lo: tt.lo, Hi: tt.hi}
		if got := s.Outcome(tt.p, 0.03); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	for _, before := range []float64{0, -5, math.NaN()} {
		if got := (Shift{Before: before, Diff: 1, Lo: 0.5, Hi: 2}).Outcome(0, 0.03); got != CannotTell {
			t.Errorf("of a median of %v: %s", before, got)
		}
	}
}

// One sample is constant, so that the interval is that of the other's median, turned round.
func TestTheIntervalKeepsItsSkewness(t *testing.T) {
	skewed, constant := make([]int64, 400), make([]int64, 400)
	for i, v := range lcg(9, 400, 1000, 1) {
		skewed[i], constant[i] = 1_000_000/v, 500
	}
	s := newSeries(Series{Values: skewed})
	low, high, _ := s.medianInterval()
	median := Percentile(s.sorted, 0.5)
	if high-median < 1.1*(median-low) {
		t.Fatalf("the sample is not skewed: %v to %v around %v", low, high, median)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-6 }
	if got := CompareMedians(Series{Values: skewed}, Series{Values: constant}); !near(got.Lo, 500-high) ||
		!near(got.Hi, 500-low) {
		t.Errorf("before is skewed: %+v, want %v to %v", got, 500-high, 500-low)
	}
	if got := CompareMedians(Series{Values: constant}, Series{Values: skewed}); !near(got.Lo, low-500) ||
		!near(got.Hi, high-500) {
		t.Errorf("now is skewed: %+v, want %v to %v", got, low-500, high-500)
	}
}

// The variance of a mean of neighbours that are alike, against that of many such means.
func TestMeanOfSeriesWithMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(firstSeed, 1))
	for _, tt := range []struct {
		rho       float64
		n         int
		low, high float64 // of the mean estimate ÷ the truth
	}{
		{0, 400, 0.95, 1.6}, {0.5, 400, 0.9, 1.6}, {0.9, 2000, 0.8, 1.5},
		{0.5, 25, 0.8, 2.2}, // too short for stretches: by ρ
	} {
		const runs = 400
		var estimates, squares float64
		for range runs {
			x := make([]float64, tt.n)
			level := rng.NormFloat64()
			for i := range x {
				level = tt.rho*level + math.Sqrt(1-tt.rho*tt.rho)*rng.NormFloat64()
				x[i] = level
			}
			mean, variance := meanOf(x, stretches(Series{Values: make([]int64, len(x))}))
			estimates, squares = estimates+variance, squares+mean*mean
		}
		if ratio := estimates / squares; ratio < tt.low*0.8 || ratio > tt.high*1.25 {
			t.Errorf("ρ %g, n %d: the estimate is %.2f times the variance of the mean", tt.rho, tt.n, ratio)
		}
	}
}
