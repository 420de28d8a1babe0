package contrast

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/setdoc"
)

// falsely is the share of comparisons in which some row differs at some look, where none does.
func falsely(rng *rand.Rand, from noise, rows, most, n int, rho float64) float64 {
	looks := Looks(most)
	alphas := Alphas(looks, rows)
	count := 0
	for range n {
		samples := drawn(rng, from, rows, most, rho)
		for k, level := range firstShown(samples, looks, 2*total) {
			if level <= alphas[k] {
				count++
				break
			}
		}
	}
	return float64(count) / float64(n)
}

// All looks together show a difference in no more than 5% of the comparisons without one, whichever is stopped at.
func TestFalseDifferencesAreRareAtAllInterimAnalyses(t *testing.T) {
	n, all := 150, []int{1, 6}
	if long {
		n, all = 10000, []int{1, 2, 3, 4, 6, 8, 10, 12, 15}
	}
	rng := rand.New(rand.NewPCG(seed, 21))
	room := 4 * math.Sqrt(total*(1-total)/float64(n))
	for _, rows := range all {
		for _, from := range noises() {
			for _, rho := range []float64{0, 0.6} {
				if rho > 0 && (rows == 1 || !long) {
					continue
				}
				got := falsely(rng, from, rows, 30, n, rho)
				t.Logf("%2d rows alike by %.1f, %-12s: %.2f%%", rows, rho, from.name, 100*got)
				if got > total+room {
					t.Errorf("%d rows alike by %g, %s: %.1f%%", rows, rho, from.name, 100*got)
				}
			}
		}
	}
	several := []int{10, 15, 50}
	if long {
		several = []int{10, 12, 15, 20, 24, 50, 100}
	}
	for _, most := range several {
		for _, from := range noises()[:2] {
			got := falsely(rng, from, 1, most, n, 0)
			t.Logf("at most %3d launches, %-12s: %.2f%%", most, from.name, 100*got)
			if got > total+room {
				t.Errorf("at most %d launches, %s: %.1f%%", most, from.name, 100*got)
			}
		}
	}
}

// The interval of a row holds the truth as often as its level says, nearly.
func TestIntervalsCoverTheTruth(t *testing.T) {
	n := 400
	if long {
		n = 40000
	}
	least := 0.92
	if !long {
		least -= binomialRoom(least, n)
	}
	rng := rand.New(rand.NewPCG(seed, 22))
	for _, launches := range []int{10, 20, 30} {
		for _, from := range noises() {
			const level = 0.05
			covered, byMean := 0, 0
			for range n {
				values := drawn(rng, from, 1, launches, 0)[0]
				if low, high := stats.TrimmedMean(values).Interval(level); low <= 0 && high >= 0 {
					covered++
				}
				mean, err := meanOf(values)
				if math.Abs(mean) <= stats.StudentQuantile(1-level/2, float64(launches-1))*err {
					byMean++
				}
			}
			got := float64(covered) / float64(n)
			t.Logf("%d launches, %-12s: %.2f%% (of the mean: %.2f%%)", launches, from.name, 100*got, 100*float64(byMean)/float64(n))
			if got < least {
				t.Errorf("%d launches, %s: the interval for 95%% covers the truth in %.1f%%", launches, from.name, 100*got)
			}
		}
	}
}

// A change as large as a comparison says that it would have seen is seen by nine of ten others. Where the noise is very
// skewed, comparisons differ in how large their noise is, and three of four see it.
func TestSmallestDetectableChangeIsDetected(t *testing.T) {
	n, all := 50, noises()[1:2]
	if long {
		n, all = 3000, noises()
	}
	for _, from := range all {
		for _, rows := range []int{1, 6} {
			rng := rand.New(rand.NewPCG(seed, 23))
			seen, asked, least, most := 0, 0, math.Inf(1), 0.0
			for range n {
				c := comparisonOf(rowsOf(rng, from.draw, rows, 30, 0), 30)
				Analyze(c)
				if c.Rows[0].Outcome != setdoc.NoneShown {
					continue
				}
				asked++
				smallest := *c.Rows[0].Smallest
				least, most = min(least, smallest), max(most, smallest)
				again := comparisonOf(rowsOf(rng, from.draw, rows, 30, smallest), 30)
				if Analyze(again); again.Rows[0].Outcome == setdoc.Worse {
					seen++
				}
			}
			got := float64(seen) / float64(asked)
			t.Logf("%d rows, %-12s: from %.1f to %.1f%% is found in %.1f%%", rows, from.name, 100*least, 100*most, 100*got)
			bound := 0.7
			if !long {
				bound -= binomialRoom(bound, asked)
			}
			if got < bound || got > 0.99 {
				t.Errorf("%d rows, %s: found in %.1f%%", rows, from.name, 100*got)
			}
		}
	}
}
