// Package spread holds the moments at which several servers had applied the batches of a run against each other: from
// when a batch was due to when the first and the last of them had it, and how far they were apart.
//
// It stands at the end of a run, between what the servers told and the run document. A Sum is used by one goroutine.
package spread
