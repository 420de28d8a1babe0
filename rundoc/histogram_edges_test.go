package rundoc

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// textOf is the text of a histogram with these values.
func textOf(t *testing.T, h *hdrhistogram.Histogram, values ...int64) string {
	t.Helper()
	for _, v := range values {
		if err := h.RecordValue(v); err != nil {
			t.Fatal(err)
		}
	}
	text, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestEdgesOfTextsOfHistograms(t *testing.T) {
	good, empty := textOf(t, hdrhistogram.New(1, 1000, 3), 5), textOf(t, hdrhistogram.New(1, 1000, 3))
	two := textOf(t, hdrhistogram.New(1, 1000, 3), 5, 6)
	// cut has a header alone.
	raw, err := base64.StdEncoding.DecodeString(good)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zlib.NewReader(bytes.NewReader(raw[8:]))
	if err != nil {
		t.Fatal(err)
	}
	header := make([]byte, 40)
	if _, err := z.Read(header); err != nil {
		t.Fatal(err)
	}
	packed := func(text []byte) string {
		var all bytes.Buffer
		all.Write(raw[:8])
		w := zlib.NewWriter(&all)
		_, _ = w.Write(text)
		_ = w.Close()
		return base64.StdEncoding.EncodeToString(all.Bytes())
	}
	for _, tt := range []struct {
		name, text string
		count      int64
		want       string // of the error; "" for none
		is         bool   // a histogram
	}{
		{"nothing", "", 0, "", false},
		{"nothing of one", "", 1, "a summary of 1 observations has no histogram", false},
		{"one", good, 1, "", true},
		{"two", two, 2, "", true},
		{"an empty one", empty, 0, "", false},
		{"another count", good, 2, "holds 1 observations, but the summary counts 2", false},
		{"one of none", good, 0, "holds 1 observations, but the summary counts 0", false},
		{"as long as it may be", strings.Repeat("A", 1<<20), 1, "histogram: zlib", false},
		{"longer", strings.Repeat("A", 1<<20+1), 1, "histogram: 1048577 bytes, more than 1048576", false},
		{"not base64", "***", 1, "illegal base64", false},
		{"seven bytes", base64.StdEncoding.EncodeToString(make([]byte, 7)), 1, "too short", false},
		{"eight bytes", base64.StdEncoding.EncodeToString(make([]byte, 8)), 1, "EOF", false},
		{"a short header", packed(header[:39]), 1, "unexpected EOF", false},
		{"a header alone", packed(header), 1, "histogram: ", false},
		{"four digits", textOf(t, hdrhistogram.New(1, 1000, 4), 5), 1, "has 4 significant digits and the unit 1 ns, not 3 and 1 ns", false},
		{"another unit", textOf(t, hdrhistogram.New(2, 1000, 3), 5), 1, "has 3 significant digits and the unit 2 ns, not 3 and 1 ns", false},
	} {
		h, err := Summary{Count: tt.count, HDR: tt.text}.Histogram()
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) || (h != nil) != tt.is {
			t.Errorf("%s: %v, %v", tt.name, h != nil, err)
		}
		again := newSamples()
		for range 2 {
			s, err := again.of(&Summary{Count: tt.count, HDR: tt.text})
			if (err == nil) != (tt.want == "") || (s != nil) != tt.is {
				t.Errorf("%s, as a sample: %v, %v", tt.name, s, err)
			}
		}
	}
}

func TestEdgesOfMerging(t *testing.T) {
	// with is a summary with free times.
	with := func(raw, free Summary) Summary {
		raw.Free = &free
		return raw
	}
	one, two, bad := timesOf(10), timesOf(20, 40), Summary{Count: 1, HDR: "x"}
	interval := edited(one, func(s *Summary) { s.SetIntervals(func(int64) *Interval { return nil }, &Interval{10, 10, 1}) })
	for _, tt := range []struct {
		name  string
		all   []Summary
		count int64
		free  int64  // count of the free times; -1 for none
		want  string // of the error
	}{
		{"nothing", nil, 0, -1, ""},
		{"empty ones", []Summary{{}, {}}, 0, -1, ""},
		{"one", []Summary{{}, one}, 1, -1, ""},
		{"two", []Summary{one, two}, 3, -1, ""},
		{"one of two unreadable", []Summary{{}, bad, one}, 0, -1, "summary 2 of 3: histogram: "},
		{"free times of one", []Summary{with(one, one)}, 1, 1, ""},
		{"free times of both", []Summary{with(one, one), with(two, two)}, 3, 3, ""},
		{"free times of one of both", []Summary{with(two, two), one}, 3, -1, ""},
		{"free times, and an empty one", []Summary{{}, with(two, two)}, 2, 2, ""},
		{"free times that are unreadable", []Summary{with(one, bad)}, 0, -1, "free: summary 1 of 1"},
	} {
		got, err := MergeSummaries(tt.all...)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
		free := int64(-1)
		if got.Free != nil {
			free = got.Free.Count
		}
		if got.Count != tt.count || free != tt.free {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
	all, err := MergeSummaries(one, two)
	if err != nil || all.MinNS != 10 || all.MaxNS != 40 || all.MeanNS != 23 || all.StddevNS != 12 || all.HDR != timesOf(10, 20, 40).HDR {
		t.Errorf("%+v, %v", all, err)
	}
	for _, tt := range []struct {
		all  []Summary
		want bool
	}{{[]Summary{interval}, true}, {[]Summary{{}, interval}, true}, {[]Summary{interval, one}, false}} {
		if got, err := MergeSummaries(tt.all...); err != nil || got.MeanInterval() != nil != tt.want {
			t.Errorf("an interval of %d: %+v, %v", len(tt.all), got.MeanInterval(), err)
		}
	}
	for _, tt := range []struct {
		counts []int64
		want   int
	}{{nil, -1}, {[]int64{0, 0}, -1}, {[]int64{1}, 0}, {[]int64{0, 2, 0}, 1}, {[]int64{1, 2}, -1}, {[]int64{0, 1, 2}, -1}} {
		var list []Summary
		for _, n := range tt.counts {
			list = append(list, Summary{Count: n})
		}
		if got := onlyFilled(list); got != tt.want {
			t.Errorf("%v: %d", tt.counts, got)
		}
	}
}

func TestEdgesOfMergingHistograms(t *testing.T) {
	of := func(most int64, digits int, values ...int64) *hdrhistogram.Histogram {
		h := hdrhistogram.New(1, most, digits)
		textOf(t, h, values...)
		return h
	}
	narrow, wide, other := of(1000, 3, 5), of(1_000_000, 3, 6, 7), of(1000, 3, 8)
	if got, err := mergeHistograms(nil, narrow); err != nil || got != narrow {
		t.Errorf("with nothing: %v", err)
	}
	if got, err := mergeHistograms(narrow, other); err != nil || got != narrow || got.TotalCount() != 2 {
		t.Errorf("with one that is as wide: %v", err)
	}
	if got, err := mergeHistograms(narrow, wide); err != nil || got != wide || got.TotalCount() != 4 {
		t.Errorf("with a wider one: %v", err)
	}
	// The coarse one takes up to 255, though it should take more than the other, which takes up to 2,047.
	if got, err := mergeHistograms(of(200, 1, 5), of(100, 3, 2000)); err == nil || got != nil || !strings.HasPrefix(err.Error(), "1 observations") {
		t.Errorf("with one whose values do not fit: %v", err)
	}
}

func TestEdgesOfBuckets(t *testing.T) {
	for i, want := range map[int]bar{0: {0, 1, 0}, 2047: {2047, 1, 0}, 2048: {2048, 2, 0}, 3071: {4094, 2, 0}, 3072: {4096, 4, 0}} {
		if low, width := bucket(i); low != want.low || width != want.width {
			t.Errorf("bucket %d: %d, %d wide", i, low, width)
		}
	}
	if got := (bar{4096, 4, 9}).middle(); got != 4098 {
		t.Errorf("the middle is %v", got)
	}

	s := newSample(func() *hdrhistogram.Histogram {
		h := hdrhistogram.New(1, 10_000, 3)
		textOf(t, h, 5, 5, 7, 4097)
		return h
	}())
	if s.total != 4 || s.most != 10_000 || !slices.Equal(s.bars, []bar{{5, 1, 2}, {7, 1, 1}, {4096, 4, 1}}) {
		t.Errorf("%+v", s)
	}
	if s.lowest() != 5 || s.highest() != 4099 || s.mean() != 1028.75 || math.Abs(s.deviation()-1772.033) > 1e-3 {
		t.Errorf("%d to %d, mean %v ± %v", s.lowest(), s.highest(), s.mean(), s.deviation())
	}
	for rank, want := range map[int64]int64{1: 5, 2: 5, 3: 7, 4: 4099, 5: 0} {
		if got := s.atRank(rank); got != want {
			t.Errorf("of rank %d: %d", rank, got)
		}
	}
	if s.at(50) != 5 || s.at(75) != 7 || s.at(100) != 4099 {
		t.Errorf("%d, %d, %d", s.at(50), s.at(75), s.at(100))
	}
	for _, tt := range []struct {
		total      int64
		percentile float64
		want       int64
	}{{20, 50, 10}, {21, 50, 11}, {20, 0.1, 1}, {2, 50, 1}, {20, 100, 20}, {1, 50, 1}, {20, 99, 20}, {1000, 99.9, 999}} {
		if got := rankOf(tt.total, tt.percentile); got != tt.want {
			t.Errorf("%+v: %d", tt, got)
		}
	}

	for _, tt := range []struct{ a, b, want []bar }{
		{nil, nil, nil},
		{[]bar{{1, 1, 1}}, nil, []bar{{1, 1, 1}}},
		{nil, []bar{{1, 1, 1}}, []bar{{1, 1, 1}}},
		{[]bar{{1, 1, 1}, {3, 1, 3}}, []bar{{2, 1, 2}, {3, 1, 4}, {4, 1, 4}}, []bar{{1, 1, 1}, {2, 1, 2}, {3, 1, 7}, {4, 1, 4}}},
		{[]bar{{4096, 4, 1}, {4100, 4, 2}, {4104, 4, 3}}, []bar{{4096, 4, 2}}, []bar{{4096, 4, 3}, {4100, 4, 2}, {4104, 4, 3}}},
	} {
		a, b := sample{bars: tt.a, total: 1, most: 7}, sample{bars: tt.b, total: 2, most: 9}
		if a.add(&b); !slices.Equal(a.bars, tt.want) || a.total != 3 || a.most != 9 {
			t.Errorf("%v and %v: %+v", tt.a, tt.b, a)
		}
	}

	again, err := Summary{Count: 4, HDR: s.encode()}.Histogram()
	if err != nil || !slices.Equal(newSample(again).bars, s.bars) || again.HighestTrackableValue() != 10_000 {
		t.Errorf("encoded and read again: %v", err)
	}
}

// As much is kept of what was decoded as there is room for.
func TestEdgesOfWhatIsKept(t *testing.T) {
	two := timesOf(10, 20)
	for bars, kept := range map[int]bool{0: true, 1<<21 - 2: true, 1<<21 - 1: false} {
		c := newSamples()
		c.bars = bars
		first, err := c.of(&two)
		second, again := c.of(&two)
		if err != nil || again != nil || first == nil || second == nil || first == second != kept {
			t.Errorf("beside %d bars: %v, %v", bars, err, again)
		}
		if want := bars + 2; kept && c.bars != want || !kept && c.bars != bars {
			t.Errorf("beside %d bars: %d", bars, c.bars)
		}
	}
}

func TestEdgesOfHistogramsOfSlices(t *testing.T) {
	h := NewSliceHistogram()
	if h.SignificantFigures() != 2 || h.LowestTrackableValue() != 128 || h.HighestTrackableValue() != 1<<42 || MaxSlices != 120 {
		t.Errorf("%d digits, %d to %d ns, %d slices", h.SignificantFigures(), h.LowestTrackableValue(), h.HighestTrackableValue(), MaxSlices)
	}
	for n := range int64(3) {
		s := SummarizeSlice(h)
		again, err := s.Histogram()
		if err != nil || s.Count != n || (s.HDR != "") != (n > 0) || (again != nil) != (n > 0) || again != nil && again.TotalCount() != n {
			t.Errorf("of %d times: %+v, %v", n, s, err)
		}
		textOf(t, h, 1000)
	}
}
