package bandwidth

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/flow"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The bins are moved by what the counting began before the window, and have no end without bytes.
func TestFlowOf(t *testing.T) {
	window := time.Date(2026, 5, 4, 9, 30, 0, 0, time.UTC)
	got := flowOf(&flow.Course{
		Origin: window.Add(-3 * time.Millisecond), How: flow.Queue, Encrypted: true, Width: flow.Every,
		Bins: []flow.Moved{{Sent: 5}, {}, {Sent: 7, Received: 1}, {Received: 2}, {}}, LongestLook: 120 * time.Millisecond,
	}, window)
	want := &rundoc.Flow{
		Counted: rundoc.CountedQueue, Encrypted: true, BinNS: 1e8, FromNS: -3e6,
		Sent: []int64{5, 0, 7}, Received: []int64{0, 0, 1, 2}, LongestLookNS: 12e7,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if flowOf(nil, window) != nil {
		t.Error("a course of nothing")
	}
}

// A standstill is one of a transfer only where the transfer was on.
func TestStandstill(t *testing.T) {
	const s = time.Second
	window := time.Date(2026, 5, 4, 9, 30, 0, 0, time.UTC)
	on := []Iteration{{From: 1 * s, Duration: 10 * s}, {From: 20 * s, Duration: 10 * s}}
	stretches := []flow.Stretch{
		{From: 0, To: 2*s - 100*time.Millisecond}, // 0.9 s of it in the first iteration, seen from the window
		{From: 3 * s, To: 7 * s},
		{From: 9 * s, To: 22 * s},                       // 2 s and 2 s
		{From: 25 * s, To: 25*s + 400*time.Millisecond}, // too short
		{From: 29*s + 800*time.Millisecond, To: 31 * s}, // too short within
		{From: 40 * s, To: 60 * s},                      // after it
	}
	got := standstill(stretches, window, window, on)
	want := &rundoc.Standstill{FromNS: int64(3 * s), DurationNS: int64(4 * s), AllNS: 8.9e9}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := standstill(stretches, window.Add(s), window, on); got.FromNS != int64(4*s) || got.DurationNS != int64(4*s) {
		t.Errorf("a second later: %+v", got)
	}
	if got := standstill(stretches[3:], window, window, on); got != nil {
		t.Errorf("%+v", got)
	}
}

// A request is slow by both, the multiple of the median and the time, and among enough others.
func TestSlowRequests(t *testing.T) {
	const ms = time.Millisecond
	longest := []store.Slow{{Of: "part 7", From: 2 * ms, Took: 4000 * ms}, {Took: 800 * ms, Failed: true}, {Took: 749 * ms}}
	of := func(name string, attempts int64, median time.Duration, longest ...store.Slow) store.Figures {
		f := store.Figures{Name: name, Longest: longest}
		f.Times[store.StageWhole].Histogram = hdrhistogram.New(1, 1e12, 5)
		_ = f.Times[store.StageWhole].Histogram.RecordValues(int64(median), attempts)
		return f
	}
	figures := []store.Figures{
		of("UploadPart", 20, 150*ms, longest...),
		of("GetObject", 4, 150*ms, longest...), // too few
		of("PutObject", 99, 5*ms, store.Slow{Took: 505*ms + 5000}, store.Slow{Took: 504 * ms}),
		{Name: "DeleteObject"},
	}
	// The highest value that the histogram does not tell from it.
	const median150, median5 = 150_000_639, 5_000_031
	want := []rundoc.SlowRequest{
		{Name: "UploadPart", Of: "part 7", FromNS: 5e6, DurationNS: 4e9, MedianNS: median150},
		{Name: "UploadPart", FromNS: 3e6, DurationNS: 8e8, MedianNS: median150, Failed: true},
		{Name: "PutObject", FromNS: 3e6, DurationNS: 505005000, MedianNS: median5},
	}
	if diff := cmp.Diff(want, slowRequests(figures, 3*ms)); diff != "" {
		t.Error(diff)
	}
	for range 4 {
		figures = append(figures, figures[0])
	}
	if n := len(slowRequests(figures, 0)); n != mostSlow {
		t.Errorf("%d are listed", n)
	}
}

// A transfer whose body stood still is held up by that; one that waited for answers is by the store, as before.
func TestLimitsNameStandstill(t *testing.T) {
	const second = time.Second
	for _, test := range []struct {
		name    string
		request []rundoc.RequestFigures
		still   *rundoc.Standstill
		want    map[string]float64
		says    string
	}{
		{"in a body", requestsOf(0, 95*second, 5*second), &rundoc.Standstill{FromNS: 2e9, DurationNS: 20e9, AllNS: 25e9},
			map[string]float64{"standstill": 0.5, "network": 0.45},
			"the longest stall was 20.0 s at 2.00 s (UploadPart, part 7, took 21.0 s, 42 times the median): check"},
		{"so that nothing is left of the network", requestsOf(0, 95*second, 5*second),
			&rundoc.Standstill{FromNS: 2e9, DurationNS: 43e9, AllNS: 45e9}, map[string]float64{"standstill": 0.9}, "90%"},
		{"partly in the answers", requestsOf(0, 60*second, 40*second), &rundoc.Standstill{DurationNS: 40e9, AllNS: 44e9},
			map[string]float64{"standstill": 0.48, "store": 0.4, "network": 0.12},
			"no data moved in 88% of the time: in 48% while requests were in flight, otherwise during the other waits " +
				"listed here; the longest stall was 40.0 s"},
		{"in the answers", requestsOf(0, 40*second, 60*second), &rundoc.Standstill{DurationNS: 20e9, AllNS: 30e9},
			map[string]float64{"store": 0.6, "network": 0.4}, "waiting for responses of the store"},
		{"only short ones", requestsOf(0, 95*second, 5*second), &rundoc.Standstill{DurationNS: 9e8, AllNS: 40e9},
			map[string]float64{"network": 0.95}, "sending took 95%"},
		{"none", requestsOf(0, 95*second, 5*second), nil, map[string]float64{"network": 0.95}, "sending took 95%"},
	} {
		d := &rundoc.BandwidthDetail{
			BlockBytes: 8 << 20, SizeBytes: 800 << 20, Streams: 1, Requests: test.request,
			Upload: &rundoc.Transfer{DurationNS: int64(50 * second), Standstill: test.still},
			Store:  rundoc.StoreUsed{ActiveParts: 8, PartBytes: 8 << 20},
			Slow: []rundoc.SlowRequest{
				{Name: "UploadPart", Of: "part 7", FromNS: 15e8, DurationNS: 21e9, MedianNS: 5e8},
			},
		}
		r := &Result{Upload: Transfer{Duration: 50 * second, StreamTime: 50 * second}}
		got := map[string]float64{}
		list := limitsOf(d, r, WholeFile)
		for _, l := range list {
			got[l.What] = math.Round(1000*l.Share) / 1000
		}
		if diff := cmp.Diff(test.want, got); diff != "" || !strings.Contains(list[0].Message, test.says) {
			t.Errorf("%s: %s\n%+v, want %q first", test.name, diff, list, test.says)
		}
	}
}
