package rates

import (
	"fmt"
	"math"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/throughput"
)

func TestWhichBodiesAreMeasured(t *testing.T) {
	for which, want := range map[string]struct {
		least    int64
		measures bool
	}{"long": {64 << 10, true}, "all": {1, true}, "none": {math.MaxInt64, false}} {
		if r := New(which); r.Least != want.least || (r.Measure != nil) != want.measures {
			t.Errorf("%s: from %d on, %v", which, r.Least, r.Measure)
		}
	}
}

// A body counts where it is long enough, in its direction, under its request's name.
func TestObserve(t *testing.T) {
	r := New(OfLong)
	for _, l := range []*throughput.Timeline{
		{Host: "a", ContentLength: Long, RequestBytes: Long, ResponseBytes: Long - 1},
		{Host: "b", ContentLength: Long - 1, RequestBytes: Long - 1, ResponseBytes: Long},
		{Host: "c", ContentLength: Long - 1, RequestBytes: Long - 1, ResponseBytes: Long - 1},
	} {
		r.Observe(t.Context(), l)
	}
	up, down := r.Figures()
	if up.Bodies != 1 || up.ByRequest != nil || down.Bodies != 1 || down.ByRequest != nil {
		t.Errorf("%+v, %+v", up, down)
	}
	if up, down := New(OfLong).Figures(); up != nil || down != nil {
		t.Errorf("of nothing: %+v, %+v", up, down)
	}
}

// Requests beyond the fiftieth are together, under no name.
func TestManyRequests(t *testing.T) {
	r := New(All)
	for i := range 60 {
		r.Observe(t.Context(), &throughput.Timeline{Host: fmt.Sprint(i), ContentLength: 1, RequestBytes: 1})
	}
	up, _ := r.Figures()
	if up.Bodies != 60 || len(up.ByRequest) != 51 || up.ByRequest[0].Name != "" || up.ByRequest[0].Bodies != 10 {
		t.Errorf("%d of %d requests, the first %+v", up.Bodies, len(up.ByRequest), up.ByRequest[0])
	}
}

// All requests together are their sum, in whatever order they come, and the percentiles need enough of them.
func TestMerge(t *testing.T) {
	row := func(from, n int) (b *bodyRow) {
		for i := range n {
			b = b.add(1e6, float64(from+i)*1e6, throughput.OK, throughput.LimitNetwork)
		}
		return b
	}
	unrated := (*bodyRow)(nil).add(1, 0, throughput.Aborted, "")
	for name, rows := range map[string][]*bodyRow{
		"up": {row(1, 50), row(51, 50), unrated}, "down": {unrated, row(51, 50), row(1, 50)},
	} {
		var all *bodyRow
		for _, r := range rows {
			all = all.merge(r)
		}
		f, one := all.figures(""), row(1, 100).figures("")
		if f.Bodies != 101 || f.Rated != 100 || f.MinBytesPerS != 1e6 || f.MaxBytesPerS != 100e6 ||
			math.Abs(f.BytesPerS-one.BytesPerS) > 1 || f.Limits["network"] != 100 || f.Qualities["aborted"] != 1 {
			t.Errorf("%s: %+v", name, f)
		}
		for i, p := range []*float64{f.P10BytesPerS, f.P50BytesPerS, f.P90BytesPerS} {
			if want := []float64{10e6, 50e6, 90e6}[i]; p == nil || math.Abs(*p-want) > 0.02*want {
				t.Errorf("%s: percentile %d: %v", name, i, p)
			}
		}
	}
	if f := row(1, 99).figures(""); f.P10BytesPerS != nil || f.P90BytesPerS != nil || f.P50BytesPerS == nil {
		t.Errorf("of 99: %+v", f)
	}
}

// Two requests have a row each, and a row of one body has its rate.
func TestTwoRequests(t *testing.T) {
	r := New(All)
	for _, name := range []string{"a", "b"} {
		r.Observe(t.Context(), &throughput.Timeline{Host: name, ContentLength: 1, RequestBytes: 1})
	}
	if up, _ := r.Figures(); len(up.ByRequest) != 2 || up.ByRequest[0].Name != "a" || up.ByRequest[1].Name != "b" {
		t.Errorf("%+v", up.ByRequest)
	}
	one := (*bodyRow)(nil).add(1e6, 4e6, throughput.OK, "")
	for what, f := range map[string]rundoc.HTTPBodies{
		"alone": one.figures(""), "merged": (*bodyRow)(nil).merge(one).figures(""),
	} {
		if f.Rated != 1 || f.BytesPerS != 4e6 || f.MinBytesPerS != 4e6 || f.MaxBytesPerS != 4e6 {
			t.Errorf("%s: %+v", what, f)
		}
	}
	both := (*bodyRow)(nil).add(1e6, 2e6, throughput.OK, "").merge(one).figures("")
	if both.MinBytesPerS != 2e6 || both.MaxBytesPerS != 4e6 {
		t.Errorf("%+v", both)
	}
}

// Percentiles have two digits, of rates from 1 kB/s to 10 TB/s; what is slower or faster counts as these.
func TestPercentilesOfRates(t *testing.T) {
	var b *bodyRow
	for perSecond, n := range map[float64]int{100: 60, 123.456e6: 80, 1e15: 60} {
		for range n {
			b = b.add(1, perSecond, throughput.OK, "")
		}
	}
	for what, f := range map[string]rundoc.HTTPBodies{"alone": b.figures(""), "merged": (*bodyRow)(nil).merge(b).figures("")} {
		if p10, p50, p90 := *f.P10BytesPerS, *f.P50BytesPerS, *f.P90BytesPerS; p10 != 1e3 || p50 != 123.903e6 ||
			math.Abs(p90-1e13) > 1e11 {
			t.Errorf("%s: %g, %g, %g", what, p10, p50, p90)
		}
	}
	b = nil
	for _, perSecond := range []float64{2e3, 2e3, 2e3, 1e6} {
		for range 30 {
			b = b.add(1, perSecond, throughput.OK, "")
		}
	}
	if f := b.figures(""); *f.P50BytesPerS != 2e3 {
		t.Errorf("of 2 kB/s: %g", *f.P50BytesPerS)
	}
}
