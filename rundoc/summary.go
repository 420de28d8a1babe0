package rundoc

import (
	"math"
	"math/big"

	"github.com/HdrHistogram/hdrhistogram-go"
)

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

// WithoutHistogram is the summary without its distribution, nor that of its free figures: for a place whose times
// are somewhere else in the document in full.
func (s Summary) WithoutHistogram() Summary {
	s.HDR = ""
	if s.Free != nil {
		s.Free = new(s.Free.WithoutHistogram())
	}
	return s
}

// MinAbove is how many observations must lie above a percentile for a Summary to show it:
// with fewer, the figure is hardly more than one lucky or unlucky observation.
const MinAbove = 10

// Exact holds the figures that a histogram keeps only approximately. They are kept beside
// it, over the same observations.
type Exact struct {
	Min, Max int64 // ns
	Sum      int64 // ns; the mean is Sum ÷ the histogram's count
}

// Summarize makes the summary of the observations in h, whose exact figures are exact. The
// histogram must have three significant digits and the unit 1 ns, as hdrhistogram.New(1,
// highest, 3) makes it; an observation above its highest value must have been recorded as
// that value, so that the counts are whole. An empty or nil histogram gives an empty summary.
func Summarize(h *hdrhistogram.Histogram, exact Exact) Summary {
	if h == nil || h.TotalCount() == 0 {
		return Summary{}
	}
	return summarize(h, exact.Min, exact.Max, meanOf(big.NewInt(exact.Sum), h.TotalCount()))
}

func summarize(h *hdrhistogram.Histogram, lowest, highest, mean int64) Summary {
	s := Summary{
		Count:    h.TotalCount(),
		MinNS:    lowest,
		MeanNS:   mean,
		StddevNS: int64(math.Round(h.StdDev())),
		MaxNS:    highest,
	}
	s.setPercentiles(h.ValueAtPercentile)
	// Encode writes to memory and can only fail for an unknown version.
	if b, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase); err == nil {
		s.HDR = string(b)
	}
	return s
}

// setPercentiles takes the percentiles that the sample supports from its histogram, which has a value at each.
func (s *Summary) setPercentiles(at func(percentile float64) int64) {
	s.SetPercentiles(func(permille int64) *int64 {
		if !Supports(s.Count, permille) {
			return nil
		}
		v := at(float64(permille) / 10)
		v = max(s.MinNS, min(v, s.MaxNS))
		return &v
	})
}

// Supports reports whether at least MinAbove of count observations have a rank above that of a percentile, given in
// thousandths: count − ⌈count·p⌉ = ⌊count·(1−p)⌋. Whatever shows a percentile of whatever kind asks here, and leaves it
// out where the answer is no.
func Supports(count, permille int64) bool { return count >= Needs(permille) }

// Needs is how many observations a percentile takes, given in thousandths and below 1000, for a sample to support it.
func Needs(permille int64) int64 {
	above := 1000 - permille
	return (MinAbove*1000 + above - 1) / above
}

// meanOf is sum ÷ count, rounded to the nearest integer.
func meanOf(sum *big.Int, count int64) int64 {
	n := big.NewInt(count)
	half := new(big.Int).Rsh(n, 1)
	return half.Add(half, sum).Div(half, n).Int64()
}
