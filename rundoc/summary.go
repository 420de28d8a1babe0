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
	// Free is the same operations without the generator's own delay, in response and service times; nil where
	// that is not known. Its Free is nil. Free to raw is the span of a figure.
	Free *Summary `json:"free,omitempty"`
}

// percentile is one of a Summary's percentiles.
type percentile struct {
	name     string
	permille int64
	value    **int64
}

// percentiles are all that a Summary has: a new one is a field above, and a line here.
func (s *Summary) percentiles() []percentile {
	return []percentile{
		{"p50", 500, &s.P50NS},
		{"p90", 900, &s.P90NS},
		{"p95", 950, &s.P95NS},
		{"p99", 990, &s.P99NS},
		{"p99.9", 999, &s.P999NS},
	}
}

// SetPercentiles sets each percentile to the time in ns at it, or to nil where the sample does not support it. A
// percentile is given in thousandths: 990 is the p99.
func (s *Summary) SetPercentiles(at func(permille int64) *int64) {
	for _, p := range s.percentiles() {
		*p.value = at(p.permille)
	}
}
