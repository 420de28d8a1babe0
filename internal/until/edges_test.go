package until

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/setdoc"
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

// The ranks at the ends of the interval of the median of 20 fresh launches, by counting in how many of all orders at
// least ten of the fresh ones come first.
func TestEdgesOfLaunches(t *testing.T) {
	for n, want := range map[int]int{1: 0, 6: 0, 7: 1, 11: 1, 12: 2, 15: 2, 16: 3, 19: 3, 20: 4, 23: 4, 24: 5, 26: 5, 27: 6, 30: 6, 31: 7, 34: 7, 35: 8, 38: 8, 39: 9, 41: 9, 42: 10, 45: 10, 46: 11, 49: 11, 50: 12, 53: 12, 54: 13, 56: 13, 57: 14, 100: 25, 1000: 270} {
		if got := outer(n); got != want {
			t.Errorf("%d: %d", n, got)
		}
	}
	// Of one, as many fresh ones come before it as there may be, each number as likely as the others.
	if p := beyond(1, 1); !near(p, 11.0/21) {
		t.Errorf("half of the fresh ones come before one: %v", p)
	}
	falling := []float64{14.5, 14.4, 14, 13.5, 13, 12, 12, 12, 12, 12, 11, 10.5, 10, 9.6, 9.5}
	up := func(n int, of func(i int) float64) (values []float64) {
		for i := range n {
			values = append(values, of(i))
		}
		return values
	}
	for _, test := range []struct {
		name         string
		within       float64
		values       []float64
		median, from float64
		to           float64
		known        bool
		why          string
	}{
		{"one", 0.1, []float64{3}, 3, 0, 0, false, "1 launches have the figure, and an interval takes 7"},
		{"two", 0.1, []float64{3, 1}, 2, 0, 0, false, "2 launches have the figure, and an interval takes 7"},
		{"six", 0.1, []float64{6, 5, 4, 3, 2, 1}, 3.5, 0, 0, false, "6 launches have the figure, and an interval takes 7"},
		{"nobody asks", 0, up(12, func(int) float64 { return 2 }), 2, 2, 2, false, ""},
		{"seven", 0.1, []float64{7, 6, 5, 4, 3, 2, 1}, 4, 1, 7, false, "7 launches have the figure, and to know it takes 12"},
		{"eleven", 0.1, up(11, func(int) float64 { return 2 }), 2, 2, 2, false, "11 launches have the figure, and to know it takes 12"},
		{"alike", 0.1, up(12, func(int) float64 { return 2 }), 2, 2, 2, true, ""},
		{"of 0", 0.1, make([]float64, 12), 0, 0, 0, false, "the median is 0, of which there is no share"},
		{"far apart", 0.1, []float64{8, 10, 10, 10, 10, 10, 10, 10, 8, 12, 12, 14}, 10, 8, 12, false,
			"launches differ too much: of 12, the interval is ±20 %"},
		{"just as far", 0.2, []float64{8, 10, 10, 10, 10, 10, 10, 10, 8, 12, 12, 14}, 10, 8, 12, true, ""},
		// Thirds of four and of five, and half of what is between two.
		{"rising", 0.3, []float64{10, 10, 11, 12, 12, 12, 12, 12, 12, 13, 15, 16}, 12, 10, 15, false,
			"launches drift: the last third of 12 has 1.33 times the median that the first has, and fresh ones may have another"},
		{"rising", 0.34, []float64{10, 10, 11, 12, 12, 12, 12, 12, 12, 13, 15, 16}, 12, 10, 15, true, ""},
		{"falling", 0.28, falling, 12, 9.6, 14.4, false,
			"launches drift: the last third of 15 has 0.714 times the median that the first has, and fresh ones may have another"},
		{"falling", 0.29, falling, 12, 9.6, 14.4, true, ""},
		{"rising from 0", 1, []float64{0, 0, 0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2.1, 2.2, 2.3}, 2, 0, 2.2, false, "launches drift: the last third"},
		// Of many, a hundred evenly spread are looked at for whether they drift: these do not, though half of them do, and
		// those between.
		{"many", 0.5, up(200, func(i int) float64 {
			switch {
			case i%4 == 0:
				return 100 + float64(i)/1000
			case i%4 == 2:
				return 100 - float64(i)/1000
			case i < 100:
				return float64(i) / 20
			}
			return 300 + float64(i)
		}), 100, 0, 0, true, ""},
	} {
		l := asked(test.within, test.values...)
		if math.Abs(*l.Median-test.median) > 0.01 || l.Known != test.known || !strings.HasPrefix(l.Why, test.why) || test.why == "" && l.Why != "" {
			t.Errorf("%s: %v, %v, %q", test.name, *l.Median, l.Known, l.Why)
		}
		switch {
		case len(test.values) < 7 && l.Range != nil, len(test.values) >= 7 && len(l.Range) != 2:
			t.Errorf("%s: %v", test.name, l.Range)
		case len(test.values) >= 7 && len(test.values) < 100 && !slices.Equal(l.Range, []float64{test.from, test.to}):
			t.Errorf("%s: %v", test.name, l.Range)
		}
	}
}

// What a document says of launches must follow from their values, if it was made by the rules of today.
func TestEdgesOfReread(t *testing.T) {
	values := []float64{8, 10, 10, 10, 10, 10, 10, 10, 8, 12, 12, 14}
	other := 11.0
	for name, test := range map[string]struct {
		change func(*setdoc.Launches)
		same   bool
	}{
		"nothing":     {func(*setdoc.Launches) {}, true},
		"known":       {func(l *setdoc.Launches) { l.Known = false }, false},
		"median":      {func(l *setdoc.Launches) { l.Median = &other }, false},
		"no median":   {func(l *setdoc.Launches) { l.Median = nil }, false},
		"range":       {func(l *setdoc.Launches) { l.Range = []float64{8, 11} }, false},
		"other rules": {func(l *setdoc.Launches) { l.Rules, l.Range = 2, nil }, true},
		"later rules": {func(l *setdoc.Launches) { l.Rules, l.Known = 4, false }, true},
	} {
		l := asked(0.25, values...)
		if test.change(l); (len(Reread(l)) == 0) != test.same {
			t.Errorf("%s: %v", name, Reread(l))
		}
	}
	if Reread(nil) != nil {
		t.Error("nil launches")
	}
}

// When a window ends, and what is said of it then; a stretch is a quarter of a second.
func TestEdgesOfWindows(t *testing.T) {
	const s = time.Second
	times := func(bin int, n uint32) Batch {
		return Batch{OK: int64(n), Count: int64(n), Times: in(map[int]uint32{bin: n})}
	}
	steady := func(time.Duration) Batch { return times(50, 10) }
	none := func(time.Duration) Batch { return Batch{Failed: 1} }
	rising := func(at time.Duration) Batch { return Batch{OK: 1, Count: 1, Sum: 1 + at.Seconds()} }
	percentile := func(needs int64, most time.Duration) Rule {
		return Rule{Measure: Percentile, Quantile: 0.5, Needs: needs, Within: 0.01, Most: most}
	}
	rate := func(most time.Duration) Rule { return Rule{Measure: Rate, Within: 0.1, Most: most} }
	for _, test := range []struct {
		name   string
		rule   Rule
		of     func(at time.Duration) Batch
		stop   time.Duration // 0: when it says so, or at the most
		length time.Duration
		takes  time.Duration
		known  bool
		steady bool
		why    string
	}{
		{"two looks", percentile(1, 5*time.Minute), steady, 0, 45 * s, 0, true, true, ""},
		{"two looks of a short one", percentile(1, time.Minute), steady, 0, 30 * s, 0, true, true, ""},
		{"one look and the end", percentile(1, 5*time.Minute), steady, 44 * s, 44 * s, 0, true, true, ""},
		{"the end only", percentile(1, 5*time.Minute), steady, 29*s + 3*quarter, 29*s + 3*quarter, 0, false, true,
			"it was seen once only, at the end of the window, which may be luck"},
		{"the end of the most only", percentile(1, 5*time.Minute), func(at time.Duration) Batch {
			if at < 290*s {
				return Batch{Times: make([]uint32, stats.Bins)}
			}
			return times(50, 10)
		}, 0, 5 * time.Minute, 0, false, true,
			"it was seen once only, at the end of the window, which may be luck, and the window was as long as it may be"},
		{"a look too early", percentile(1000, time.Minute), steady, 0, 45 * s, 0, true, true, ""},
		{"hardly hopeless", percentile(7200, time.Minute), steady, 0, time.Minute, 180 * s, false, true,
			"too few times for this percentile: 2400, and it takes 7200, and the window was as long as it may be"},
		{"hopeless", percentile(7201, time.Minute), steady, 0, 30 * s, 30 * s * 7201 / 1200, false, true,
			"too few times for this percentile: 1200, and it takes 7201, and it would take far longer than the window may be"},
		{"nearly the most", percentile(2400, time.Minute), steady, 57 * s, 57 * s, 57 * s * 2400 / 2280, false, true,
			"too few times for this percentile: 2280, and it takes 2400"},
		// The last stretch waits for another, which makes a batch with it.
		{"about the most", percentile(2400, time.Minute), steady, 57*s + quarter, 57*s + quarter,
			57250 * time.Millisecond * 2400 / 2280, false, true,
			"too few times for this percentile: 2280, and it takes 2400, and the window was as long as it may be"},
		{"never", rate(time.Minute), none, 0, 30 * s, 0, false, true, "no operation has ended ok"},
		{"never, from a quarter on", rate(4 * time.Minute), none, 0, 101*s + quarter, 0, false, true, "no operation has ended ok"},
		{"never, at a quarter", rate(2 * time.Minute), none, 0, 45 * s, 0, false, true, "no operation has ended ok"},
		{"never, and far", rate(10 * time.Minute), none, 0, 228 * s, 0, false, true, "no operation has ended ok"},
		{"no times", percentile(10, time.Minute), func(time.Duration) Batch { return Batch{Times: make([]uint32, stats.Bins)} }, 0,
			time.Minute, 0, false, true, "too few times for this percentile: 0, and it takes 10, and the window was as long as it may be"},
		{"one time", percentile(10, time.Minute), func(at time.Duration) Batch {
			b := times(50, 1)
			if at > 0 {
				b = times(50, 0)
			}
			return b
		}, 0, 30 * s, 300 * s, false, true,
			"too few times for this percentile: 1, and it takes 10, and it would take far longer than the window may be"},
		{"a rate needs no times", Rule{Measure: Rate, Within: 0.1, Most: time.Minute, Needs: 1e6}, func(time.Duration) Batch {
			return Batch{Count: 1, Length: quarter}
		}, 10 * s, 10 * s, 0, false, true, "no operation has ended ok"},
		{"rises and is wide", Rule{Measure: Mean, Within: 0.001, Most: time.Minute}, rising, 0, 30 * s, -1, false, true,
			"the interval is still ±"},
		{"rises, at the end", Rule{Measure: Mean, Within: 0.001, Most: time.Minute}, rising, 19 * s, 19 * s, 0, false, false,
			"it is not steady: it rises, and the last 30 % of the window have 4.7 times what the first have"},
	} {
		w := NewWindow(test.rule)
		most := test.rule.Most
		if test.stop > 0 {
			most = test.stop
		}
		for w.length < most {
			b := test.of(w.length)
			b.Length = quarter
			if w.Add(b) {
				break
			}
		}
		length := w.length
		if test.stop == 0 && length < most { // what comes until the run has ended does not count
			for range 8 {
				w.Add(Batch{Length: quarter, OK: 1000, Failed: 1000, Count: 1000, Sum: 1e15, Times: in(map[int]uint32{500: 1000})})
			}
		}
		a := w.End()
		if length != test.length || a.Known != test.known || a.Steady != test.steady ||
			a.Why != test.why && (test.takes >= 0 || !strings.HasPrefix(a.Why, test.why)) {
			t.Errorf("%s: after %v: %+v", test.name, length, a)
		}
		if test.takes >= 0 && (a.Takes-test.takes).Abs() > time.Microsecond {
			t.Errorf("%s: takes %v", test.name, a.Takes)
		}
	}
	if got := scaled(time.Hour, 1e30); got != 1<<62 {
		t.Errorf("for ever: %v", got)
	}
}

// What is asked is told as a percentage, with the time that it would take: so much longer as the square of the widths.
func TestEdgesOfHowLongItTakes(t *testing.T) {
	w := NewWindow(Rule{Measure: Mean, Within: 0.05, Most: time.Minute})
	for i := range 8 {
		w.Add(Batch{Length: quarter, Count: 10, Sum: []float64{90, 120, 80, 110}[i%4]})
	}
	a := w.End()
	h := a.Interval.Half()
	if want := time.Duration(2e9 * h * h / (0.05 * 0.05)); a.Why != fmt.Sprintf("the interval is still ±%.2g %% after 2s", 100*h) ||
		(a.Takes-want).Abs() > time.Microsecond || a.Known {
		t.Errorf("%+v", a)
	}
	// As few times beyond as say nothing need not be fewer than the percentile takes.
	w = NewWindow(Rule{Quantile: 0.99, Needs: 400, Within: 0.05, Most: time.Minute})
	for range 8 {
		w.Add(Batch{Length: quarter, OK: 50, Count: 50, Times: in(map[int]uint32{10: 25, 20: 25})})
	}
	if a := w.End(); a.Takes != 0 || !strings.HasPrefix(a.Why, "neighbours are so much alike that 400 times") {
		t.Errorf("%+v", a)
	}
}

// Over ten slices there is a trend where as many of them are in their order as are by chance in one of a hundred, and
// its ends are half as much again apart.
func TestEdgesOfTrends(t *testing.T) {
	rises := "it is not steady: it rises, and the last 30 %% of the window have %s times what the first have"
	falls := "it is not steady: it falls, and the last 30 %% of the window have %s times what the first have"
	for _, test := range []struct {
		values []float64
		want   string
	}{
		{[]float64{10, 20, 30, 40, 50, 60, 70, 80, 90}, ""}, // nine
		{[]float64{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}, fmt.Sprintf(rises, "4.5")},
		{[]float64{10, 100, 20, 30, 40, 50, 60, 70, 80, 90}, fmt.Sprintf(rises, "1.8")}, // 8 pairs of 45 are not in order
		{[]float64{100, 10, 20, 30, 40, 50, 60, 70, 80, 90}, ""},                        // 9 are not
		{[]float64{100, 90, 80, 70, 60, 50, 40, 30, 20, 10}, fmt.Sprintf(falls, "0.22")},
		{[]float64{2, 2, 2, 2.1, 2.2, 2.3, 2.4, 3, 3, 3}, fmt.Sprintf(rises, "1.5")},
		{[]float64{2, 2, 2, 2.1, 2.2, 2.3, 2.4, 3, 3, 2.99}, ""},
		{[]float64{3, 3, 3, 2.9, 2.8, 2.7, 2.6, 2, 2, 2}, fmt.Sprintf(falls, "0.67")},
		{[]float64{3, 3, 3, 2.9, 2.8, 2.7, 2.6, 2.01, 2, 2}, ""},
		{[]float64{3, 3, 3, 2.9, 2.8, 2.7, 2.6, 2.5, 2.4, 2.4}, ""},
		{[]float64{0, 0, 0, 1, 2, 3, 4, 5, 6, 7}, "it is not steady: the first 30 % of the window have none of it"},
		{[]float64{7, 6, 5, 4, 3, 2, 1, 0, 0, 0}, "it is not steady: the last 30 % of the window have none of it"},
		// Twenty, two a slice.
		{[]float64{1, 3, 3, 5, 5, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 14, 15, 17, 19, 21}, fmt.Sprintf(rises, "4.1")},
		// Eleven: the last slice has two of them, and so has what comes to the end.
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, fmt.Sprintf(rises, "4.8")},
	} {
		w := NewWindow(Rule{Measure: Mean})
		var list []Batch
		for _, v := range test.values {
			list = append(list, Batch{Count: 1, Sum: v})
		}
		if got := w.trend(list, 1.5); got != test.want {
			t.Errorf("%v: %q", test.values, got)
		}
		if got := w.trend(list, apart); got != test.want {
			t.Errorf("%v, of a window: %q", test.values, got)
		}
	}
}

func TestEdgesOfFigures(t *testing.T) {
	for _, test := range []struct {
		rule Rule
		b    Batch
		want float64
		has  bool
	}{
		{Rule{Quantile: 0.5}, Batch{Count: 1, Times: in(map[int]uint32{7: 1})}, 7.5, true},
		{Rule{Quantile: 0.5}, Batch{Count: 4, Times: in(map[int]uint32{7: 2, 9: 2})}, 7.75, true},
		{Rule{Quantile: 0.51}, Batch{Count: 4, Times: in(map[int]uint32{7: 2, 9: 2})}, 9.25, true},
		{Rule{Quantile: 0.5}, Batch{OK: 3, Failed: 3, Length: time.Second, Times: in(nil)}, 0, false},
		{Rule{Measure: Mean}, Batch{Count: 1, Sum: 3}, 3, true},
		{Rule{Measure: Mean}, Batch{Count: 4, Sum: 3, OK: 7, Length: 9}, 0.75, true},
		{Rule{Measure: Mean}, Batch{OK: 3, Failed: 3, Length: time.Second}, 0, false},
		{Rule{Measure: Rate}, Batch{OK: 3, Length: 1}, 3e9, true},
		{Rule{Measure: Rate}, Batch{OK: 3, Failed: 5, Count: 8, Length: 2 * time.Second}, 1.5, true},
		{Rule{Measure: Rate}, Batch{OK: 3, Failed: 5, Count: 8}, 0, false},
		{Rule{Measure: Failed}, Batch{Failed: 1}, 1, true},
		{Rule{Measure: Failed}, Batch{OK: 1, Count: 9, Length: 9}, 0, true},
		{Rule{Measure: Failed}, Batch{OK: 3, Failed: 5}, 0.625, true},
		{Rule{Measure: Failed}, Batch{Count: 9, Length: 9, Sum: 9}, 0, false},
	} {
		if got, has := test.rule.figure(&test.b); !near(got, test.want) || has != test.has {
			t.Errorf("%+v: %v, %v", test.rule, got, has)
		}
	}
}

// warmed is after how many stretches of such a length a warm-up is steady, of whose rate that is told; -1: of none.
func warmed(length time.Duration, of func(i int) int64) int {
	w := NewWarmup(Rule{Measure: Rate})
	for i := range 60 {
		if steady := w.Add(Batch{Length: length, OK: of(i)}); steady != w.Steady() {
			return -2
		} else if steady {
			return i + 1
		}
	}
	return -1
}

func TestEdgesOfWarmups(t *testing.T) {
	for _, test := range []struct {
		name   string
		length time.Duration
		of     func(i int) int64
		want   int
	}{
		{"steady, for five seconds", quarter, func(int) int64 { return 100 }, 20},
		{"ten stretches at least", time.Second, func(int) int64 { return 100 }, 10},
		{"one operation", quarter, func(i int) int64 { return max(0, 1-int64(max(i-19, 19-i))) }, 20},
		{"none", quarter, func(int) int64 { return 0 }, -1},
		{"rising a little", quarter, func(i int) int64 { return 1000 + 5*int64(i) }, 20},
		{"rising", quarter, func(i int) int64 { return 1000 + 50*int64(i) }, -1},
	} {
		if got := warmed(test.length, test.of); got != test.want {
			t.Errorf("%s: after %d", test.name, got)
		}
	}
}

// A beginning that is otherwise than the rest counts when it is more than half of all, and a fifth apart from the rest.
func TestEdgesOfBeginnings(t *testing.T) {
	step := func(before int, first, then float64, behind int) (values []float64) {
		for range before {
			values = append(values, first)
		}
		for range behind {
			values = append(values, then)
		}
		return values
	}
	for _, test := range []struct {
		values []float64
		want   bool
	}{
		{nil, true}, {[]float64{1}, true}, {step(2, 200, 100, 2), true}, {step(4, 200, 100, 4), true},
		{step(4, 200, 100, 6), true}, {step(5, 200, 100, 5), true}, {step(6, 200, 100, 5), false}, {step(6, 100, 200, 5), false},
		{step(7, 200, 100, 4), true}, {step(20, 200, 100, 6), false}, {step(20, 200, 100, 20), true}, {step(21, 200, 100, 20), false},
		{step(21, 119, 100, 20), true}, {step(21, 121, 100, 20), false}, {step(21, 100, 119, 20), true},
		{step(21, 100, 121, 20), false}, {append(step(21, 200, 100, 19), 200), false}, {step(40, 200, 200, 20), true},
		{append(step(1, 200, 100, 30), step(5, 200, 100, 8)...), true},
		// Without any of its beginning the rest is not known better than all.
		{[]float64{800, 100, 400, 200, 700, 200, 800, 500, 900, 800, 700}, true},
	} {
		// Every other stretch has no operation, and so no mean.
		for _, empty := range []bool{false, true} {
			w := NewWindow(Rule{Measure: Mean})
			var list []Batch
			for _, v := range test.values {
				list = append(list, Batch{Count: 1, Sum: v})
				if empty {
					list = append(list, Batch{Length: quarter})
				}
			}
			if got := w.settled(list); got != test.want {
				t.Errorf("%v: %v", test.values, got)
			}
		}
	}
	for _, test := range []struct{ values, want []float64 }{
		{nil, []float64{}}, {[]float64{5}, []float64{0}}, {[]float64{30, 10, 20}, []float64{2, 0, 1}},
		{[]float64{10, 30, 10, 20}, []float64{0.5, 3, 0.5, 2}}, {[]float64{7, 7, 7}, []float64{1, 1, 1}},
		{[]float64{9, 7, 9, 9}, []float64{2, 0, 2, 2}},
	} {
		if got := ranksOf(test.values); !slices.Equal(got, test.want) {
			t.Errorf("%v: %v", test.values, got)
		}
	}
}
