package until

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/stats"
)

const quarter = 250 * time.Millisecond

// near reports whether two figures are the same but for rounding.
func near(a, b float64) bool {
	return a == b || !math.IsInf(a-b, 0) && math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b))
}

// in are times by bin: so many in each.
func in(counts map[int]uint32) []uint32 {
	times := make([]uint32, stats.Bins)
	for bin, n := range counts {
		times[bin] = n
	}
	return times
}

// There are 127 batches at most, in their order, each of as many stretches as the others; what came behind them is in
// none yet.
func TestEdgesOfBatches(t *testing.T) {
	times := func(i int) []uint32 {
		few := make([]uint32, 8)
		few[i%3], few[3+i%5] = 1, 2
		return few
	}
	for _, test := range []struct{ stretches, batches, each int }{
		{0, 0, 1}, {1, 1, 1}, {126, 126, 1}, {127, 127, 1}, {128, 64, 2}, {129, 64, 2}, {130, 65, 2}, {253, 126, 2},
		{254, 127, 2}, {255, 127, 2}, {256, 64, 4}, {259, 64, 4}, {260, 65, 4}, {512, 64, 8},
	} {
		var b Batches
		var want []Batch
		for i := range test.stretches {
			n := int64(i)
			add := Batch{Length: time.Duration(i + 1), OK: n, Failed: 2 * n, Count: 3 * n, Sum: 4 * float64(n),
				Times: times(i)}
			b.Add(add)
			if i%test.each == 0 {
				want = append(want, Batch{Times: make([]uint32, 8)})
			}
			w := &want[i/test.each]
			w.Length, w.OK, w.Failed, w.Count, w.Sum = w.Length+add.Length, w.OK+n, w.Failed+2*n, w.Count+3*n, w.Sum+4*float64(n)
			w.Times[i%3]++
			w.Times[3+i%5] += 2
		}
		want = want[:test.batches]
		if diff := cmp.Diff(want, slices.Clip(b.All())); diff != "" && len(want) > 0 || len(b.All()) != len(want) {
			t.Errorf("of %d: %d batches; %.500s", test.stretches, len(b.All()), diff)
		}
		together := test.batches * test.each
		if got := b.Length(); got != time.Duration(together*(together+1)/2) {
			t.Errorf("of %d: %v", test.stretches, got)
		}
		all := sum(b.All())
		if n := int64(together * (together - 1) / 2); all.OK != n || all.Count != 3*n || (all.Times != nil) != (test.batches > 0) {
			t.Errorf("of %d: %d, %d", test.stretches, all.OK, all.Count)
		}
	}
	if all := sum([]Batch{{OK: 1}, {OK: 2}}); all.Times != nil || all.OK != 3 {
		t.Error("times of none")
	}
}

func TestEdgesOfHalf(t *testing.T) {
	for _, test := range []struct {
		i    Interval
		want float64
	}{
		{Interval{Value: 10, Low: 8, High: 15}, 0.5}, {Interval{Value: 10, Low: 4, High: 11}, 0.6},
		{Interval{Value: 0.5, Low: 0.25, High: 0.75}, 0.5}, {Interval{Value: 10, Low: 8, High: 12, Absent: "too few"}, math.Inf(1)},
		{Interval{Value: 0, High: 1}, math.Inf(1)},
	} {
		if got := test.i.Half(); !near(got, test.want) {
			t.Errorf("%+v: %v", test.i, got)
		}
	}
}

// widest is how far a ratio of parts may be from the true one, as somebody says who looked at it until it was narrow.
func widest(parts []stats.Part) float64 {
	_, a, _ := stats.Ratio(parts)
	_, b, _ := stats.MeanOf(parts)
	return 1.35 * max(a, b)
}

// score is Wilson's interval of a share of n, as he wrote it.
func score(share, n float64) (low, high float64) {
	const z = 1.959963984540054
	root := z * math.Sqrt(z*z+4*n*share*(1-share))
	return (2*n*share + z*z - root) / (2 * (n + z*z)), (2*n*share + z*z + root) / (2 * (n + z*z))
}

// asMany is how many independent ones say as much of a share as n whose interval is so far to either side.
func asMany(share, half, n float64) float64 {
	return min(n, share*(1-share)*1.959963984540054*1.959963984540054/(half*half))
}

// Intervals of a mean, a rate and a share that failed, against the formulas.
func TestEdgesOfIntervals(t *testing.T) {
	low, high := score(0.1, 100)
	if math.Abs(low-0.055229) > 1e-6 || math.Abs(high-0.174366) > 1e-6 {
		t.Fatalf("Wilson's of 10 in 100: %v to %v", low, high)
	}
	for _, n := range []float64{10, 123.4, 1e6} {
		for _, share := range []float64{0.01, 0.3, 0.5, 0.97} {
			low, high := score(share, n)
			if l, h := wilson(share, n); !near(l, low) || !near(h, high) {
				t.Errorf("%v of %v: %v to %v, not %v to %v", share, n, l, h, low, high)
			}
		}
	}
	slow := []float64{90, 90, 95, 90, 90, 110, 110, 110, 105, 110}
	for _, test := range []struct {
		name    string
		measure Measure
		batches int
		of      func(i int) Batch
		absent  string
		never   bool
	}{
		{"few", Mean, 7, func(int) Batch { return Batch{OK: 1, Count: 1, Sum: 1, Length: 1} }, "the window was too short", false},
		{"a mean", Mean, 8, func(i int) Batch { return Batch{Count: 10 + int64(i), Sum: slow[i]} }, "", false},
		{"a mean of more", Mean, 10, func(i int) Batch { return Batch{Count: 10, Sum: slow[i], OK: 5, Length: 3} }, "", false},
		{"a mean that may be 0", Mean, 8, func(i int) Batch { return Batch{Count: 10, Sum: slow[i] - 89.9} }, "", false},
		{"a rate", Rate, 9, func(i int) Batch {
			return Batch{OK: int64(slow[i]), Length: time.Second + time.Duration(i)*time.Millisecond, Count: 7, Sum: 9}
		}, "", false},
		{"no time", Mean, 8, func(int) Batch { return Batch{Length: time.Second} }, "no operation has ended ok", true},
		{"none ok", Rate, 8, func(int) Batch { return Batch{Failed: 3, Length: time.Second} }, "no operation has ended ok", true},
		{"few failed", Failed, 8, func(i int) Batch { return Batch{OK: 100 - int64(i/7), Failed: int64(i / 7)} }, "", false},
		{"some failed", Failed, 10, func(i int) Batch { return Batch{OK: 100 - int64(i%3), Failed: int64(i % 3)} }, "", false},
		{"many failed, alike", Failed, 10, func(i int) Batch { return Batch{OK: 200 - int64(slow[i]), Failed: int64(slow[i])} }, "", false},
		{"most failed", Failed, 8, func(i int) Batch { return Batch{OK: int64(i / 4), Failed: 40} }, "", false},
		{"none ended", Failed, 8, func(int) Batch { return Batch{Length: time.Second} }, "no operation has ended", true},
		{"none failed", Failed, 8, func(int) Batch { return Batch{OK: 5} },
			"of 40 operations none failed, and of none there is no share", true},
		{"all failed", Failed, 8, func(int) Batch { return Batch{Failed: 5} }, "all of 40 operations failed", true},
	} {
		var list []Batch
		var parts []stats.Part
		for i := range test.batches {
			b := test.of(i)
			list = append(list, b)
			parts = append(parts, map[Measure]stats.Part{
				Mean: {Of: b.Sum, All: float64(b.Count)}, Rate: {Of: float64(b.OK), All: b.Length.Seconds()},
				Failed: {Of: float64(b.Failed), All: float64(b.OK + b.Failed)},
			}[test.measure])
		}
		want := Interval{Absent: test.absent, never: test.never}
		if test.absent == "" {
			var of, all float64
			for _, p := range parts {
				of, all = of+p.Of, all+p.All
			}
			half := widest(parts)
			want = Interval{Value: of / all, Low: max(0, of/all-half), High: of/all + half}
			if test.measure == Failed {
				want.Low, want.High = score(want.Value, asMany(want.Value, half, all))
			}
		}
		got := (&Rule{Measure: test.measure}).interval(list)
		if !near(got.Value, want.Value) || !near(got.Low, want.Low) || !near(got.High, want.High) || got.Absent != want.Absent ||
			got.never != want.never {
			t.Errorf("%s: %+v, not %+v", test.name, got, want)
		}
	}
}

// Intervals of percentiles, of times of which as many are in each of the bins from 1 to 100, so that a time says its rank.
func TestEdgesOfPercentiles(t *testing.T) {
	even := func(int, int) int { return 10 }
	// The first five batches have so many times more than the others in some bins up to one, and fewer in as many above it.
	uneven := func(by, bins, at int) func(batch, bin int) int {
		return func(batch, bin int) int {
			up := by
			if batch >= 5 {
				up = -by
			}
			switch {
			case bin > at-bins && bin <= at:
				return 10 + up
			case bin > at && bin <= at+bins:
				return 10 - up
			}
			return 10
		}
	}
	for _, test := range []struct {
		name     string
		quantile float64
		needs    int64
		of       func(batch, bin int) int
		absent   string
	}{
		{"even", 0.5, 1, even, ""}, {"even", 0.99, 10_000, even, ""}, {"even", 0.01, 1, even, ""}, {"even", 0.9994, 1, even, ""},
		{"even", 0.0005, 1, even, ""}, {"just", 0.5, 10_000, even, ""},
		{"too few", 0.5, 10_001, even, "too few times for this percentile: 10000, and it takes 10001"},
		{"few beyond", 0.99951, 1, even, "*"}, {"few below", 0.00049, 1, even, "*"},
		{"the middle", 0.5, 1, uneven(1, 1, 50), ""}, {"the middle, more", 0.5, 1, uneven(1, 10, 50), ""},
		{"the middle, too much", 0.5, 1, uneven(1, 50, 50), "*"}, {"the middle only", 0.9, 1, uneven(1, 1, 50), ""},
		{"the middle only, more", 0.9, 1, uneven(1, 3, 50), ""}, {"the tail only", 0.9, 1, uneven(1, 1, 90), ""},
		{"the tail only, too much", 0.99, 1, uneven(3, 1, 99), "*"},
		{"both", 0.9, 1, func(batch, bin int) int { return uneven(1, 3, 50)(batch, bin) + uneven(1, 1, 90)(batch, bin) - 10 }, ""},
	} {
		var list []Batch
		var counts [101]int
		for batch := range 10 {
			b := Batch{Count: 1000, Times: make([]uint32, stats.Bins)}
			for bin := 1; bin <= 100; bin++ {
				n := test.of(batch, bin)
				b.Times[bin], counts[bin] = uint32(n), counts[bin]+n
			}
			list = append(list, b)
		}
		if counts[1] != 100 || counts[50] != 100 || counts[51] != 100 || counts[100] != 100 {
			t.Fatalf("%s: %v", test.name, counts)
		}
		const n = 10_000.0
		// more is by how many times the times above a bin must be more than independent ones.
		more := func(bin int) float64 {
			var parts []stats.Part
			for i := range list {
				p := stats.Part{All: 1000}
				for b := bin + 1; b <= 100; b++ {
					p.Of += float64(list[i].Times[b])
				}
				parts = append(parts, p)
			}
			share := float64(100-bin) / 100
			return n / asMany(share, widest(parts), n)
		}
		bin := min(int(math.Round(test.quantile*100)), 99)
		bin = max(bin, 1)
		inflation := more(bin)
		inflation = max(inflation, min(4*inflation, more(50)))
		low, high := score(test.quantile, n/inflation)
		at := func(rank float64) float64 { return 1 + (rank-0.5)/100 }
		want := Interval{Value: at(math.Ceil(test.quantile * n)), Low: at(math.Floor(low * n)), High: at(math.Ceil(high*n) + 1)}
		if test.absent == "*" {
			test.absent = fmt.Sprintf("neighbours are so much alike that 10000 times say as little as %.0f independent ones", n/inflation)
		}
		if test.absent != "" {
			want = Interval{Absent: test.absent}
		}
		got := (&Rule{Quantile: test.quantile, Needs: test.needs}).interval(list)
		if !near(got.Value, want.Value) || !near(got.Low, want.Low) || !near(got.High, want.High) || got.Absent != want.Absent {
			t.Errorf("%s, %v: %+v, not %+v (inflation %v)", test.name, test.quantile, got, want, inflation)
		}
	}
}

// The middle of all times, of an even and of an odd number of them, decides at which bin it is seen how much they are
// alike: at 20 they are, and at 21 they are not.
func TestEdgesOfTheMiddle(t *testing.T) {
	for more, middle := range []int{20, 21} {
		list := make([]Batch, 8)
		var at, above []stats.Part
		for i := range list {
			by, last := uint32(2*(i/4)), uint32(25)
			if i == 0 {
				last += uint32(more)
			}
			list[i] = Batch{Count: 75 + int64(last), Times: in(map[int]uint32{10: 26 - by, 20: 49 + by, 30: last})}
			part := stats.Part{All: float64(list[i].Count), Of: float64(last)}
			above = append(above, part)
			if middle == 20 {
				part.Of += float64(49 + by)
			}
			at = append(at, part)
		}
		all := sum(list)
		n := float64(all.Count)
		inflated := func(parts []stats.Part) float64 {
			ratio, _, _ := stats.Ratio(parts)
			return n / asMany(ratio, widest(parts), n)
		}
		inflation := inflated(above)
		inflation = max(inflation, min(4*inflation, inflated(at)))
		low, high := score(0.9, n/inflation)
		got := (&Rule{Quantile: 0.9, Needs: 1}).interval(list)
		if want := all.at(int64(low * n)); got.Low != want || got.High != all.at(int64(math.Ceil(high*n))+1) {
			t.Errorf("%v times: %+v, not from %v on (inflation %v)", n, got, want, inflation)
		}
	}
}

// Where times are cut in two at a rank, and what the time at a rank is.
func TestEdgesOfRanks(t *testing.T) {
	wide := stats.Bin(1e6)
	for _, test := range []struct {
		counts map[int]uint32
		more   int64 // that were counted, and have no time yet
		rank   int64
		cut    int
		above  int64
		at     float64
	}{
		{map[int]uint32{10: 5, 20: 5}, 0, 1, 11, 5, 10.1}, {map[int]uint32{10: 5, 20: 5}, 0, 5, 11, 5, 10.9},
		{map[int]uint32{10: 5, 20: 5}, 0, 6, 20, 5, 20.1}, {map[int]uint32{10: 5, 20: 5}, 0, 10, 20, 5, 20.9},
		{map[int]uint32{10: 4, 20: 6, 30: 2}, 0, 7, 20, 8, 20 + 2.5/6}, {map[int]uint32{10: 4, 20: 6, 30: 2}, 0, 8, 21, 2, 20 + 3.5/6},
		{map[int]uint32{10: 1, 20: 6, 30: 2}, 0, 2, 20, 8, 20 + 0.5/6}, {map[int]uint32{10: 1, 20: 6, 30: 2}, 0, 6, 21, 2, 20.75},
		{map[int]uint32{20: 9, 30: 1}, 0, 1, 21, 1, 20 + 0.5/9}, {map[int]uint32{20: 9}, 0, 9, 20, 9, 20 + 8.5/9},
		{map[int]uint32{20: 9, 30: 1}, 5, 12, stats.Bins, 0, 0},
		{map[int]uint32{wide: 4}, 0, 1, wide, 4, stats.BinLow(wide) + (stats.BinLow(wide+1)-stats.BinLow(wide))/8},
	} {
		b := Batch{Times: in(test.counts), Count: test.more}
		for _, n := range test.counts {
			b.Count += int64(n)
		}
		if cut, above := boundary(&b, test.rank); cut != test.cut || above != test.above {
			t.Errorf("%v at %d: from %d on %d", test.counts, test.rank, cut, above)
		}
		if at := b.at(test.rank); !near(at, test.at) {
			t.Errorf("%v at %d: %v", test.counts, test.rank, at)
		}
	}
	// All times alike are known at once; one other is enough for an interval.
	for _, others := range []uint32{0, 1} {
		list := make([]Batch, 8)
		for i := range list {
			list[i] = Batch{Count: 100, Times: in(map[int]uint32{20: 100})}
		}
		list[0].Times[20], list[0].Times[90] = 100-others, others
		got, half := (&Rule{Quantile: 0.5, Needs: 1}).interval(list), 0.1*float64(others)
		if math.Abs(got.Value-20.5) > 0.001 || math.Abs(got.Low-20.5+half) > 0.01 || math.Abs(got.High-20.5-half) > 0.01 ||
			others == 0 && got.High != got.Low {
			t.Errorf("%d others: %+v", others, got)
		}
	}
	list := make([]Batch, 8)
	for i := range list {
		list[i] = Batch{Count: 20, Times: in(map[int]uint32{20: 10})}
	}
	if got := (&Rule{Quantile: 0.9, Needs: 1}).interval(list); got != (Interval{}) {
		t.Errorf("times that are not there yet: %+v", got)
	}
}
