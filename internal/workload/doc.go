// Package workload is the interface between the engine, which decides when an operation
// starts and what its time is, and the kinds of traffic, which know how to perform one. The
// packages below it are the kinds. A Gate is for those whose clients go on together.
//
// It stands between plan and engine. A Client is used by the goroutines of its slots (one
// for each operation that it may have in flight) at the same time; all else is called by one
// goroutine at a time.
package workload
