// Package stats computes what reports say beyond the run document: how far a figure can be
// trusted as an estimate, whether two samples differ, and how a throughput scales with the
// load; and the exact percentiles of single values.
//
// It stands beside the flow plan → engine → record → run document → report and serves its
// last stage. A result that the data cannot support says so, and why: doubts are data.
// Everything is a pure function, safe for concurrent use.
package stats
