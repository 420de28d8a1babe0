package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A time is in the bin that begins at it or below it, and each bin is narrow.
func TestBins(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 10_000 {
		ns := rng.Int64N(1 << (1 + rng.IntN(42)))
		bin := Bin(ns)
		if bin >= Bins || BinLow(bin) > float64(ns) || BinLow(bin+1) <= float64(ns) ||
			BinLow(bin+1)-BinLow(bin) > max(1, 0.016*float64(ns)+1) {
			t.Fatalf("%d is in bin %d, from %v to %v", ns, bin, BinLow(bin), BinLow(bin+1))
		}
	}
	if Bin(-1) != 0 || Bin(1<<62) != Bins-1 {
		t.Error("the ends")
	}
}

// However many values there are, the batches are few, equally large but for the last, and hold all of them in order.
func TestSequenceHoldsEveryValue(t *testing.T) {
	for _, n := range []int{0, 1, 100, 128, 129, 1000, 100_003} {
		var s Sequence
		for i := range n {
			s.Add(int64(i))
		}
		copied := s.Clone()
		s.Add(5)
		list, all := copied.Above(0.5), int64(0)
		for i, b := range list {
			all += b.N
			if i < len(list)-1 && b.N != list[0].N {
				t.Errorf("%d: batch %d has %d, the first %d", n, i, b.N, list[0].N)
			}
			if len(list) > 10 && (i < len(list)/3 && b.Above != 0 || i > 2*len(list)/3 && b.Above != b.N) {
				t.Errorf("%d: batch %d of %d has %d of %d above the middle", n, i, len(list), b.Above, b.N)
			}
		}
		if all != int64(n) || len(list) > mostBatches || n > mostBatches && len(list) < mostBatches/2 {
			t.Errorf("%d values: %d in %d batches", n, all, len(list))
		}
		var sum, number float64
		for _, p := range copied.Parts() {
			sum, number = sum+p.Of, number+p.All
		}
		if want := float64(n) * float64(n-1) / 2; number != float64(n) || math.Abs(sum-want) > 0.03*want+float64(3*n) {
			t.Errorf("%d values: the parts have %v of %v", n, sum, number)
		}
	}
}

// The intervals of the ratio of parts that are alike hold the true one, and say nothing of too few.
func TestRatiosHoldTheTruth(t *testing.T) {
	trials := 200
	if nightly() {
		trials = 1000
	}
	rng := rand.New(rand.NewPCG(firstSeed, 21))
	for _, rho := range []float64{0, 0.5, 0.9} {
		covered := [2]int{}
		for range trials {
			level := rng.NormFloat64()
			parts := make([]Part, 128)
			for i := range parts {
				level = rho*level + math.Sqrt(1-rho*rho)*rng.NormFloat64()
				n := 50 + float64(rng.IntN(100))
				parts[i] = Part{n * (10 + level), n}
			}
			for i, of := range []func([]Part) (float64, float64, bool){Ratio, MeanOf} {
				if ratio, half, known := of(parts); known && math.Abs(ratio-10) <= half {
					covered[i]++
				}
			}
		}
		t.Logf("alike by %v: %.1f and %.1f%% hold it", rho, 100*float64(covered[0])/float64(trials), 100*float64(covered[1])/float64(trials))
		for i, n := range covered {
			if n < trials*[]int{85, 90}[i]/100 {
				t.Errorf("alike by %v: %d of %d hold it", rho, n, trials)
			}
		}
	}
	if _, _, known := Ratio(make([]Part, leastParts-1)); known {
		t.Error("too few parts have an interval")
	}
	if _, _, known := MeanOf([]Part{{1, 1}, {1, 1}, {1, 1}, {1, 1}, {0, 0}}); known {
		t.Error("too few parts that have anything have an interval")
	}
}
