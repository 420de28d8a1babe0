package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func close6(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(a), math.Abs(b)) }

// Published tables of the t distribution: two-sided 5% and 1%, and 10% one-sided.
func TestStudentQuantile(t *testing.T) {
	for _, tt := range []struct{ freedom, t90, t975, t995 float64 }{
		{1, 3.078, 12.706, 63.657}, {2, 1.886, 4.303, 9.925}, {5, 1.476, 2.571, 4.032}, {11, 1.363, 2.201, 3.106},
		{17, 1.333, 2.110, 2.898}, {29, 1.311, 2.045, 2.756}, {120, 1.289, 1.980, 2.617},
	} {
		for share, want := range map[float64]float64{0.9: tt.t90, 0.975: tt.t975, 0.995: tt.t995} {
			if got := StudentQuantile(share, tt.freedom); math.Abs(got-want) > 6e-4 {
				t.Errorf("%g of %g degrees of freedom: %g, want %g", share, tt.freedom, got, want)
			}
		}
	}
	// The quantile and the p of a t are each other's inverse, down to the levels of many rows.
	for _, freedom := range []float64{2, 5, 7, 11, 17, 29, 500} {
		for _, p := range []float64{0.5, 0.05, 0.01, 1e-3, 1e-4, 1e-6} {
			if got := StudentP(StudentQuantile(1-p/2, freedom), freedom); math.Abs(got-p) > 1e-6*p {
				t.Errorf("p %g of %g degrees of freedom comes back as %g", p, freedom, got)
			}
		}
	}
}

func TestTrimmedMean(t *testing.T) {
	// Of ten, two are left out at each end: 3 … 8, winsorized 3 3 3 4 5 6 7 8 8 8 with the mean 5.5, whose squares
	// are 3·6.25 + 2.25 + 2·0.25 + 2.25 + 3·6.25 = 42.5. Their error is √(42.5 / 6·5).
	ten := []float64{100, 3, 4, 5, -50, 6, 7, 8, 2, 9}
	for _, tt := range []struct {
		name   string
		values []float64
		want   Trimmed
	}{
		{"none", nil, Trimmed{}},
		{"one", []float64{7}, Trimmed{N: 1, Left: 1, Mean: 7}},
		{"two", []float64{1, 3}, Trimmed{2, 2, 2, 1, 1}}, // as untrimmed: √(2 / 2·1)
		{"four lose none", []float64{1, 2, 3, 4}, Trimmed{4, 4, 2.5, math.Sqrt(5. / 12), 3}},
		{"five", []float64{1, 2, 3, 4, 100}, Trimmed{5, 3, 3, math.Sqrt(4. / 6), 2}},
		{"ten", ten, Trimmed{10, 6, 5.5, math.Sqrt(42.5 / 30), 5}},
		{"alike", []float64{2, 2, 2, 2, 2}, Trimmed{5, 3, 2, 0, 2}},
	} {
		before := slices.Clone(tt.values)
		got := TrimmedMean(tt.values)
		if got.N != tt.want.N || got.Left != tt.want.Left || got.Freedom != tt.want.Freedom ||
			!close6(got.Mean, tt.want.Mean) || !close6(got.Err, tt.want.Err) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
		if !slices.Equal(before, tt.values) {
			t.Errorf("%s: its values were moved", tt.name)
		}
	}
	// Without a cut it is the mean of all and its error, √(Σ(x−m)² / n(n−1)).
	squares := 0.0
	for _, v := range ten {
		squares += (v - 9.4) * (v - 9.4)
	}
	if got := PlainMean(ten); got.Left != 10 || got.Freedom != 9 || !close6(got.Mean, 9.4) || !close6(got.Err, math.Sqrt(squares/90)) {
		t.Errorf("untrimmed: %+v", got)
	}
	for n, want := range map[int][2]int{10: {6, 5}, 20: {12, 11}, 30: {18, 17}} { // n − 2g − 1
		got := TrimmedMean(make([]float64, n))
		if got.Left != want[0] || got.Freedom != float64(want[1]) {
			t.Errorf("%d values: %+v", n, got)
		}
	}
}

func TestTrimmedP(t *testing.T) {
	five := TrimmedMean([]float64{1, 2, 3, 4, 100})
	// t = 3 / √⅔ = 3.6742 with two degrees of freedom: p = 1 − t/√(2+t²).
	if want := 1 - 3.674234614/math.Sqrt(2+13.5); !close6(five.P(), want) {
		t.Errorf("%g, want %g", five.P(), want)
	}
	low, high := five.Interval(0.05)
	if reach := 4.302652730 * math.Sqrt(2./3); !close6(low, 3-reach) || !close6(high, 3+reach) {
		t.Errorf("from %g to %g", low, high)
	}
	// p is alpha where the interval for it ends at 0.
	if low, _ := five.Interval(five.P()); math.Abs(low) > 1e-9 {
		t.Errorf("it ends at %g", low)
	}
	for name, c := range map[string]struct {
		of   Trimmed
		want float64
	}{
		"none": {TrimmedMean(nil), 1}, "one": {TrimmedMean([]float64{3}), 1},
		"alike": {TrimmedMean([]float64{3, 3, 3}), 0}, "zeros": {TrimmedMean(make([]float64, 9)), 1},
	} {
		if got := c.of.P(); got != c.want {
			t.Errorf("%s: %g", name, got)
		}
	}
	two := TrimmedMean([]float64{1, 3}) // t = 2 with one degree of freedom, whose p is 1 − 2/π · arctan 2
	if low, high := two.Interval(0.05); !close6(two.P(), 1-2/math.Pi*math.Atan(2)) || !close6(low, 2-12.706204736) || !close6(high, 2+12.706204736) {
		t.Errorf("two values: p %g, from %g to %g", two.P(), low, high)
	}
	if low, high := TrimmedMean([]float64{3}).Interval(0.05); !math.IsInf(low, -1) || !math.IsInf(high, 1) {
		t.Errorf("one value: from %g to %g", low, high)
	}
}

// enumerated is the sign-flip test by its definition: all signs, one sample after the other.
func enumerated(values []float64) float64 {
	sizes := make([]float64, len(values))
	for i, v := range values {
		sizes[i] = math.Abs(v)
	}
	slices.Sort(sizes)
	sum := func(negative int) (sum float64) {
		for i, v := range values {
			v = max(-sizes[len(sizes)-1-2*(len(sizes)/5)], min(v, sizes[len(sizes)-1-2*(len(sizes)/5)]))
			if negative>>i&1 == 1 {
				v = -v
			}
			sum += v
		}
		return sum
	}
	count := 0
	for signs := range 1 << len(values) {
		if math.Abs(sum(signs)) >= math.Abs(sum(0))*(1-1e-9) {
			count++
		}
	}
	return float64(count) / math.Ldexp(1, len(values))
}

func TestSignFlipIsWhatAllSignsSay(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 14; n++ {
		for range 3 {
			values := make([]float64, n)
			for i := range values {
				values[i] = rng.NormFloat64() + 0.5
				if rng.IntN(3) == 0 {
					values[i] = math.Round(values[i]) // some alike, and some 0
				}
			}
			before := slices.Clone(values)
			if got, want := SignFlip(values, 1), enumerated(values); !close6(got, want) {
				t.Errorf("%v: %g, want %g", values, got, want)
			}
			if !slices.Equal(before, values) {
				t.Errorf("%v: were moved", before)
			}
		}
	}
	for name, c := range map[string]struct {
		values []float64
		want   float64
	}{
		"none": {nil, 1}, "one": {[]float64{3}, 1}, "zeros": {make([]float64, 10), 1},
		"all above":       {[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 2. / 1024},
		"all below":       {[]float64{-1, -2, -3, -4, -5, -6, -7, -8, -9, -10}, 2. / 1024},
		"one wild":        {[]float64{1, 1, 1, 1, 1, 1, 1, 1, 1, -1e9}, 22. / 1024}, // as one of ten that are alike
		"thirty above":    {slices.Repeat([]float64{1, 2, 3}, 10), math.Ldexp(1, -29)},
		"thirty-two":      {slices.Repeat([]float64{1, 2, 3, 4}, 8), math.Ldexp(1, -31)},
		"more than those": {slices.Repeat([]float64{1, 2, 3}, 11), 1e-4},
		"nearly as far":   {[]float64{1, 1, 1, 1e-8}, 2. / 16}, // without the fourth it is less, and no rounding
		// Which signs are drawn is a part of the rules: a document has the p, and is read again.
		"thirty-three, by the seed": {slices.Repeat([]float64{1, -0.5, 0.75}, 11), 0.0056},
		"a hundred, by the seed":    {slices.Repeat([]float64{1, -1.5, 2, 0.5, -0.1}, 20), 0.0006},
	} {
		if got := SignFlip(c.values, 1); !close6(got, c.want) {
			t.Errorf("%s: %g, want %g", name, got, c.want)
		}
	}
	if sizes, sum := bounded([]float64{-3}); !slices.Equal(sizes, []float64{3}) || sum != -3 || LeastSignFlip(0) != 1 {
		t.Errorf("one value: %v, %g; the least p of none is %g", sizes, sum, LeastSignFlip(0))
	}
	for _, n := range []int{1, 10, mostExact, mostExact + 1} {
		if got, want := LeastSignFlip(n), SignFlip(slices.Repeat([]float64{1}, n), 1); got != want {
			t.Errorf("the least p of %d values is said to be %g, and is %g", n, got, want)
		}
	}
}

// Drawn signs say what all signs say, by another seed a little otherwise, by the same one the same.
func TestSignFlipDrawn(t *testing.T) {
	rng := rand.New(rand.NewPCG(firstSeed, 3))
	values := make([]float64, mostExact)
	for i := range values {
		values[i] = rng.NormFloat64() + 0.4
	}
	want := SignFlip(values, 7)
	values = append(values, 0) // tells nothing of either side, but is one value more
	sizes, _ := bounded(values)
	if len(sizes) != mostExact {
		t.Fatalf("%d sizes", len(sizes))
	}
	values[mostExact] = 1e-9 // as good as nothing
	got := SignFlip(values, 7)
	if room := 5 * math.Sqrt(want*(1-want)/flips); math.Abs(got-want) > room || want > 0.3 {
		t.Errorf("%g of drawn signs, %g of all", got, want)
	}
	if SignFlip(values, 7) != got || SignFlip(values, 8) == got {
		t.Error("the seed does not say which signs are drawn")
	}
	wide := slices.Repeat([]float64{1, -1.5, 2, 0.5, -0.1}, 20) // more values than bits of a word
	if p := SignFlip(wide, 1); p < 1e-4 || p > 0.2 {
		t.Errorf("a hundred values: %g", p)
	}
}

// A sample that is symmetric about 0 is held for another in no more than a share p of all samples, however wild.
func TestSignFlipHoldsItsLevel(t *testing.T) {
	rng := rand.New(rand.NewPCG(firstSeed, 4))
	const samples = 2000
	var byFlip float64
	for range samples {
		values := make([]float64, 10)
		for i := range values {
			values[i] = math.Tan(math.Pi * (rng.Float64() - 0.5)) // Cauchy: without a mean
		}
		if SignFlip(values, 1) <= 0.05 {
			byFlip += 1. / samples
		}
	}
	if byFlip > 0.05+4*math.Sqrt(0.05*0.95/samples) || byFlip < 0.03 {
		t.Errorf("p is at most 5%% in %.1f%% of the samples", 100*byFlip)
	}
}

func BenchmarkSignFlip(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	values := make([]float64, 30)
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	for b.Loop() {
		SignFlip(values, 1)
	}
}
