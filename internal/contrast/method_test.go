package contrast

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/setdoc"
)

const (
	// seed is that of all simulations here, and was not chosen by what they show.
	seed = 1
	// trials is how many comparisons one has.
	trials = 200
)

// trialsOf is more of them where the long simulations are asked for.
func trialsOf() int {
	if *long {
		return 5000
	}
	return trials
}

// share is how many of the trials something is so in.
func shareOf(n int, is func(*rand.Rand) bool) float64 {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	count := 0
	for range n {
		if is(rng) {
			count++
		}
	}
	return float64(count) / float64(n)
}

// meanOf is the mean of values and its standard error.
func meanOf(values []float64) (mean, err float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		err += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(err / float64(len(values)*(len(values)-1)))
}

// pairedT is the method that was not taken: a paired t test of the means, at the same looks and levels, with Holm.
func pairedT(samples [][]float64) (shown []bool) {
	looks := Looks(30)
	shown = make([]bool, len(samples))
	for k, alpha := range Alphas(looks, len(samples)) {
		p := make([]float64, len(samples))
		for i, s := range samples {
			mean, err := meanOf(s[:looks[k]])
			p[i] = stats.StudentP(mean/err, float64(looks[k]-1))
		}
		for i, adjusted := range stats.Holm(p) {
			shown[i] = shown[i] || adjusted <= alpha
		}
	}
	return shown
}

// bootstrap is another: the interval of the mean by its percentiles over samples drawn anew, at 95 %, at each look.
func bootstrap(rng *rand.Rand, samples [][]float64) (shown []bool) {
	const draws = 400
	shown = make([]bool, len(samples))
	for _, look := range Looks(30) {
		for i, s := range samples {
			means := make([]float64, draws)
			for d := range means {
				for range look {
					means[d] += s[rng.IntN(look)]
				}
			}
			slices.Sort(means)
			edge := int(math.Round(draws * total / 2 / float64(len(samples))))
			shown[i] = shown[i] || means[edge] > 0 || means[draws-1-edge] < 0
		}
	}
	return shown
}

// Same against same: no row, after Holm and over all looks, but in 5 % of the comparisons.
func TestSameAgainstSame(t *testing.T) {
	const bound = 0.09 // what chance makes of 5 % in 200 trials
	for _, rows := range []int{1, 6} {
		ours := shareOf(trialsOf(), func(rng *rand.Rand) bool {
			c := comparisonOf(rowsOf(rng, contaminated, rows, 30, 0), 30)
			Analyze(c)
			return differs(c.Rows)
		})
		worse := shareOf(trialsOf(), func(rng *rand.Rand) bool {
			return slices.Contains(bootstrap(rng, rowsOf(rng, contaminated, rows, 30, 0)), true)
		})
		t.Logf("%d rows: a difference is shown in %.1f %%, by a bootstrap of means in %.1f %%", rows, 100*ours, 100*worse)
		if ours > bound {
			t.Errorf("%d rows: a difference is shown in %.1f %%, where there is none", rows, 100*ours)
		}
		if rows == 1 && worse <= bound {
			t.Errorf("a bootstrap of means would do: %.1f %%", 100*worse)
		}
	}
}

// A change by 5 % is found, alone and among rows without one.
func TestFivePerCentIsFound(t *testing.T) {
	for _, tt := range []struct {
		rows  int
		bound float64
	}{{1, 0.9}, {6, 0.85}} {
		ours := shareOf(trialsOf(), func(rng *rand.Rand) bool {
			c := comparisonOf(rowsOf(rng, contaminated, tt.rows, 30, 0.05), 30)
			Analyze(c)
			return c.Rows[0].Outcome == setdoc.Worse
		})
		worse := shareOf(trialsOf(), func(rng *rand.Rand) bool {
			return pairedT(rowsOf(rng, contaminated, tt.rows, 30, 0.05))[0]
		})
		t.Logf("%d rows: found in %.1f %%, by a paired t test in %.1f %%", tt.rows, 100*ours, 100*worse)
		if ours < tt.bound {
			t.Errorf("%d rows: 5 %% is found in %.1f %% of the comparisons", tt.rows, 100*ours)
		}
		if worse >= tt.bound {
			t.Errorf("%d rows: a paired t test would do: %.1f %%", tt.rows, 100*worse)
		}
	}
}
