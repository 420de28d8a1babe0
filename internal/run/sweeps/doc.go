// Package sweeps carries a sweep out: it resolves a command of a kind for every cell before anything starts, makes the
// runs in their order as members of a set, and keeps the analysis of what is there in the set's document.
//
// It stands above internal/run and internal/run/several, between the command line, which says what is varied, and
// internal/sweep, which knows what the rows come to. It knows no kind of traffic. A Sweep belongs to one goroutine.
package sweeps
