package rundoc

import (
	"math"
	"math/big"

	"github.com/HdrHistogram/hdrhistogram-go"
)

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
	s.setPercentiles(h)
	// Encode writes to memory and can only fail for an unknown version.
	if b, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase); err == nil {
		s.HDR = string(b)
	}
	return s
}

// setPercentiles takes from h the percentiles that the sample supports.
func (s *Summary) setPercentiles(h *hdrhistogram.Histogram) {
	s.SetPercentiles(func(permille int64) *int64 {
		if !supported(s.Count, permille) {
			return nil
		}
		v := h.ValueAtPercentile(float64(permille) / 10)
		v = max(s.MinNS, min(v, s.MaxNS))
		return &v
	})
}

// supported reports whether at least MinAbove of count observations have a rank above the
// percentile's: count − ⌈count·p⌉ = ⌊count·(1−p)⌋. Divided before it is multiplied, so that
// it cannot overflow.
func supported(count, permille int64) bool {
	above := count/1000*(1000-permille) + count%1000*(1000-permille)/1000
	return above >= MinAbove
}

// meanOf is sum ÷ count, rounded to the nearest integer.
func meanOf(sum *big.Int, count int64) int64 {
	n := big.NewInt(count)
	half := new(big.Int).Rsh(n, 1)
	return half.Add(half, sum).Div(half, n).Int64()
}
