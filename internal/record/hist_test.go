package record

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// times draws times over the whole range, as many small as large ones.
func times(seed uint64, n int) []int64 {
	r := rand.New(rand.NewPCG(seed, 0))
	list := make([]int64, n)
	for i := range list {
		list[i] = r.Int64N(1 << r.IntN(maxBits))
	}
	return list
}

// TestHistogramMatchesHdrHistogram compares the counts with HdrHistogram, bucket by bucket.
func TestHistogramMatchesHdrHistogram(t *testing.T) {
	h, want := newHist(fine), hdrhistogram.New(1, 1<<maxBits, 3)
	for _, ns := range append(times(1, 100000), 0, 1, 2047, 2048, 1<<maxBits-1) {
		h.add(ns)
		if err := want.RecordValue(ns); err != nil {
			t.Fatal(err)
		}
	}
	got, err := merge(h).hdr()
	if err != nil {
		t.Fatal(err)
	}
	if !got.Equals(want) {
		t.Error("the counts differ")
	}
}

func TestBucketsCoverEveryTimeOnce(t *testing.T) {
	for _, p := range []precision{fine, coarse, rough} {
		for i := range p.size() - 1 {
			low, next := p.low(i), p.low(i+1)
			if p.index(low) != i || p.index(next-1) != i || next <= low {
				t.Fatalf("%+v: bucket %d is %d to %d, whose indexes are %d and %d",
					p, i, low, next-1, p.index(low), p.index(next-1))
			}
			if width := next - low; low > 1<<p.unit<<(p.half+1) &&
				float64(width) > float64(low)/float64(int64(1)<<p.half) {
				t.Fatalf("%+v: bucket %d is %d wide at %d", p, i, width, low)
			}
		}
		if i := p.index(1 << 60); i != p.size()-1 {
			t.Errorf("%+v: a time beyond the range has index %d of %d", p, i, p.size())
		}
	}
}

func TestQuantilesAndExactValues(t *testing.T) {
	const seed = 7
	list := times(seed, 5000)
	h := newHist(coarse)
	var sum int64
	for _, ns := range list {
		h.add(ns)
		sum += ns
	}
	slices.Sort(list)
	m := merge(h)
	if m.n != 5000 || m.min != list[0] || m.max != list[4999] || m.mean() != sum/5000 {
		t.Errorf("seed %d: n %d, min %d, max %d, mean %d", seed, m.n, m.min, m.max, m.mean())
	}
	for _, q := range []float64{.01, .5, .99, 1} {
		want := list[max(int(q*5000)-1, 0)]
		if got := m.quantile(q); float64(got) < .99*float64(want)-128 || float64(got) > 1.01*float64(want)+128 {
			t.Errorf("seed %d: quantile %v is %d, want %d", seed, q, got, want)
		}
	}
	above := int64(0)
	for _, ns := range list {
		if coarse.index(ns) > coarse.index(1e6) {
			above++
		}
	}
	if got := m.above(1e6); got != above {
		t.Errorf("seed %d: %d above 1 ms, want %d", seed, got, above)
	}
	if empty := merge(newHist(fine)); empty.quantile(.5) != 0 || empty.mean() != 0 || empty.min != 0 {
		t.Errorf("an empty histogram gives %+v", empty)
	}
}

// TestDrainAndMergeLoseNothing merges shards in two orders while others still add.
func TestDrainAndMergeLoseNothing(t *testing.T) {
	a, b := newHist(coarse), newHist(coarse)
	list := times(3, 20000)
	var drained int64
	var adding sync.WaitGroup
	for i, h := range []*hist{a, b, a, b} {
		adding.Go(func() {
			for _, ns := range list[i*5000 : (i+1)*5000] {
				h.add(ns)
			}
		})
	}
	for range 50 {
		drained += drain(a, b).n
	}
	adding.Wait()
	x, y := merge(a, b), merge(b, a)
	if drained+x.n != 20000 || !slices.Equal(x.counts, y.counts) {
		t.Errorf("%d drained and %d left of 20000; orders agree: %v", drained, x.n, slices.Equal(x.counts, y.counts))
	}
}
