package rundoc_test

import (
	"encoding/base64"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/rundoc"
)

// highest is the highest value of the histograms that the recorder keeps.
const highest = 1 << 42

func histogramOf(t testing.TB, values ...int64) (*hdrhistogram.Histogram, rundoc.Exact) {
	t.Helper()
	h := hdrhistogram.New(1, highest, 3)
	exact := rundoc.Exact{Min: math.MaxInt64, Max: math.MinInt64}
	for _, v := range values {
		if err := h.RecordValue(min(v, highest)); err != nil {
			t.Fatal(err)
		}
		exact.Min, exact.Max = min(exact.Min, v), max(exact.Max, v)
		exact.Sum += v
	}
	return h, exact
}

func summaryOf(t testing.TB, values ...int64) rundoc.Summary {
	t.Helper()
	return rundoc.Summarize(histogramOf(t, values...))
}

// count returns 1, 2, …, n, in µs.
func count(n int) []int64 {
	values := make([]int64, n)
	for i := range values {
		values[i] = int64(i+1) * 1000
	}
	return values
}

func percentilesOf(s rundoc.Summary) []*int64 {
	return []*int64{s.P50NS, s.P90NS, s.P95NS, s.P99NS, s.P999NS}
}

func TestSummarizeEmpty(t *testing.T) {
	if diff := cmp.Diff(rundoc.Summary{}, summaryOf(t)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(rundoc.Summary{}, rundoc.Summarize(nil, rundoc.Exact{})); diff != "" {
		t.Error(diff)
	}
}

func TestPercentilesAreAbsentBelowTenAbove(t *testing.T) {
	for _, tt := range []struct {
		n    int
		want string // which of p50, p90, p95, p99, p99.9 are there
	}{
		{1, "....."},
		{19, "....."},
		{20, "x...."},
		{99, "x...."},
		{100, "xx..."},
		{199, "xx..."},
		{200, "xxx.."},
		{999, "xxx.."},
		{1000, "xxxx."},
		{9999, "xxxx."},
		{10000, "xxxxx"},
	} {
		got := ""
		for _, p := range percentilesOf(summaryOf(t, count(tt.n)...)) {
			if p == nil {
				got += "."
			} else {
				got += "x"
			}
		}
		if got != tt.want {
			t.Errorf("%d observations: %s, want %s", tt.n, got, tt.want)
		}
	}
}

func TestSummarizeValues(t *testing.T) {
	s := summaryOf(t, count(10_000)...)
	if s.Count != 10_000 || s.MinNS != 1000 || s.MaxNS != 10_000_000 || s.MeanNS != 5_000_500 {
		t.Errorf("count, min, max, mean = %d %d %d %d", s.Count, s.MinNS, s.MaxNS, s.MeanNS)
	}
	for i, want := range []int64{5_000_000, 9_000_000, 9_500_000, 9_900_000, 9_990_000} {
		got := *percentilesOf(s)[i]
		if off := float64(got)/float64(want) - 1; off < 0 || off > 0.001 {
			t.Errorf("percentile %d = %d, want %d to +0.1%%", i, got, want)
		}
	}
	if want := 2_886_751.0; math.Abs(float64(s.StddevNS)/want-1) > 0.001 {
		t.Errorf("stddev = %d, want %g", s.StddevNS, want)
	}
}

func TestPercentilesStayInTheExactRange(t *testing.T) {
	// 20 equal values whose bucket reaches above them.
	s := summaryOf(t, slices.Repeat([]int64{1_000_001}, 20)...)
	if *s.P50NS != 1_000_001 {
		t.Errorf("p50 = %d, above the maximum", *s.P50NS)
	}
	// Values beyond the histogram keep their exact maximum.
	s = summaryOf(t, slices.Repeat([]int64{3 * highest}, 20)...)
	if s.MaxNS != 3*highest || *s.P50NS != 3*highest {
		t.Errorf("max = %d, p50 = %d, want %d", s.MaxNS, *s.P50NS, int64(3*highest))
	}
}

func TestHistogramRoundTrip(t *testing.T) {
	h, exact := histogramOf(t, count(5000)...)
	got, err := rundoc.Summarize(h, exact).Histogram()
	if err != nil {
		t.Fatal(err)
	}
	if !got.Equals(h) {
		t.Error("the decoded histogram differs")
	}
}

func TestMergeInAnyOrderEqualsTheWhole(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	values := make([]int64, 30_000)
	for i := range values {
		values[i] = int64(rng.ExpFloat64() * 1e6)
	}
	whole := summaryOf(t, values...)
	parts := []rundoc.Summary{{}}
	for chunk := range slices.Chunk(values, 7001) {
		parts = append(parts, summaryOf(t, chunk...))
	}
	for range 5 {
		rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		got, err := rundoc.MergeSummaries(parts...)
		if err != nil {
			t.Fatal(err)
		}
		if d := got.MeanNS - whole.MeanNS; d < -1 || d > 1 {
			t.Errorf("mean %d, want %d", got.MeanNS, whole.MeanNS)
		}
		got.MeanNS = whole.MeanNS
		if diff := cmp.Diff(whole, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestMergeHistogramsOfDifferentRange(t *testing.T) {
	narrow := hdrhistogram.New(1, 1000, 3)
	_ = narrow.RecordValues(500, 10)
	wide, exact := histogramOf(t, slices.Repeat([]int64{1 << 40}, 10)...)
	a := rundoc.Summarize(narrow, rundoc.Exact{Min: 500, Max: 500, Sum: 5000})
	b := rundoc.Summarize(wide, exact)
	for _, order := range [][]rundoc.Summary{{a, b}, {b, a}} {
		got, err := rundoc.MergeSummaries(order...)
		if err != nil {
			t.Fatal(err)
		}
		if got.Count != 20 || got.MinNS != 500 || got.MaxNS != 1<<40 || *got.P50NS != 500 {
			t.Errorf("got %+v", got)
		}
	}
}

func TestHistogramRejects(t *testing.T) {
	good := summaryOf(t, count(100)...)
	coarse := hdrhistogram.New(1, highest, 2)
	_ = coarse.RecordValue(5)
	coarseHDR, _ := coarse.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	for _, tt := range []struct{ name, hdr, want string }{
		{"no histogram", "", "has no histogram"},
		{"not base64", "***", "illegal base64"},
		{"truncated", base64.StdEncoding.EncodeToString([]byte{0x1c, 0x84}), "too short"},
		{"cut off", good.HDR[:len(good.HDR)/2/4*4], "smaller than"},
		{"another precision", string(coarseHDR), "2 significant digits"},
		{"huge", strings.Repeat("A", 1<<21), "more than"},
		{"another count", summaryOf(t, count(99)...).HDR, "holds 99 observations"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := good
			s.HDR = tt.hdr
			if _, err := s.Histogram(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			if _, err := rundoc.MergeSummaries(good, s); err == nil {
				t.Error("merged without an error")
			}
		})
	}
}

func FuzzHistogram(f *testing.F) {
	f.Add(summaryOf(f, count(100)...).HDR, int64(100))
	f.Add("", int64(0))
	f.Add(timesOf(count(100)...).HDR, int64(100))
	f.Add("HISTFAAAAAB4nAMAAAAAAQ==", int64(1))
	empty, _ := hdrhistogram.New(1, highest, 3).Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	f.Add(string(empty), int64(0))
	f.Fuzz(func(t *testing.T, hdr string, n int64) {
		s := rundoc.Summary{Count: n, HDR: hdr}
		h, err := s.Histogram()
		if err == nil && h != nil && h.TotalCount() != n {
			t.Errorf("accepted %d observations for a count of %d", h.TotalCount(), n)
		}
		_, _ = rundoc.MergeSummaries(s, s)
		coarse := rundoc.SliceTimes{Count: n, HDR: hdr}
		if h, err := coarse.Histogram(); err == nil && h != nil && h.TotalCount() != n {
			t.Errorf("accepted %d observations of a slice for a count of %d", h.TotalCount(), n)
		}
	})
}

// A histogram without observations is none, wherever it stands: no judging looks into it.
func TestEmptyHistogramIsIgnored(t *testing.T) {
	empty, err := hdrhistogram.New(1, highest, 3).Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	none := rundoc.Summary{HDR: string(empty)}
	if h, err := none.Histogram(); h != nil || err != nil {
		t.Errorf("%v, %v", h, err)
	}
	run := ownRun(t, watched(soundRun(t)), all(10*ms, ms))
	want := rundoc.Judge(run)
	o := &run.Operations[0]
	run.Connections.ConnectTime, run.Generator.Hiccups.Lateness, o.SendDelay = none, none, none
	if got := rundoc.Judge(run); !cmp.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	o.ResponseTime, o.ResponseTime.Free, run.Generator.OwnDelay = none, &none, &none
	if got := rundoc.Judge(run); !got.Broken() {
		t.Errorf("without response times: %+v", got)
	}
	if _, err := rundoc.MergeSummaries(none, none); err != nil {
		t.Error(err)
	}
}

func TestTotals(t *testing.T) {
	run := rundoc.Run{Operations: []rundoc.Operation{
		{
			Name: "send", Labels: map[string]string{"type": "TEXT"},
			Scheduled: 10, OK: 5, Failed: 2, Unsent: 2, Unfinished: 1, Attempts: 9, Retries: 1,
			Bytes: 50, RatePerS: 2.5, BytesPerS: 25,
			ResponseTime: summaryOf(t, 1000, 2000), ServiceTime: summaryOf(t, 500),
			Causes: []rundoc.Cause{{Cause: "timeout", Count: 1}, {Cause: "reset", Count: 1}},
		},
		{
			Name: "send", Labels: map[string]string{"type": "JOIN"},
			Scheduled: 1, OK: 1, Attempts: 3, Retries: 2, Bytes: 7, RatePerS: 0.5, BytesPerS: 3.5,
			ResponseTime: summaryOf(t, 6000),
			Causes:       []rundoc.Cause{{Cause: "reset", Count: 2}},
		},
	}}
	got, err := run.Totals()
	if err != nil {
		t.Fatal(err)
	}
	want := rundoc.Operation{
		Name: "total", Scheduled: 11, OK: 6, Failed: 2, Unsent: 2, Unfinished: 1, Attempts: 12,
		Retries: 3, Bytes: 57, RatePerS: 3, BytesPerS: 28.5,
		ResponseTime: summaryOf(t, 1000, 2000, 6000), ServiceTime: summaryOf(t, 500),
		Causes: []rundoc.Cause{{Cause: "reset", Count: 3}, {Cause: "timeout", Count: 1}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	run.Operations[1].ResponseTime.HDR = "broken"
	got, err = run.Totals()
	if err == nil || !strings.Contains(err.Error(), "response_time") {
		t.Errorf("error %v, want one that names response_time", err)
	}
	if got.OK != 6 || got.ResponseTime.Count != 0 || got.ServiceTime.Count != 1 {
		t.Errorf("with a broken histogram: %+v", got)
	}
}
