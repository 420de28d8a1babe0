// Package threshold is a goal for a figure of a run: "p99<50ms", "failed<0.1%", "visibility.p99<200ms".
//
// A goal is read once (Parse), before a run begins, and held against the run's document (Judge): when that is made,
// and again whenever it is read (Reread). What comes of it is a rundoc.Threshold, which the document keeps and
// reports show.
//
// It stands above figure, which knows what the figures are, and below the kit of reports and the life of a run. All
// are functions of their arguments, safe for concurrent use.
package threshold
