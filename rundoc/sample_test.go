package rundoc

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// TestASampleSaysWhatItsHistogramDoes compares it with the library, which walks all its buckets for each figure.
func TestASampleSaysWhatItsHistogramDoes(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, most := range []int64{2000, 1 << 20, 1 << 42} {
		for _, n := range []int{1, 2, 50, 20_000} {
			h := hdrhistogram.New(1, most, 3)
			for range n {
				_ = h.RecordValue(int64(math.Exp(rng.Float64() * math.Log(float64(most)))))
			}
			if n == 50 {
				_ = h.RecordValue(0)
				_ = h.RecordValue(most)
			}
			s := newSample(h)
			if s.total != h.TotalCount() || s.lowest() != h.Min() || s.highest() != h.Max() || s.mean() != h.Mean() ||
				s.deviation() != h.StdDev() || s.most != h.HighestTrackableValue() {
				t.Errorf("seed %d, %d of %d: %d to %d, mean %g ± %g; the library has %d to %d, %g ± %g", seed, n, most,
					s.lowest(), s.highest(), s.mean(), s.deviation(), h.Min(), h.Max(), h.Mean(), h.StdDev())
			}
			for p := 0.1; p <= 100; p += 0.1 {
				if s.at(p) != h.ValueAtPercentile(p) {
					t.Errorf("seed %d, %d of %d: at %g %d, and %d by the library", seed, n, most, p, s.at(p),
						h.ValueAtPercentile(p))
				}
			}
			text, _ := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
			if s.encode() != string(text) {
				t.Errorf("seed %d, %d of %d: it is encoded otherwise", seed, n, most)
			}
		}
	}
}
