package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestStudent(t *testing.T) {
	// Quantiles from the tables; the tolerance is the one that the comment promises.
	for _, tt := range []struct{ freedom, want, tolerance float64 }{
		{2, 4.3027, 0.031}, {5, 2.5706, 0.002}, {9, 2.2622, 0.0002}, {30, 2.0423, 1e-4}, {1e6, 1.95997, 1e-4},
	} {
		if got := student975(tt.freedom); math.Abs(got/tt.want-1) > tt.tolerance {
			t.Errorf("t(%g) = %.4f, want %.4f", tt.freedom, got, tt.want)
		}
	}
}

func TestMeanRateByHand(t *testing.T) {
	// Alternating values: ρ is negative and taken as 0, the variance is 10·1/9.
	got := MeanRate([]float64{9, 11, 9, 11, 9, 11, 9, 11, 9, 11})
	want := 2.2622 * math.Sqrt(10.0/9/10)
	if got.Absent != "" || got.Effective != 10 || math.Abs(got.Half-want) > 1e-3 {
		t.Errorf("%+v, want ±%.4f", got, want)
	}
	if got := MeanRate([]float64{7, 7, 7, 7, 7, 7, 7, 7}); got.Half != 0 || got.Absent != "" {
		t.Errorf("equal seconds: %+v", got)
	}
}

func TestMeanRateAbsent(t *testing.T) {
	for _, tt := range []struct {
		name string
		x    []float64
		want string
	}{
		{"none", nil, "this run has 0"},
		{"one", make([]float64, 1), "this run has 1"},
		{"seven", make([]float64, 7), "this run has 7"},
		{"drifting", []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, "the rate drifts"},
		{"not finite", []float64{1, 2, 1, 2, 1, 2, 1, math.Inf(1)}, "not finite"},
	} {
		if got := MeanRate(tt.x); !strings.Contains(got.Absent, tt.want) || got.Half != 0 {
			t.Errorf("%s: %+v, want %q", tt.name, got, tt.want)
		}
	}
}

// firstSeed is that of all simulations, and was not chosen by what they show. With another each
// time a method that is as good as it should be would fail a bound of four standard deviations
// once in some thousand runs, by chance.
const firstSeed = 1

// The interval must hold the true mean about 95 times in 100, for independent seconds and
// for correlated ones, where one that ignores the correlation would miss far more often.
func TestMeanRateCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(firstSeed, 1))
	for _, rho := range []float64{0, 0.6} {
		const runs, n = 2000, 100
		held := 0
		for range runs {
			x := make([]float64, n)
			level := rng.NormFloat64()
			sum := 0.0
			for i := range x {
				level = rho*level + math.Sqrt(1-rho*rho)*rng.NormFloat64()
				x[i] = 1000 + 50*level
				sum += x[i]
			}
			if math.Abs(sum/n-1000) <= MeanRate(x).Half {
				held++
			}
		}
		if share := float64(held) / runs; share < 0.91 || share > 0.98 {
			t.Errorf("ρ %g: the interval holds the mean in %.1f%% of the runs", rho, 100*share)
		}
	}
}

// A rate that is the same each second is known exactly, whatever the number of seconds: rounding is no drift.
func TestARateThatIsTheSameEachSecond(t *testing.T) {
	for n := MinSeconds; n <= 130; n++ {
		for _, v := range []float64{0, 5, 333, 1000, 0.1} {
			if got := MeanRate(slices.Repeat([]float64{v}, n)); got.Absent != "" || got.Half != 0 || got.Effective != float64(n) {
				t.Errorf("%d seconds of %v: %+v", n, v, got)
			}
		}
	}
}
