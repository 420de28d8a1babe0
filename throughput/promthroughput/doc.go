// Package promthroughput makes Prometheus metrics of the timelines of package throughput, as
// histograms, native unless classic buckets are asked for. It stands apart so that only who wants
// Prometheus depends on it.
//
// The figures that a timeline does not know are not observed: a histogram's count can be
// lower than that of the attempts, and never holds a zero that stands for "unknown".
//
// An [Observer] may be used by many goroutines at the same time.
package promthroughput
