package course

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/rundoc"
)

// bucketOf is the stretch of times which a slice's histogram does not tell apart from this one: 256 of 128 ns, and above
// them 128 to each doubling.
func bucketOf(ns int64) (from, to int64) {
	width := int64(128)
	for ns >= 256*width {
		width *= 2
	}
	return ns / width * width, ns/width*width + width
}

// heatOf is the map of a run with these slices, the first of which begins at second 0, one after the other.
func heatOf(t *testing.T, windowS float64, slices ...[]int64) *graph.Heat {
	t.Helper()
	run := &rundoc.Run{Series: []rundoc.Point{{OK: 1}}}
	for i, times := range slices {
		run.Slices = append(run.Slices, rundoc.Slice{FromS: int64(i), Seconds: 1, ResponseTime: sliceOf(times...)})
	}
	return named(t, Panels(Source{Run: run, WindowNS: int64(windowS * 1e9), Many: "requests"}), HeatMap).Heat
}

// Each time is counted once, in the column of its slice and in the row whose edges enclose it, as far as a slice can tell
// times apart. The rows begin where the shortest time does, end behind the longest and are as many times as high each.
func TestHeatHasEachTimeInItsRow(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for round := range 40 {
		width, middle := rng.Float64()*3, 5+rng.Float64()*18
		times := make([][]int64, 1+rng.IntN(5))
		var every []int64
		for i := range times {
			for range rng.IntN(500) {
				times[i] = append(times[i], int64(min(math.Exp(middle+width*rng.NormFloat64()), 1<<41)))
			}
			every = append(every, times[i]...)
		}
		times[0], every = append(times[0], 40, 1e9), append(every, 40, 1e9) // at least 60 rows
		if round%2 == 0 {
			times[0] = times[0][:len(times[0])-2]
			every = slices.Concat(times...)
		}
		if len(every) == 0 {
			continue
		}
		name := fmt.Sprintf("round %d", round)
		h := heatOf(t, float64(len(times)), times...)
		checkRows(t, name, h.Y, slices.Min(every), slices.Max(every))
		for i := range times {
			if h.X[i] != float64(i) || h.X[i+1] != float64(i+1) {
				t.Errorf("%s: column %d is from %v to %v", name, i, h.X[i], h.X[i+1])
			}
			want := make([]int64, len(h.Y)-1)
			for _, ns := range times[i] {
				from, _ := bucketOf(ns)
				for j := range want {
					if h.Y[j] <= max(float64(from), 1) && float64(from) < h.Y[j+1] {
						want[j]++
					}
				}
			}
			if !slices.Equal(want, h.Counts[i]) {
				t.Errorf("%s, column %d, rows %v:\n%v, want\n%v", name, i, h.Y, h.Counts[i], want)
			}
		}
	}
}

// checkRows checks the edges of the rows of a map of times which go so far.
func checkRows(t *testing.T, name string, edges graph.Values, shortest, longest int64) {
	t.Helper()
	bottom, _ := bucketOf(shortest)
	_, top := bucketOf(longest)
	low, high := float64(max(bottom, 1)), float64(top)
	rows := len(edges) - 1
	if edges[0] != low || edges[rows] != high {
		t.Errorf("%s: rows from %v to %v, and the times go from %v to %v", name, edges[0], edges[rows], low, high)
	}
	// As many as can be told apart, and at most 60.
	if most := math.Log((high-1)/low) / math.Log(1.07); rows > 60 || float64(rows) > max(1, most) || rows < 60 && float64(rows) <= most-1 {
		t.Errorf("%s: %d rows from %v to %v, and there is room for %v", name, rows, low, high, most)
	}
	each := math.Log(high/low) / float64(rows)
	for i := 1; i < rows; i++ {
		if want := low * math.Exp(float64(i)*each); math.Abs(edges[i]/want-1) > 0.0006+1/high {
			t.Errorf("%s: edge %d of %d is %v, want %v", name, i, rows, edges[i], want)
		}
		if four, err := strconv.ParseFloat(fmt.Sprintf("%.4g", edges[i]), 64); err != nil || four != edges[i] {
			t.Errorf("%s: edge %d has more than four digits: %v", name, i, edges[i])
		}
	}
}

// Worked out by hand: the times 1 µs (bucket 896 to 1023 ns) and 1.1 µs (1024 to 1151 ns) are in three rows, since
// log(1151/896) / log(1.07) is 3.7.
func TestHeatByHand(t *testing.T) {
	h := heatOf(t, 2, []int64{1000, 1000, 1100}, []int64{1100})
	if want := (graph.Values{896, 974, 1059, 1152}); !slices.Equal(h.Y, want) {
		t.Errorf("rows at %v, want %v", h.Y, want)
	}
	if got := fmt.Sprint(h.Counts); got != "[[2 1 0] [0 1 0]]" || h.Of != "requests" {
		t.Errorf("%s %s", got, h.Of)
	}
	// A time that is where a row begins is in that row.
	if got := fmt.Sprint(inRows(nil, graph.Values{1, 2}), rowsBetween(128, 255)[:2]); got != "[0] [128 137.1]" {
		t.Error(got)
	}
	if got := heatOf(t, 1, []int64{100}).Counts; len(got[0]) != 60 || got[0][0] != 1 {
		t.Errorf("less than 128 ns: %v", got)
	}
}

// Of slices between which nothing is known the stretch has a column of its own, without a time, as wide as it is.
func TestHeatAcrossWhatIsNotKnown(t *testing.T) {
	run := &rundoc.Run{Series: []rundoc.Point{{OK: 1}}, Slices: []rundoc.Slice{
		{FromS: 3, Seconds: 2, ResponseTime: sliceOf(upTo(100)...)}, {FromS: 9, Seconds: 1, ResponseTime: sliceOf(upTo(20)...)}}}
	for _, tt := range []struct {
		windowNS int64
		want     graph.Values
	}{
		{20e9, graph.Values{3, 5, 9, 10}},
		{9_250_000_000, graph.Values{3, 5, 9, 9.25}},
		{9e9, graph.Values{3, 5, 9, 10}}, // of a window that ends before, what a document says
		{6e9, graph.Values{3, 5, 9, 10}},
	} {
		h := named(t, Panels(Source{Run: run, WindowNS: tt.windowNS, Many: "requests"}), HeatMap).Heat
		if !slices.Equal(h.X, tt.want) {
			t.Errorf("a window of %d ns: %v, want %v", tt.windowNS, h.X, tt.want)
		}
		var sums []int64
		for _, column := range h.Counts {
			if len(column) != len(h.Y)-1 {
				t.Errorf("%d rows between %d edges", len(column), len(h.Y))
			}
			sum := int64(0)
			for _, n := range column {
				sum += n
			}
			sums = append(sums, sum)
		}
		if !slices.Equal(sums, []int64{100, 0, 20}) {
			t.Errorf("%v", sums)
		}
	}
	one := Source{Run: &rundoc.Run{Series: run.Series, Slices: run.Slices[:1]}, WindowNS: 3_500_000_000, Many: "requests"}
	if h := named(t, Panels(one), HeatMap).Heat; !slices.Equal(h.X, graph.Values{3, 3.5}) {
		t.Errorf("a slice which the window ends in: %v", h.X)
	}
}

// A document may have as many slices as a map has columns, and one of them at least has a time.
func TestHeatIsBounded(t *testing.T) {
	for n, want := range map[int]bool{1: true, 600: true, 601: false} {
		run := &rundoc.Run{}
		for i := range n {
			run.Slices = append(run.Slices, rundoc.Slice{FromS: int64(i), Seconds: 1, ResponseTime: sliceOf(5 * ms)})
		}
		s := Source{Run: run}
		if _, some := s.heat(); some != want {
			t.Errorf("%d slices: a map: %t", n, some)
		}
	}
	none := Source{Run: &rundoc.Run{Slices: []rundoc.Slice{{Seconds: 1}, {FromS: 1, Seconds: 1}}}}
	if p, some := none.heat(); some {
		t.Errorf("no slice has a time: %+v", p)
	}
	back := Source{Run: &rundoc.Run{Slices: []rundoc.Slice{{FromS: 3, Seconds: 1, ResponseTime: sliceOf(5 * ms)}, {FromS: 2, Seconds: 2}}}}
	if p, some := back.heat(); some {
		t.Errorf("a slice does not end after the one before it: %+v", p)
	}
}
