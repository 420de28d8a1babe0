package vary

import "math/rand/v2"

// Run is one run of a sweep: the cell that it measures, from 0 on, and which time that is, from 1 on.
type Run struct{ Cell, Repeat int }

// Given is the order in which the cells stand, all of them once, and then again.
func Given(cells, repeats int) []Run {
	var runs []Run
	for repeat := range repeats {
		for cell := range cells {
			runs = append(runs, Run{cell, repeat + 1})
		}
	}
	return runs
}

// Random is an order of all runs at random, the same for the same seed. Levels and repeats are mixed: what goes on
// beside them for minutes would else fall on all repeats of one level, which then look more alike than they are, or on
// one repeat of all levels. With half of the variance per level, intervals of 95% cover the truth 77 times in 100.
func Random(cells, repeats int, seed uint64) []Run {
	runs := Given(cells, repeats)
	r := rand.New(rand.NewPCG(seed, uint64(len(runs))))
	r.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
	return runs
}
