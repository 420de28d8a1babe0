package rundoc

// Summary describes how long operations took. A percentile that the sample cannot support
// (fewer than 10 observations above it) is absent, and so is all of an empty sample but its
// count.
type Summary struct {
	Count    int64  `json:"count"`
	MinNS    int64  `json:"min_ns,omitempty"`
	MeanNS   int64  `json:"mean_ns,omitempty"`
	StddevNS int64  `json:"stddev_ns,omitempty"`
	P50NS    *int64 `json:"p50_ns,omitempty"`
	P90NS    *int64 `json:"p90_ns,omitempty"`
	P95NS    *int64 `json:"p95_ns,omitempty"`
	P99NS    *int64 `json:"p99_ns,omitempty"`
	P999NS   *int64 `json:"p999_ns,omitempty"`
	MaxNS    int64  `json:"max_ns,omitempty"`
	// HDR is the whole distribution: a compressed V2 HdrHistogram in base64, three
	// significant digits, unit 1 ns.
	HDR string `json:"hdr,omitempty"`
}
