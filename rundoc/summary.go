package rundoc

// Summary describes how long operations took.
//
// A percentile is the value at that percentile of the histogram in HDR: the largest value
// equivalent, at three significant digits, to the observation of rank ⌈p·Count⌉, brought
// into the exact range MinNS to MaxNS. A percentile that the sample cannot support (fewer
// than MinAbove observations of a higher rank) is absent. MinNS, MaxNS and MeanNS are exact,
// the mean rounded to 1 ns; StddevNS comes from the histogram. Of an empty sample there is
// nothing but its count; where Count is above 0, an omitted minimum, mean, deviation or
// maximum is 0.
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
