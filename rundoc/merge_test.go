package rundoc

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// mergeTimes returns n times from one of four distributions, from 1 ns to beyond the range of a histogram.
func mergeTimes(rng *rand.Rand, n int) []int64 {
	list := make([]int64, n)
	shape, middle := rng.IntN(4), math.Exp(rng.Float64()*25)
	for i := range list {
		switch shape {
		case 0:
			list[i] = int64(middle * math.Exp(rng.NormFloat64()))
		case 1:
			list[i] = rng.Int64N(3)
		case 2:
			list[i] = int64(middle)
		default:
			list[i] = rng.Int64N(1 << (1 + rng.IntN(43)))
		}
	}
	return list
}

// summaryOf returns the summary that a run document stores for times.
func summaryOf(times []int64) Summary {
	const most = 1<<42 - 1
	h := hdrhistogram.New(1, 1<<42, 3)
	e := Exact{Min: math.MaxInt64}
	for _, t := range times {
		_ = h.RecordValue(min(t, most))
		e = Exact{min(e.Min, t), max(e.Max, t), e.Sum + t}
	}
	return Summarize(h, e)
}

// The merged histogram is the same bit for bit, and so is everything derived from it, whatever the order of the parts
// and whether they are merged at once or in two steps.
func TestMergedSummariesEqualTheSummaryOfAllTimes(t *testing.T) {
	for seed := range uint64(15) {
		rng := rand.New(rand.NewPCG(seed, 17))
		var all []int64
		var parts []Summary
		for range 1 + rng.IntN(12) {
			times := mergeTimes(rng, rng.IntN(400)*rng.IntN(5))
			all = append(all, times...)
			parts = append(parts, summaryOf(times))
		}
		want := summaryOf(all)
		for range 4 {
			rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			whole, err := MergeSummaries(parts...)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			cut := rng.IntN(len(parts) + 1)
			one, _ := MergeSummaries(parts[:cut]...)
			other, _ := MergeSummaries(parts[cut:]...)
			steps, err := MergeSummaries(one, other)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for _, got := range []Summary{whole, steps} {
				if off := got.MeanNS - want.MeanNS; off < -2 || off > 2 { // documents have it to 1 ns
					t.Errorf("seed %d: the mean is %d, want %d", seed, got.MeanNS, want.MeanNS)
				}
				got.MeanNS = want.MeanNS
				if got.HDR != want.HDR {
					t.Errorf("seed %d: %d times in %d parts: the histogram is another one", seed, len(all), len(parts))
				}
				if !got.same(&want) || got.StddevNS != want.StddevNS {
					t.Errorf("seed %d: %d times in %d parts: %+v\nwant %+v", seed, len(all), len(parts), got, want)
				}
			}
		}
	}
}
