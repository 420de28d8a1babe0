package rundoc

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// TestSampleAgreesWithItsHistogram compares it with the library, which walks all its buckets for each figure.
func TestSampleAgreesWithItsHistogram(t *testing.T) {
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

// What is kept of the histograms of a document is bounded: each of these has 32,768 bars, 786 KiB, in a text of some
// hundred bytes.
func TestHistogramCacheIsBounded(t *testing.T) {
	h := hdrhistogram.New(1, 1<<42, 3)
	for shift := range 32 {
		for v := range int64(1024) {
			if err := h.RecordValue((1024 + v) << shift); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := newSamples()
	for i := range int64(80) {
		if err := h.RecordValue(1024 + i); err != nil {
			t.Fatal(err)
		}
		text, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		if err != nil {
			t.Fatal(err)
		}
		s, err := c.of(&Summary{Count: h.TotalCount(), HDR: string(text)})
		if err != nil || s.total != h.TotalCount() {
			t.Fatal(s, err)
		}
	}
	kept := 0
	for _, d := range c.kept {
		kept += len(d.sample.bars)
	}
	if kept < maxBars/2 || kept > maxBars {
		t.Errorf("%d bars of %d are kept", kept, 80*32*1024)
	}
}
