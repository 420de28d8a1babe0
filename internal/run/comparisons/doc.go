// Package comparisons makes comparisons: launches of two sides in turn, until it is known which is worse or as many
// were made as may be, and the set that all their runs are.
//
// It stands above run, of which each member has the whole life but that it is not shown; what follows from the launches
// is contrast's. A Comparison belongs to the goroutine that makes it.
package comparisons
