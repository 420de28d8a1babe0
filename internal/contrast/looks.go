package contrast

import (
	"math"
	"slices"
)

// Least is the number of launches below which nothing is said of a difference: with fewer, a fifth cut off at each end
// leaves less than six, and the sign-flip test has no small p.
const Least = 10

// Looks are the numbers of launches after which a comparison of at most so many is judged: 10, twice as many and so on,
// and the most: 10, 20 and 30 for 30. A look that the last one exceeds by a quarter or less is left out. Of fewer than
// Least it is their number, and no row has an outcome then.
func Looks(most int) (looks []int) {
	most = min(max(1, most), 1<<20) // nobody waits for more
	for n := Least; 5*n < 4*most; n *= 2 {
		looks = append(looks, n)
	}
	return append(looks, most)
}

// total is how often, at most, any figure is said to differ where none does, over all looks.
const total = 0.05

// Alphas are the levels of these looks, for so many rows together. They are fixed before the first launch.
//
// Those of 10, 20 and 30 launches were tuned by simulation (TestTune), each at its number of rows: they add up to more
// than total, as looks at the same launches mostly err together, and the test of a few values errs less than its level
// says. Levels of other looks add up to total, so that no more need be known of them: a single one has it all; of
// several the last has three fifths, and each of the others twice as much as the one before it.
func Alphas(looks []int, rows int) []float64 {
	if slices.Equal(looks, []int{10, 20, 30}) {
		unit := tuned()[min(max(1, rows), len(tuned()))-1]
		return []float64{unit, 2 * unit, 6 * unit}
	}
	early := len(looks) - 1
	if early < 1 {
		return slices.Repeat([]float64{total}, len(looks))
	}
	alphas := make([]float64, len(looks))
	for k := range early {
		alphas[k] = 0.4 * total * math.Exp2(float64(k)) / (math.Exp2(float64(early)) - 1)
	}
	alphas[early] = 0.6 * total
	return alphas
}

// tuned are the levels of the first look for 1, 2, … rows; that of the last is for more, too. With them the most false
// differences of any noise and number of rows were 4.8 % of 10,000 comparisons (TestLevels, -long): normal noise had
// 4.7 % by one row and 4.6 % by six, a tenth of wild launches 4.6 and 4.5 %, skewed sides 3.8 and 3.1 %.
func tuned() []float64 {
	return []float64{0.008, 0.0085, 0.009, 0.009, 0.0093}
}
