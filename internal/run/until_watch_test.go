package run

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/internal/until"
	"github.com/plimsoll/plimsoll/rundoc"
)

// window is what two kinds of operations have come to, whose response takes 3 ms, and 1 ms of it their service.
func window(t *testing.T) (so *record.SoFar, more func(a, b int)) {
	t.Helper()
	kinds := []record.Kind{{Name: "a"}, {Name: "b"}}
	so = &record.SoFar{Clients: 1, Slots: 1, Kinds: kinds, Connections: record.NewConnections(), Unsent: []int64{0, 0}, Start: 5e9, Now: 5e9,
		Window: record.New(record.Config{Kinds: kinds, Open: true})}
	n := int64(0)
	return so, func(a, b int) {
		for kind, times := range []int{a, b} {
			for range times {
				n++
				o := record.Operation{Kind: kind, Attempts: 1, Intended: n * 1e6, Ready: n * 1e6, Start: n*1e6 + 2e6, End: n*1e6 + 3e6}
				if kind == 1 {
					o.Outcome, o.Cause = record.Failed, "reset"
				}
				so.Window.Record(0, &o)
			}
		}
		so.Now += 1e9
	}
}

// A stretch is what came since the last look, of the operations and of the times that the figure is of.
func TestUntilWatchSumsEachInterval(t *testing.T) {
	for text, want := range map[string]struct {
		ok, failed int64
		time       int64 // ns, about
	}{
		"p50±5%": {100, 10, 3e6}, "service.p50±5%": {100, 10, 1e6}, "p50{operation=a}±5%": {100, 0, 3e6}, "rate±5%": {100, 10, 3e6},
	} {
		u, _, err := given(t, nil, text)
		if err != nil {
			t.Fatal(err)
		}
		w := u.watch()
		so, more := window(t)
		more(100, 10)
		if w.enough(so) || w.steady(so) {
			t.Errorf("%s: it is known at the first look", text)
		}
		w = u.watch()
		for round, factor := range []int64{1, 2} {
			b := w.stretch(so, &w.so)
			count := factor * want.ok // what failed has no time
			if b.Length != time.Duration(1+round)*time.Second && b.Length != time.Second || b.OK != factor*want.ok || b.Failed != factor*want.failed ||
				b.Count != count || math.Abs(b.Sum/float64(count*want.time)-1) > 1e-3 {
				t.Errorf("%s, %d: %v, %d ok, %d failed, %d times of %g", text, round, b.Length, b.OK, b.Failed, b.Count, b.Sum)
			}
			bin := slices.IndexFunc(b.Times, func(n uint32) bool { return n > 0 })
			if len(b.Times) != stats.Bins || bin < 0 || int64(b.Times[bin]) != count || math.Abs(float64(bin-stats.Bin(want.time))) > 1 {
				t.Errorf("%s, %d: the times are in bin %d", text, round, bin)
			}
			more(200, 20)
		}
		_ = w.stretch(so, &w.so)
		if b := w.stretch(so, &w.so); b.OK != 0 || b.Failed != 0 || b.Count != 0 || b.Length != 0 || slices.Max(b.Times) != 0 {
			t.Errorf("%s: nothing came, and it is %+v", text, b.OK)
		}
	}
}

// The document's interval of what was waited for is no narrower than the one that was waited for.
func TestDocumentIntervalIsNoNarrowerThanTheAwaitedOne(t *testing.T) {
	summary := func() *rundoc.Summary {
		return &rundoc.Summary{Count: 100, MinNS: 10, MaxNS: 1000, P50NS: new(int64(450)), P99NS: new(int64(500)), Intervals: &rundoc.Intervals{
			P50: &rundoc.Interval{LowNS: 400, HighNS: 600, Effective: 50}, P99: &rundoc.Interval{LowNS: 400, HighNS: 600, Effective: 50}}}
	}
	one := func() rundoc.Run {
		return rundoc.Run{Operations: []rundoc.Operation{{ResponseTime: *summary(), ServiceTime: *summary()}}}
	}
	all := func() rundoc.Run {
		return rundoc.Run{Operations: make([]rundoc.Operation, 2), Total: &rundoc.Totals{ResponseTime: summary(), ServiceTime: summary()}}
	}
	type ends [2]int64
	same, wider := ends{400, 600}, ends{300, 701}
	for name, tt := range map[string]struct {
		text              string
		doc               rundoc.Run
		interval          until.Interval
		response, service ends // of the percentile that is asked for
	}{
		"wider":           {"p99±5%", one(), until.Interval{Low: 300.9, High: 700.1}, wider, same},
		"of the service":  {"service.p99±5%", one(), until.Interval{Low: 300.9, High: 700.1}, same, wider},
		"narrower":        {"p99±5%", one(), until.Interval{Low: 450, High: 550}, same, same},
		"beyond all":      {"p99±5%", one(), until.Interval{Low: 1, High: 5000}, ends{10, 1000}, same},
		"of all":          {"p99±5%", all(), until.Interval{Low: 300.9, High: 700.1}, wider, same},
		"of all service":  {"service.p99±5%", all(), until.Interval{Low: 300.9, High: 700.1}, same, wider},
		"of a part":       {"p99{operation=a}±5%", one(), until.Interval{Low: 300.9, High: 700.1}, same, same},
		"a mean":          {"mean±5%", one(), until.Interval{Low: 300.9, High: 700.1}, same, same},
		"a rarer one":     {"p98.9998±5%", one(), until.Interval{Low: 300.9, High: 700.1}, same, same},
		"one that is not": {"p90±5%", one(), until.Interval{Low: 300.9, High: 700.1}, same, same},
	} {
		u, _, err := given(t, nil, tt.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		doc := tt.doc
		u.watch().widen(&doc, &tt.interval)
		response, service := &doc.Operations[0].ResponseTime, &doc.Operations[0].ServiceTime
		if doc.Total != nil {
			response, service = doc.Total.ResponseTime, doc.Total.ServiceTime
		}
		got := func(s *rundoc.Summary) ends { return ends{s.Intervals.P99.LowNS, s.Intervals.P99.HighNS} }
		if got(response) != tt.response || got(service) != tt.service {
			t.Errorf("%s: %v, %v", name, got(response), got(service))
		}
	}
	u, _, err := given(t, nil, "p99±5%")
	if err != nil {
		t.Fatal(err)
	}
	u.watch().widen(&rundoc.Run{}, &until.Interval{}) // of nothing there is none
}
