// Package otelthroughput makes OpenTelemetry metrics of the timelines of package throughput,
// with the names, units and attributes of the semantic conventions for HTTP clients where
// those have one. It needs the metric API alone, not an SDK, and stands apart so that only
// who wants OpenTelemetry depends on it.
//
// A figure that a timeline does not know is not recorded.
//
// An [Observer] may be used by many goroutines at the same time.
package otelthroughput
