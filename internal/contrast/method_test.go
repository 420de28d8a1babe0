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

// bootstrap is another: the interval of the mean by its percentiles over samples drawn anew, at the same looks and
// levels, which rows share evenly.
func bootstrap(rng *rand.Rand, samples [][]float64) (shown []bool) {
	const draws = 2000
	shown = make([]bool, len(samples))
	looks := Looks(30)
	for k, alpha := range Alphas(looks, len(samples)) {
		look := looks[k]
		for i, s := range samples {
			means := make([]float64, draws)
			for d := range means {
				for range look {
					means[d] += s[rng.IntN(look)]
				}
			}
			slices.Sort(means)
			edge := int(math.Round(draws * alpha / 2 / float64(len(samples))))
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
		if worse <= bound {
			t.Errorf("%d rows: a bootstrap of means would do: %.1f %%", rows, 100*worse)
		}
	}
}

// Same against same by a thousand seeds, at each number of rows, independent of each other and alike: what is said at the
// end, and what anybody would have read who looked at any moment.
func TestSameAgainstSameBySeeds(t *testing.T) {
	n := 1000
	if *long {
		n = 10000
	}
	looks := Looks(30)
	room := 4 * math.Sqrt(total*(1-total)/float64(n))
	for _, rows := range []int{1, 2, 4, 6, 8, 12} {
		for _, rho := range []float64{0, 0.3, 0.6, 0.9} {
			if rows == 1 && rho > 0 || !*long && rho > 0 && rows != 6 {
				continue
			}
			alphas := Alphas(looks, rows)
			atEnd, ever := 0, 0
			for s := range n {
				rng := rand.New(rand.NewPCG(uint64(s), 31))
				samples := drawn(rng, noise{draw: contaminated}, rows, 30, rho)
				most, last := 0, 0 // rows that differ, at any look and at the last one
				for k, look := range looks {
					parts := make([][]float64, rows)
					for i := range parts {
						parts[i] = samples[i][:look]
					}
					last = 0
					for _, w := range weigh(parts, levelOf(looks, k, rows, alphas[k]), 1) {
						if w.differs {
							last++
						}
					}
					if most = max(most, last); last == rows {
						break
					}
				}
				if most > 0 {
					ever++
				}
				if last > 0 {
					atEnd++
				}
			}
			t.Logf("%2d rows alike by %.1f: %.1f %% at the end, %.1f %% at any look, by %d seeds", rows, rho,
				100*float64(atEnd)/float64(n), 100*float64(ever)/float64(n), n)
			if float64(ever)/float64(n) > total+room {
				t.Errorf("%d rows alike by %.1f: a difference is shown in %d of %d comparisons", rows, rho, ever, n)
			}
		}
	}
}

// Rows that do differ use up none of the level of the one that does not: it has the level of one row alone when they are
// shown.
func TestOneAmongMany(t *testing.T) {
	for _, rows := range []int{1, 2, 3, 6, 12} {
		samples := rowsOf(rand.New(rand.NewPCG(seed, 32)), contaminated, rows, 30, 0)
		for i := range rows - 1 {
			for at := range samples[i] {
				samples[i][at] += 1
			}
		}
		c := comparisonOf(samples, 30)
		c.Looks, c.Alphas = c.Looks[2:], c.Alphas[2:] // as if the others had not been
		Analyze(c)
		low, high := stats.TrimmedMean(samples[rows-1]).Interval(c.Alphas[0] / float64(1))
		if r := c.Rows[rows-1]; math.Abs(*r.Low-math.Exp(low)) > 1e-9 || math.Abs(*r.High-math.Exp(high)) > 1e-9 {
			t.Errorf("%d rows: from %g to %g, want %g to %g", rows, *r.Low, *r.High, math.Exp(low), math.Exp(high))
		}
		alone := levelOf([]int{10, 20, 30}, 2, rows, Alphas([]int{10, 20, 30}, rows)[2])
		for left := 1; left <= rows; left++ {
			if want := Alphas([]int{10, 20, 30}, left)[2] / float64(left); math.Abs(alone.each(left)-want) > 1e-12 {
				t.Errorf("of %d rows %d are left: each has %g, want %g", rows, left, alone.each(left), want)
			}
			if left > 1 && alone.each(left) >= alone.each(left-1) {
				t.Errorf("one of %d has %g, and one of %d has %g", left, alone.each(left), left-1, alone.each(left-1))
			}
		}
	}
}

// Holm's procedure by its definition: the least p first, until one is above its level.
func TestHolm(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed, 33))
	for range 2000 {
		rows := 1 + rng.IntN(8)
		l := levelOf([]int{10, 20, 30}, 1, rows+rng.IntN(3), 0.04)
		var tested []*weight
		for range rows {
			p := 0.04 / float64(rows) * 2 * rng.Float64()
			tested = append(tested, &weight{p: p * (0.5 + 0.5*rng.Float64()), larger: p})
		}
		l.holm(tested)
		left, shown := rows, map[*weight]bool{}
		for left > 0 {
			var next *weight
			for _, w := range tested {
				if !shown[w] && (next == nil || w.larger < next.larger) {
					next = w
				}
			}
			if next.larger > l.each(left) {
				break
			}
			shown[next] = true
			left--
		}
		for _, w := range tested {
			if w.differs != shown[w] || w.differs != (w.adjusted <= l.all()) || w.adjusted < w.larger {
				t.Fatalf("p %g of %d rows, %d of them shown: it differs %t (%g)", w.larger, rows, rows-left, w.differs, w.adjusted)
			}
			if !shown[w] && (w.level != l.each(left) || w.vetoed != (w.p <= w.level)) {
				t.Errorf("%d of %d are left: its level is %g, vetoed %t", left, rows, w.level, w.vetoed)
			}
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
