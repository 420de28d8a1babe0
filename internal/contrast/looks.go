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
// says. Of one row, which may well be decided early, the last look has three times as much as the one before it; of
// several, which seldom all are, six times.
//
// Levels of other looks add up to total, so that no more need be known of them: a single one has it all; of several the
// last has three fifths, and each of the others twice as much as the one before it.
func Alphas(looks []int, rows int) []float64 {
	if slices.Equal(looks, []int{10, 20, 30}) {
		rows = min(max(1, rows), len(tuned()))
		unit, late := tuned()[rows-1], shape(rows)
		return []float64{unit * late[0], unit * late[1], unit * late[2]}
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

// tuned are the levels of the first look for 1, 2, … rows; that of the last is for more, too.
func tuned() []float64 {
	return []float64{0.0073, 0.0046, 0.0047, 0.0048, 0.0049, 0.005}
}

// shape is how the levels of the three looks of so many rows are to each other.
func shape(rows int) [3]float64 {
	if rows == 1 {
		return [3]float64{1, 2, 6}
	}
	return [3]float64{1, 2, 12}
}

// A level is that of a look for all rows together, by how many of them are left when Holm's procedure comes to one. It
// begins with the level for one row, and ends with that for all of the comparison.
type level []float64

// levelOf is the level of a look, whose given one is for all rows: for fewer it is less by as much as the levels tuned
// for fewer are, and never more.
func levelOf(looks []int, k, rows int, given float64) level {
	l := make(level, max(1, rows))
	all := Alphas(looks, len(l))
	for left := range l {
		l[left] = given
		if k < len(all) {
			l[left] *= min(1, Alphas(looks, left+1)[k]/all[k])
		}
	}
	return l
}

// all is the level for all rows together: that of the document.
func (l level) all() float64 { return l[len(l)-1] }

// each is the level of one of so many rows that are left.
func (l level) each(left int) float64 { return l[left-1] / float64(left) }
