package contrast

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/plimsoll/plimsoll/internal/stats"
)

// long makes the simulations as long as those by which the levels of the interim analyses were found.
var long = os.Getenv("PLIMSOLL_NIGHTLY") != ""

// drawn are the logarithms of launches of several rows, which are alike by rho.
func drawn(rng *rand.Rand, from noise, rows, launches int, rho float64) [][]float64 {
	samples := make([][]float64, rows)
	for range launches {
		common := from.draw(rng)
		for i := range samples {
			samples[i] = append(samples[i], math.Sqrt(rho)*common+math.Sqrt(1-rho)*from.draw(rng))
		}
	}
	return samples
}

// firstShown is, for one comparison and each look, the level from which on a difference is shown in some row: Holm's
// procedure begins with the least p, so that this decides alone whether there is a false one. Levels above most are
// not told apart.
func firstShown(samples [][]float64, looks []int, most float64) []float64 {
	levels := make([]float64, len(looks))
	for k, n := range looks {
		levels[k] = 1
		for _, s := range samples {
			level := stats.TrimmedMean(s[:n]).P() * float64(len(samples))
			if level < levels[k] && level <= most {
				if flip := stats.SignFlip(s[:n], 1); flip > stats.LeastSignFlip(n) {
					level = max(level, flip*float64(len(samples)))
				}
			}
			levels[k] = min(levels[k], level)
		}
	}
	return levels
}

// TestTune finds the levels for each number of rows, so that no more than 4.8% of comparisons show a difference where
// there is none, whichever the noise and however alike the rows.
func TestTune(t *testing.T) {
	if os.Getenv("PLIMSOLL_TUNE") == "" {
		t.Skip("takes a quarter of an hour: set PLIMSOLL_TUNE=1")
	}
	const samples = 20000
	for rows := 1; rows <= 12; rows++ {
		least, where := math.Inf(1), ""
		for _, rho := range []float64{0, 0.6} { // rows that are more alike than that show less
			if rows == 1 && rho > 0 {
				continue
			}
			for _, from := range tuning() {
				rng := rand.New(rand.NewPCG(20260504, uint64(rows)))
				units := make([]float64, samples) // from which level of the first look on a difference is shown
				for i := range units {
					units[i] = math.Inf(1)
					for k, level := range firstShown(drawn(rng, from, rows, 30, rho), Looks(30), 0.1) {
						units[i] = min(units[i], level/shape(rows)[k])
					}
				}
				slices.Sort(units)
				unit := units[samples*48/1000]
				if unit < least {
					least, where = unit, from.name
				}
				ours := Alphas(Looks(30), rows)[0]
				at, _ := slices.BinarySearch(units, ours)
				t.Logf("%2d rows alike by %.2f, %-17s: %.2f%% by %.4f, …; 4.8%% by %.5f, …", rows, rho, from.name,
					100*float64(at)/samples, ours, unit)
			}
		}
		t.Logf("%2d rows: %.4f %.4f %.4f (%s)", rows, least, least*shape(rows)[1], least*shape(rows)[2], where)
	}
}

// tuning are the noises with most false differences.
func tuning() (list []noise) {
	for _, n := range noises() {
		if slices.Contains([]string{"normal", "contaminated", "no tails", "two peaks"}, n.name) {
			list = append(list, n)
		}
	}
	return list
}
