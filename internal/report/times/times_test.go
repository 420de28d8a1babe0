package times_test

import (
	"math"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/report/times"
	"github.com/plimsoll/plimsoll/rundoc"
)

// upTo are so many times: 1, 2, 3 … ms.
func upTo(t *testing.T, n int64) *rundoc.Summary {
	t.Helper()
	h := hdrhistogram.New(1, 1e12, 3)
	for i := range n {
		if err := h.RecordValue((i + 1) * 1e6); err != nil {
			t.Fatal(err)
		}
	}
	s := rundoc.Summarize(h, rundoc.Exact{Min: 1e6, Max: n * 1e6, Sum: n * (n + 1) / 2 * 1e6})
	return &s
}

// at is the value of a line at a quantile, or NaN.
func at(s graph.Series, q float64) float64 {
	for i, x := range s.X {
		if math.Abs(x-q) < 1e-9 {
			return s.Y[i]
		}
	}
	return math.NaN()
}

// A line has the percentiles of the document, ends where fewer than ten are above it, and has the longest behind a gap.
func TestDistribution(t *testing.T) {
	of := upTo(t, 2000)
	p := times.Distribution(graph.Panel{}, times.Line{Name: "a", Of: of}, times.Line{Name: "none", Of: &rundoc.Summary{}})
	if len(p.Series) != 1 || p.Empty != "" {
		t.Fatalf("%d lines, %q", len(p.Series), p.Empty)
	}
	s := p.Series[0]
	for q, want := range map[float64]int64{0.5: *of.P50NS, 0.9: *of.P90NS, 0.95: *of.P95NS, 0.99: *of.P99NS, 1 - 1.0/2000: of.MaxNS} {
		if got := at(s, q); got != float64(want) {
			t.Errorf("%v: %v, want %v", q, got, want)
		}
	}
	n := len(s.X)
	if !math.IsNaN(s.Y[n-2]) || s.X[n-3] > 1-10.0/2000 || s.X[n-3] < 1-14.0/2000 {
		t.Errorf("it ends with %v: %v", s.X[n-3:], s.Y[n-3:])
	}
	for i := 1; i < n-2; i++ {
		if s.X[i] <= s.X[i-1] || s.Y[i] < s.Y[i-1] {
			t.Errorf("%v: %v follows %v: %v", s.X[i], s.Y[i], s.X[i-1], s.Y[i-1])
		}
	}
}

// What lies below all or above all has ranks and no value.
func TestDistributionWithRanks(t *testing.T) {
	of := upTo(t, 1000)
	s := times.Distribution(graph.Panel{}, times.Line{Of: of, Never: 1000}).Series[0]
	if y := at(s, 0.25-1e-12); !math.IsNaN(y) && y != 500e6 {
		t.Error(y)
	}
	if y := at(s, 0.5); math.Abs(y-1000e6) > 1e6 {
		t.Errorf("the last that arrived is the median, and that is %v", y)
	}
	if last := s.X[len(s.X)-1]; last > 0.5 {
		t.Errorf("%v has a value, and half never arrived", last)
	}
	s = times.Distribution(graph.Panel{}, times.Line{Of: of, Below: 1000}).Series[0]
	if first, y := s.X[0], at(s, 0.9); first < 0.5 || math.Abs(y-800e6) > 2e6 {
		t.Errorf("it begins at %v, and at 0.9 is %v", first, y)
	}
}

// A summary without a histogram has its percentiles, and no more.
func TestDistributionWithoutAHistogram(t *testing.T) {
	of := upTo(t, 2000).WithoutHistogram()
	s := times.Distribution(graph.Panel{}, times.Line{Of: &of}).Series[0]
	want := graph.Values{float64(*of.P50NS), float64(*of.P90NS), float64(*of.P95NS), float64(*of.P99NS)}
	if diff := cmp.Diff(want, s.Y[:4]); diff != "" {
		t.Error(diff)
	}
	if p := times.Distribution(graph.Panel{}, times.Line{Of: &of, Never: 3}); len(p.Series) > 0 || p.Empty == "" {
		t.Errorf("percentiles of other ranks: %+v", p)
	}
}

func TestWaterfall(t *testing.T) {
	short, long := &rundoc.Summary{Count: 3, MeanNS: 7, MaxNS: 9}, &rundoc.Summary{Count: 5000, MeanNS: 22, P50NS: new(int64(20)), P99NS: new(int64(90)), MaxNS: 100}
	p := times.Waterfall(graph.Panel{}, times.Stage{Name: "a", Of: long}, times.Stage{Name: "none", Of: nil, From: "a"},
		times.Stage{Name: "b", Of: short, From: "none"}, times.Stage{Name: "whole", Of: long})[0]
	want := []graph.Span{
		{Row: "a", Part: "median", Role: graph.P50, To: 20}, {Row: "a", Part: "up to the p99", Role: graph.P99, From: 20, To: 90},
		{Row: "b", Part: "mean (too few values for a median)", Role: graph.P50, From: 20, To: 27},
		{Row: "whole", Part: "median", Role: graph.P50, To: 20}, {Row: "whole", Part: "up to the p99", Role: graph.P99, From: 20, To: 90},
	}
	if diff := cmp.Diff(want, p.Spans, cmpopts.IgnoreFields(graph.Span{}, "Text")); diff != "" {
		t.Error(diff)
	}
	if p := times.Waterfall(graph.Panel{})[0]; p.Empty == "" {
		t.Error("nothing, and it does not say so")
	}
	// Medians that could not be seen beside the p99 have a panel of their own.
	long.P99NS = new(int64(900))
	both := times.Waterfall(graph.Panel{Name: "way"}, times.Stage{Name: "a", Of: long}, times.Stage{Name: "b", Of: long, From: "a"})
	if len(both) != 2 || both[1].Name != "way-p99" {
		t.Fatalf("%+v", both)
	}
	for i, want := range [][]float64{{0, 20, 20, 40}, {0, 900, 0, 900}} {
		var got []float64
		for _, s := range both[i].Spans {
			got = append(got, s.From, s.To)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

// Medians that do not add up are told of, and those that do are not.
func TestApart(t *testing.T) {
	of := func(ns int64) *rundoc.Summary { return &rundoc.Summary{P50NS: &ns} }
	for _, tt := range []struct {
		whole *rundoc.Summary
		parts []*rundoc.Summary
		says  bool
	}{
		{of(1000), []*rundoc.Summary{of(400), of(599)}, false},
		{of(1000), []*rundoc.Summary{of(400), of(500)}, true},
		{of(1000), []*rundoc.Summary{of(400), {}}, false},
		{nil, nil, false},
	} {
		if got := times.Apart(tt.whole, tt.parts...); (got != "") != tt.says {
			t.Errorf("%q", got)
		}
	}
}

// Parts of a row follow each other; those of no time, and of none that there is, are left out.
func TestChain(t *testing.T) {
	var got []float64
	for _, s := range times.Chain("row", times.Part{Name: "a", NS: 5}, times.Part{NS: 0}, times.Part{NS: -3},
		times.Part{NS: math.Inf(1)}, times.Part{NS: math.NaN()}, times.Part{NS: 2}) {
		got = append(got, s.From, s.To)
	}
	if diff := cmp.Diff([]float64{0, 5, 5, 7}, got); diff != "" {
		t.Error(diff)
	}
}

func TestBehind(t *testing.T) {
	all := []graph.Panel{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	for want, names := range map[string][]string{"abxc": {"b", "a"}, "xabc": {"z"}, "abcx": {"c"}} {
		got := ""
		for _, p := range times.Behind(all, names, graph.Panel{Name: "x"}) {
			got += p.Name
		}
		if got != want {
			t.Errorf("%v: %s, want %s", names, got, want)
		}
	}
}
