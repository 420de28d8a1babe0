package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// near reports whether two figures are the same but for rounding.
func near(a, b float64) bool {
	return a == b || !math.IsInf(a-b, 0) && math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b), 1e-3)
}

// alikeParts are parts of several kinds: independent, alike, in turns, with a far one, of several sizes, the last without
// another, and all the same.
func alikeParts() map[string][]Part {
	rng := rand.New(rand.NewPCG(firstSeed, 17))
	all := map[string][]Part{}
	level := 0.0
	for _, n := range []int{4, 5, 7, 8, 9, 15, 16, 17, 18, 31, 32, 33, 64, 128} {
		for _, rho := range []float64{-0.6, 0, 0.3, 0.6, 0.95} {
			list := make([]Part, n)
			for i := range list {
				level = rho*level + rng.NormFloat64()
				all := float64(50 + rng.IntN(20))
				list[i] = Part{Of: math.Round(all/2 + 6*level), All: all}
			}
			all[fmt.Sprintf("%d of %v", n, rho)] = list
			far := slices.Clone(list)
			far[n/2].Of += 400
			all[fmt.Sprintf("%d of %v, one far off", n, rho)] = far
		}
		all[fmt.Sprintf("%d the same", n)] = slices.Repeat([]Part{{Of: 5, All: 10}}, n)
		step := make([]Part, n)
		for i := range step {
			step[i] = Part{Of: float64(10 + 30*(i*2/n)), All: 50}
		}
		all[fmt.Sprintf("%d with a step", n)] = step
	}
	return all
}

// inTwos makes parts that are twice as long; what has no other one goes with those before it.
func inTwos(parts []Part) (twice []Part) {
	for i := 0; i+1 < len(parts); i += 2 {
		p := Part{parts[i].Of + parts[i+1].Of, parts[i].All + parts[i+1].All}
		if i+3 == len(parts) {
			p.Of, p.All = p.Of+parts[i+2].Of, p.All+parts[i+2].All
		}
		twice = append(twice, p)
	}
	return twice
}

// totals are of parts: their ratio, all of them, and the excess of each over the ratio.
func totals(parts []Part) (ratio, all float64, excess []float64) {
	of := 0.0
	for _, p := range parts {
		of, all = of+p.Of, all+p.All
	}
	for _, p := range parts {
		excess = append(excess, p.Of-of/all*p.All)
	}
	return of / all, all, excess
}

func powers(of []float64, power float64) (sum float64) {
	for _, v := range of {
		sum += math.Pow(v, power)
	}
	return sum
}

// Ratio is as wide as the widest of parts of one, two, four … lengths, of which there are eight at least.
func TestEdgesOfRatios(t *testing.T) {
	for name, parts := range alikeParts() {
		ratio, _, _ := totals(parts)
		want, known := 0.0, len(parts) >= 8
		for list := parts; len(list) >= 8; list = inTwos(list) {
			_, all, excess := totals(list)
			n, squares := float64(len(list)), powers(excess, 2)
			freedom := n - 1
			if squares > 0 {
				kurtosis := n * powers(excess, 4) / (squares * squares)
				if kurtosis > 1 {
					freedom = min(freedom, 2*n/(kurtosis-1))
				}
			}
			want = max(want, Student975(freedom)*math.Sqrt(squares*n/(n-1))/all)
		}
		if !known {
			ratio = 0
		}
		if r, half, is := Ratio(parts); !near(r, ratio) || !near(half, want) || is != known {
			t.Errorf("%s: %v ± %v, %v, not %v ± %v", name, r, half, is, ratio, want)
		}
	}
	if r, half, known := Ratio(make([]Part, 9)); r != 0 || half != 0 || known {
		t.Errorf("of nothing: %v ± %v, %v", r, half, known)
	}
	odd := []Part{{1, 10}, {2, 20}, {4, 40}, {8, 80}, {16, 160}}
	if got := longer(odd); !slices.Equal(got, []Part{{3, 30}, {28, 280}}) {
		t.Errorf("%v", got)
	}
}

// scattered is how much parts scatter, when neighbours were merged until they were hardly alike or few.
func scattered(parts []Part, ratio float64) (variance, freedom float64, left int) {
	for {
		var excess []float64
		for _, p := range parts {
			excess = append(excess, p.Of-ratio*p.All)
		}
		n, squares := float64(len(parts)), powers(excess, 2)
		kurtosis, rho := 3.0, 0.0
		if squares > 0 {
			products := 0.0
			for i, v := range excess[1:] {
				products += v * excess[i]
			}
			kurtosis, rho = n*powers(excess, 4)/(squares*squares), products/squares+1/n
		}
		if len(parts) < 16 || rho <= 0.25 && rho <= 1/math.Sqrt(n) {
			rho = max(0, min(rho, 0.8))
			more := (1 + rho) / (1 - rho)
			of := more * max(2/(n-1), (kurtosis-1)/n)
			return squares * n / (n - 1) * more, max(1, 2/of), len(parts)
		}
		parts = inTwos(parts)
	}
}

func TestEdgesOfWhatIsAlike(t *testing.T) {
	for name, parts := range alikeParts() {
		ratio, all, _ := totals(parts)
		variance, freedom, _ := scattered(parts, ratio)
		want, half, known := ratio, Student975(freedom)*math.Sqrt(variance)/all, len(parts) >= 5
		if !known {
			want, half = 0, 0
		}
		withNothing := slices.Insert(slices.Clone(parts), 1, Part{})
		for _, list := range [][]Part{parts, withNothing} {
			if m, h, is := MeanOf(list); !near(m, want) || !near(h, half) || is != known {
				t.Errorf("%s: %v ± %v, %v, not %v ± %v", name, m, h, is, want, half)
			}
		}
		var batches []Batch
		above := 0.0
		for _, p := range withNothing {
			p.Of = min(max(p.Of, 0), p.All)
			batches = append(batches, Batch{int64(p.All), int64(p.Of)})
			above += p.Of
		}
		got := AlikeIn(batches)
		if !known {
			if got.Absent == "" {
				t.Errorf("%s: %+v", name, got)
			}
			continue
		}
		var exact []Part
		for _, b := range batches {
			if b.N > 0 {
				exact = append(exact, Part{float64(b.Above), float64(b.N)})
			}
		}
		share := above / all
		variance, freedom, left := scattered(exact, share)
		if inflation := max(1, variance/(all*share*(1-share))); !near(got.Inflation, inflation) || !near(got.Freedom, freedom) ||
			got.Batches != left || got.Absent != "" {
			t.Errorf("%s: %+v, not %v with %v of %d", name, got, inflation, freedom, left)
		}
	}
}

// The ranks are those of the binomial distribution where neighbours are not alike, and are farther apart where they are.
func TestEdgesOfRanks(t *testing.T) {
	even := func(above int64) []Batch { return slices.Repeat([]Batch{{100, above}}, 64) }
	alike := func(above int64) (list []Batch) {
		for i := range 64 {
			list = append(list, Batch{100, above + above/2*int64(1-i/8%2*2)})
		}
		return list
	}
	alikeBy := func(above, by int64) (list []Batch) {
		for i := range 64 {
			list = append(list, Batch{100, above + by*int64(1-i/8%2*2)})
		}
		return list
	}
	for _, test := range []struct {
		n      int64
		q      float64
		at     []Batch
		middle []Batch
		absent string
	}{
		{6400, 0.5, even(50), even(50), ""}, {6400, 0.9, even(10), even(50), ""}, {6400, 0.1, even(90), even(50), ""},
		{6400, 0.9, alike(10), even(50), ""}, {6400, 0.5, alike(50), alike(50), ""},
		{6400, 0.9, even(10), alike(50), ""}, {400, 0.99, even(1), even(50), ""},
		{6400, 0.999, even(1), even(50), ""},
		{6400, 0.9999, even(1), even(50), "6400 observations are too few for an interval"},
		{1, 0.5, even(50), even(50), "1 observations are too few for an interval"},
		{40, 0.9, even(10), alikeBy(50, 4), "*"}, {60, 0.9, alikeBy(10, 2), even(50), "*"},
		{300, 0.99, even(1), even(50), "300 observations are too few for an interval"},
		{6400, 0.999, even(1), alikeBy(50, 4), ""}, {6400, 0.999, even(1), alikeBy(50, 5), "*"}, // 1.8 and 1.2 beyond it
		{6400, 0.998, even(1), alike(50), "*"}, {140, 0.9, even(10), alike(50), "*"},
	} {
		a, middle := AlikeIn(test.at), AlikeIn(test.middle)
		got := QuantileRanks(test.n, test.q, func(q float64) []Batch {
			if q == 0.5 && test.q != 0.5 {
				return test.middle
			}
			return test.at
		})
		if test.absent == "*" {
			test.absent = fmt.Sprintf("neighbours are so much alike that %d observations say as little as %.3g independent ones",
				test.n, float64(test.n)/max(a.Inflation, middle.Inflation))
		}
		if got.Absent != test.absent {
			t.Errorf("%d at %v: %+v", test.n, test.q, got)
			continue
		}
		if test.absent != "" {
			continue
		}
		// The first rank below which so few are in a sample by chance, and the first at which so many are.
		n, tail := float64(test.n)/a.Inflation, math.Erfc(Student975(a.Freedom)/math.Sqrt2)/2
		if low, high := binomial(n, test.q, tail, float64(got.Low), a.Inflation), binomial(n, test.q, 1-tail, float64(got.High), a.Inflation); !low || !high ||
			!near(got.Effective, n) {
			t.Errorf("%d at %v: %+v (low %v, high %v)", test.n, test.q, got, low, high)
		}
	}
	for _, test := range []struct {
		n, q, tail float64
		found      bool
	}{
		{366, 0.01, 0.025, false}, {370, 0.01, 0.025, true}, {0.75, 0.5, 0.7, false}, {6, 0.5, 0.025, true}, {5, 0.5, 0.025, false}, {5, 0.5, 0.04, true}, {0.5, 0.5, 0.4, false}, {1, 0.5, 0.5, true},
	} {
		if _, _, found := orderStatistics(test.n, test.q, test.tail); found != test.found {
			t.Errorf("%+v: %v", test, found)
		}
	}
	for _, n := range []float64{6, 7.5, 40} {
		low, high, _ := orderStatistics(n, 0.5, 0.025)
		if !near(betaBelow(0.5, n-low+1, low), 0.025) || !near(betaBelow(0.5, n-high+1, high), 0.975) {
			t.Errorf("of %v: %v to %v", n, low, high)
		}
	}
	if low, high, found := orderStatistics(1, 0.5, 0.5); !near(low, 1) || !near(high, 1) || !found {
		t.Errorf("of one: %v to %v", low, high)
	}
	for _, test := range []struct{ low, high, value, want float64 }{{0, 10, 3, 3}, {2, 10, 100, 10}, {2, 10, -1, 2}} {
		if got := bisect(test.low, test.high, test.value, func(v float64) float64 { return v }); !near(got, test.want) {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

// binomial reports whether a rank is one of the two around that below which a share of n has so much of its chance.
func binomial(n, q, chance, rank, inflation float64) bool {
	at := rank / inflation
	below := func(r float64) float64 { return betaBelow(1-q, n-r+1, r) }
	if chance < 0.5 {
		return below(at-1/inflation+1) <= chance+1e-9 && below(at+1) >= chance-1e-9
	}
	return below(at-1/inflation) <= chance+1e-9 && below(at) >= chance-1e-9
}

// Shares of trials that are alike are those of so many fewer.
func TestEdgesOfShares(t *testing.T) {
	tail := math.Erfc(Student975(20)/math.Sqrt2) / 2
	low, high := ShareIntervalOf(20, 200, Alike{Inflation: 2, Freedom: 20})
	wantLow, wantHigh := shareInterval(10, 100, tail)
	if !near(low, wantLow) || !near(high, wantHigh) || !near(betaBelow(low, 10, 91), tail) || !near(betaBelow(high, 11, 90), 1-tail) {
		t.Errorf("%v to %v, not %v to %v", low, high, wantLow, wantHigh)
	}
	for _, test := range []struct{ had, n float64 }{{1, 2}, {0.5, 0.75}, {1, 1}, {0, 1}} {
		low, high := ShareInterval(test.had, test.n)
		if (low == 0) != (test.had == 0) || (high == 1) != (test.had == test.n) || low > test.had/test.n || high < test.had/test.n {
			t.Errorf("%+v: %v to %v", test, low, high)
		}
	}
	if low, high := ShareInterval(0, -1); low != 0 || high != 1 {
		t.Errorf("of none: %v to %v", low, high)
	}
}

// The interval of a rate by its formulas, with the quantile of Student's t as Abramowitz and Stegun have it.
func TestEdgesOfRates(t *testing.T) {
	const z = 1.959963984540054
	student := func(f float64) float64 {
		g1, g2 := z*(z*z+1)/4, z*(3+z*z*(16+5*z*z))/96
		g3 := z * (-15 + z*z*(17+z*z*(19+3*z*z))) / 384
		return z + g1/f + g2/(f*f) + g3/(f*f*f)
	}
	for _, f := range []float64{1, 2, 3.5, 10, 100} {
		if got := student975(f); !near(got, student(f)) {
			t.Errorf("of %v: %v, not %v", f, got, student(f))
		}
	}
	for _, test := range []struct {
		values    []float64
		effective float64
		absent    string
	}{
		{nil, 0, "0 full seconds are too few for an interval (8 are needed)"},
		{[]float64{1}, 0, "1 full second is too few for an interval (8 are needed)"},
		{[]float64{1, 2, 3, 4, 5, 6, 7}, 0, "7 full seconds are too few for an interval (8 are needed)"},
		{[]float64{9, 11, 9, 11, 9, 11, 9, 11}, 8, ""},
		{[]float64{5, 5, 5, 5, 5, 5, 5, 5, 5}, 9, ""},
		{[]float64{9, 9, 9, 9, 11, 11, 11, 11}, 8 * (1 - 0.625) / (1 + 0.625), "the rate drifts: 8 seconds say as little as 1.8 independent ones"},
		{[]float64{9, 9, 11, 11, 9, 9, 11, 11}, 8 * (1 - 0.125) / (1 + 0.125), ""},
		{[]float64{9, 9, 11, 11, 11, 11, 9, 9}, 8 * (1 - 0.375) / (1 + 0.375), ""}, // 3.6 of them
		{[]float64{9, 9, 9, 9, 11, 11, 11, 11, 11, 11, 11, 11, 9, 9, 9, 9}, 16 * (1 - 11.0/16) / (1 + 11.0/16),
			"the rate drifts: 16 seconds say as little as 3.0 independent ones"},
		{[]float64{9, 9, 9, 11, 11, 11, 9, 9, 9, 11, 11, 11}, 12 * (1 - 5.0/12) / (1 + 5.0/12), ""},
		{[]float64{9, 9, 9, 9, 9, 9, 11, 11, 11, 11, 11, 11}, 12 * (1 - 0.75) / 1.75, "the rate drifts: 12 seconds say as little as 1.7 independent ones"},
		{[]float64{1.5e154, 0, 0, 0, 0, 0, 0, 0}, 8, "the counts are not finite"},
		{[]float64{1, 1, 1, math.Inf(1), 1, 1, 1, 1}, 0, "the counts are not finite"},
		{[]float64{math.Inf(-1), 1, 1, 1, 1, 1, 1, 1}, 0, "the counts are not finite"},
		{[]float64{1e200, -1e200, 1e200, -1e200, 1e200, -1e200, 1e200, -1e200}, 0, "the counts are not finite"},
	} {
		got := MeanRate(test.values)
		if test.absent == "the counts are not finite" {
			test.effective = 0
		}
		if got.Absent != test.absent || got.Seconds != len(test.values) || !near(got.Effective, test.effective) {
			t.Errorf("%v: %+v", test.values, got)
		}
		if test.absent != "" {
			continue
		}
		mean, squares, n := 0.0, 0.0, float64(len(test.values))
		for _, v := range test.values {
			mean += v / n
		}
		for _, v := range test.values {
			squares += (v - mean) * (v - mean)
		}
		if want := student(test.effective-1) * math.Sqrt(squares/(n-1)/test.effective); !near(got.Half, want) {
			t.Errorf("%v: ±%v, not %v", test.values, got.Half, want)
		}
	}
}

func TestEdgesOfPercentiles(t *testing.T) {
	for _, test := range []struct {
		values []float64
		p      float64
		want   float64
	}{
		{[]float64{1, 2, 4}, -0.5, 1}, {[]float64{1, 2, 4}, 0, 1}, {[]float64{1, 2, 4}, 0.25, 1.5}, {[]float64{1, 2, 4}, 0.5, 2},
		{[]float64{1, 2, 4}, 0.75, 3}, {[]float64{1, 2, 4}, 0.9, 3.6}, {[]float64{1, 2, 4}, 1, 4}, {[]float64{1, 2, 4}, 2, 4},
		{[]float64{7}, 0.3, 7}, {[]float64{1, math.Inf(1), math.Inf(1)}, 0.75, math.Inf(1)},
	} {
		if got := Percentile(test.values, test.p); !near(got, test.want) {
			t.Errorf("%v at %v: %v", test.values, test.p, got)
		}
	}
	if !math.IsNaN(Percentile([]float64{}, 0.5)) || !math.IsNaN(Percentile([]float64{1}, math.NaN())) {
		t.Error("of none")
	}
	values := []int64{30, 10, 20, 50}
	if got, want := Describe(values), (Figures{4, 10, 27.5, 25, 44, 49.4, 50}); got.N != want.N || !near(got.Mean, want.Mean) ||
		got.Min != want.Min || got.Med != want.Med || !near(got.P90, want.P90) || !near(got.P99, want.P99) || got.Max != want.Max {
		t.Errorf("%+v", got)
	}
	if !slices.Equal(values, []int64{30, 10, 20, 50}) || Describe([]int64{}) != (Figures{}) {
		t.Errorf("%v", values)
	}
}

// A bin is cut where its share of values above is nearest to what is wanted.
func TestEdgesOfSequences(t *testing.T) {
	for _, test := range []struct {
		bins []uint32
		q    float64
		want int
	}{
		{[]uint32{0, 0}, 0.5, 0}, {[]uint32{0, 5, 0}, 0.5, 0}, {[]uint32{5, 0, 5}, 0.5, 0}, {[]uint32{1, 8, 1}, 0.9, 1},
		{[]uint32{1, 8, 1}, 0.1, 0}, {[]uint32{1, 8, 1}, 0.49, 0}, {[]uint32{1, 8, 1}, 0.51, 1}, {[]uint32{0, 50, 30, 19, 1}, 0.9, 2},
		{[]uint32{0, 50, 30, 19, 1}, 0.97, 3}, {[]uint32{0, 50, 30, 19, 1}, 0.5, 1}, {[]uint32{1, 1}, 0.999, 0},
	} {
		if got := Cut(test.bins, test.q); got != test.want {
			t.Errorf("%v at %v: %d", test.bins, test.q, got)
		}
	}
	for _, test := range []struct {
		ns  int64
		bin int
		low float64
	}{
		{-5, 0, 0}, {0, 0, 0}, {1, 1, 1}, {127, 127, 127}, {128, 128, 128}, {129, 128, 128}, {130, 129, 130}, {255, 191, 254},
		{256, 192, 256}, {260, 193, 260}, {1<<42 - 1, Bins - 1, 127 << 35}, {1 << 42, Bins - 1, 127 << 35}, {math.MaxInt64, Bins - 1, 127 << 35},
	} {
		if bin := Bin(test.ns); bin != test.bin || BinLow(bin) != test.low {
			t.Errorf("%d is in bin %d from %v on", test.ns, bin, BinLow(bin))
		}
	}
	var s Sequence
	for i := range 129 { // 64 batches of two, and a value
		s.Add(int64(8 * (i % 4))) // in the coarse bins 0, 2, 4 and 6
	}
	above := s.Above(0.5)
	parts := s.Parts()
	if len(above) != 65 || len(parts) != 65 || s.Clone().each != 2 {
		t.Fatalf("%d batches, %d parts of %d", len(above), len(parts), s.each)
	}
	for i := range 64 {
		want, sum := Batch{2, 0}, 2.0+10 // 0 and 8, in the middle of what is four wide
		if i%2 == 1 {
			want, sum = Batch{2, 2}, 18+26
		}
		if above[i] != want || parts[i] != (Part{sum, 2}) {
			t.Errorf("batch %d: %v, %v", i, above[i], parts[i])
		}
	}
	if above[64] != (Batch{1, 0}) || parts[64] != (Part{2, 1}) {
		t.Errorf("the last: %v, %v", above[64], parts[64])
	}
	var few Sequence
	for range 3 {
		few.Add(5)
	}
	if got := few.Above(0.5); len(got) != 3 {
		t.Errorf("three values: %v", got)
	}
	copied := s.Clone()
	if copied.Add(1); s.last != 1 || s.Above(0.5)[64].N != 1 {
		t.Error("a copy is none")
	}
}

// The beta distribution, where it is a power.
func TestEdgesOfBeta(t *testing.T) {
	for _, x := range []float64{-1, 0, 0.001, 0.3, 0.5, 0.8, 0.999, 1, 1.5} {
		for _, a := range []float64{0.5, 1, 3, 40} {
			in := min(max(x, 0), 1)
			if got, want := betaBelow(x, 1, a), 1-math.Pow(1-in, a); math.Abs(got-want) > 1e-12 {
				t.Errorf("%v with 1 and %v: %v, not %v", x, a, got, want)
			}
			if got, want := betaBelow(x, a, 1), math.Pow(in, a); math.Abs(got-want) > 1e-12 {
				t.Errorf("%v with %v and 1: %v, not %v", x, a, got, want)
			}
		}
	}
	if p := betaBelow(math.NaN(), 2, 3); p != 0 {
		t.Errorf("of none: %v", p)
	}
	for _, f := range []float64{-1, 0, math.NaN()} {
		if p := fisherP(f, 2, 3); p != 1 {
			t.Errorf("F of %v: %v", f, p)
		}
	}
	// F with two degrees of freedom above is a power, too.
	if got, want := fisherP(1.5, 2, 8), math.Pow(1+2*1.5/8, -4); !near(got, want) {
		t.Errorf("F: %v, not %v", got, want)
	}
}
