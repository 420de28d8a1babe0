package contrast

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/plimsoll/plimsoll/setdoc"
)

const (
	// seed is that of all simulations here, and was not chosen by what they show.
	seed = 1
	// trials is the number of comparisons of a short simulation.
	trials = 100
)

// trialsOf returns the number of comparisons of a simulation.
func trialsOf() int {
	if long {
		return 5000
	}
	return trials
}

// binomialRoom returns three standard deviations of a share p of n trials.
func binomialRoom(p float64, n int) float64 { return 3 * math.Sqrt(p*(1-p)/float64(n)) }

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

// Same against same: no row, after Holm and over all looks, but in 5% of the comparisons.
func TestSameAgainstSameShowsNoDifference(t *testing.T) {
	bound := 0.09
	if !long {
		bound = total + binomialRoom(total, trialsOf())
	}
	for _, rows := range []int{1, 6} {
		ours := shareOf(trialsOf(), func(rng *rand.Rand) bool {
			c := comparisonOf(rowsOf(rng, contaminated, rows, 30, 0), 30)
			Analyze(c)
			return differs(c.Rows)
		})
		t.Logf("%d rows: a difference is shown in %.1f%%", rows, 100*ours)
		if ours > bound {
			t.Errorf("%d rows: a difference is shown in %.1f%%, where there is none", rows, 100*ours)
		}
	}
}

// Same against same by a thousand seeds, at each number of rows, independent of each other and alike: what is said at the
// end, and what anybody would have read who looked at any moment.
func TestCorrelatedRowsShowNoFalseDifference(t *testing.T) {
	n := 200
	if long {
		n = 10000
	}
	looks := Looks(30)
	room := 4 * math.Sqrt(total*(1-total)/float64(n))
	for _, rows := range []int{1, 2, 4, 6, 8, 12} {
		for _, rho := range []float64{0, 0.3, 0.6, 0.9} {
			if rows == 1 && rho > 0 || !long && rho > 0 && rows != 6 {
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
			t.Logf("%2d rows alike by %.1f: %.1f%% at the end, %.1f%% at any look, by %d seeds", rows, rho,
				100*float64(atEnd)/float64(n), 100*float64(ever)/float64(n), n)
			if float64(ever)/float64(n) > total+room {
				t.Errorf("%d rows alike by %.1f: a difference is shown in %d of %d comparisons", rows, rho, ever, n)
			}
		}
	}
}

// A change by 5% is found, alone and among rows without one.
func TestFivePerCentIsFound(t *testing.T) {
	for _, tt := range []struct {
		rows  int
		bound float64
	}{{1, 0.9}, {6, 0.85}} {
		if !long {
			tt.bound -= binomialRoom(tt.bound, trialsOf())
		}
		ours := shareOf(trialsOf(), func(rng *rand.Rand) bool {
			c := comparisonOf(rowsOf(rng, contaminated, tt.rows, 30, 0.05), 30)
			Analyze(c)
			return c.Rows[0].Outcome == setdoc.Worse
		})
		t.Logf("%d rows: found in %.1f%%", tt.rows, 100*ours)
		if ours < tt.bound {
			t.Errorf("%d rows: 5%% is found in %.1f%% of the comparisons", tt.rows, 100*ours)
		}
	}
}
