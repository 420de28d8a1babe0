package course

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/rundoc"
)

const ms = int64(1e6)

// timesOf is a summary of times in ns, without its free figures.
func timesOf(times ...int64) rundoc.Summary {
	h := hdrhistogram.New(1, 1<<42, 3)
	exact := rundoc.Exact{Min: math.MaxInt64}
	for _, ns := range times {
		if err := h.RecordValue(ns); err != nil {
			panic(err)
		}
		exact.Min, exact.Max, exact.Sum = min(exact.Min, ns), max(exact.Max, ns), exact.Sum+ns
	}
	return rundoc.Summarize(h, exact)
}

func sliceOf(times ...int64) rundoc.SliceTimes {
	h := rundoc.NewSliceHistogram()
	for _, ns := range times {
		if err := h.RecordValue(ns); err != nil {
			panic(err)
		}
	}
	return rundoc.SummarizeSlice(h)
}

// upTo are the times 1 ms, 2 ms and so on.
func upTo(n int) (times []int64) {
	for i := range n {
		times = append(times, int64(i+1)*ms)
	}
	return times
}

// openRun is one of the open model, of 4.1 s: a stall of a second, retries and failures, a gap of the generator and goals.
func openRun() *rundoc.Run {
	return &rundoc.Run{
		Series: []rundoc.Point{
			{Second: 0, OK: 100, Offered: new(int64(102)), Bytes: 1000, P50NS: 5 * ms, P99NS: 20 * ms, OwnP99NS: 2000, InFlight: new(1.23456789)},
			{Second: 1, OK: 0, Offered: new(int64(98)), InFlight: new(50.0)},
			{Second: 2, OK: 190, Failed: 2, Offered: new(int64(100)), Bytes: 1900, P50NS: 500 * ms, InFlight: new(30.0), GapNS: 60 * ms,
				Causes: []rundoc.Cause{{Cause: "reset", Count: 7}, {Cause: "timeout", Count: 3}, {Cause: rundoc.OtherCauses, Count: 1}}},
			{Second: 3, OK: 100, Offered: new(int64(100)), Bytes: 1000, P50NS: 5 * ms, P99NS: 30 * ms,
				Causes: []rundoc.Cause{{Cause: "timeout", Count: 2}}},
			{Second: 4, OK: 9, Failed: 1, Offered: new(int64(10)), Causes: []rundoc.Cause{{Cause: "timeout", Count: 30}}},
		},
		Operations: []rundoc.Operation{{Name: "get", OK: 399, Failed: 3, ResponseTime: timesOf(upTo(400)...), ServiceTime: timesOf(upTo(300)...),
			Causes: []rundoc.Cause{{Cause: "timeout", Count: 35}, {Cause: "reset", Count: 8}}}},
		Slices: []rundoc.Slice{{FromS: 0, Seconds: 2, ResponseTime: sliceOf(upTo(100)...)}, {FromS: 2, Seconds: 2},
			{FromS: 4, Seconds: 2, ResponseTime: sliceOf(upTo(300)...)}},
		Ledger: rundoc.Ledger{Clients: 2, WindowNS: 4100 * ms, States: map[string]int64{
			rundoc.StateAwaiting: 4100 * ms, rundoc.StateWaiting: 4000 * ms, rundoc.StateBackingOff: 100 * ms}},
		Generator: rundoc.Generator{Hiccups: &rundoc.Hiccups{Longest: []rundoc.Gap{{AtNS: -100 * ms, NS: 90 * ms},
			{AtNS: 2100 * ms, NS: 60 * ms}, {AtNS: 3000 * ms, NS: 49 * ms}}}},
		Thresholds: []rundoc.Threshold{
			{Expr: "p99<50ms", Unit: "ns", Limit: 50e6, Value: new(60e6)}, {Expr: "rate>10/s", Unit: "per_s", Limit: 10, Value: new(97.0), Met: true},
			{Expr: "failed<1%", Unit: "share", Limit: 0.01}, {Expr: "p99.9{get}<1s", Unit: "ns", Limit: 1e9},
			{Expr: "connect.p99<1s", Unit: "ns", Limit: 1e9},
		},
	}
}

func sourceOf(run *rundoc.Run) Source {
	return Source{Run: run, WindowNS: run.Ledger.WindowNS, Short: "req", Many: "requests", Open: true}
}

// named is the panel of a name; the test ends where there is none.
func named(t *testing.T, all []graph.Panel, name string) graph.Panel {
	t.Helper()
	for _, p := range all {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no panel %q", name)
	return graph.Panel{}
}

// shape says in a line what a panel has.
func shape(p graph.Panel) string {
	text := p.Name + ":"
	for _, s := range p.Series {
		text += fmt.Sprintf(" %s/%s/%s", s.Name, s.Role, s.Style)
	}
	for _, b := range p.Bands {
		text += fmt.Sprintf(" [%s %g-%g]", b.Name, b.From, b.To)
	}
	for _, r := range p.Rules {
		text += fmt.Sprintf(" {%s/%s %g}", r.Name, r.Role, r.At)
	}
	for _, s := range p.Spans {
		text += fmt.Sprintf(" <%s/%s %g %s>", s.Row, s.Role, s.To, s.Text)
	}
	if p.Heat != nil {
		text += fmt.Sprintf(" heat %v", p.Heat.X)
	}
	if p.Empty != "" {
		text += " " + p.Empty
	}
	return text
}

func shapes(all []graph.Panel) (out []string) {
	for _, p := range all {
		out = append(out, shape(p))
	}
	return out
}

func TestPanels(t *testing.T) {
	const stood = "[generator paused 2.1-2.16]"
	for _, tt := range []struct {
		name string
		edit func(*Source)
		want []string
	}{
		{"open", func(*Source) {}, []string{
			"throughput: ok/ok/steps failed/failed/dots offered/offered/edge [no success 1-2] " + stood + " {threshold rate>10/s, met/met 10}",
			"response-time: p99/p99/ p50/p50/ [no success 1-2] " + stood +
				" {threshold p99<50ms, missed/failed 5e+07} {threshold p99.9{get}<1s, cannot be evaluated/unknown 1e+09}",
			"own-delay: generator delay, p99/own/ paused/unknown/dots " + stood,
			"in-flight: in flight/ok/steps " + stood,
			"failures: timeout/1/bars reset/2/bars other/neutral/bars " + stood,
			"distribution: response time/1/ service time/3/ {threshold p99<50ms, missed/failed 5e+07} {threshold p99.9{get}<1s, cannot be evaluated/unknown 1e+09}",
			"response-time-heat: " + stood + " heat [0 2 4 4.1]",
			"bytes: payload/ok/steps " + stood,
			"ledger: <waiting for its turn/neutral 0.4878 48.8%> <awaiting/ok 0.5 50.0%> <backing off/failed 0.012195 1.2%>",
		}},
		{"closed and interrupted, with failures that can be seen", func(s *Source) {
			s.Open, s.Run.Interrupted, s.Run.Thresholds = false, true, nil
			s.Run.Series[2].Failed, s.Run.Generator.Hiccups, s.Run.Slices, s.Run.Ledger.States = 40, nil, nil, nil
		}, []string{
			"throughput: ok/ok/steps failed/failed/steps [no success 1-2] {interrupted/failed 4.1}",
			"response-time: p99/p99/ p50/p50/ [no success 1-2]",
			"own-delay: generator delay, p99/own/ paused/unknown/dots",
			"in-flight: in flight/ok/steps",
			"failures: timeout/1/bars reset/2/bars other/neutral/bars",
			"distribution: response time/1/",
			"bytes: payload/ok/steps",
		}},
		{"no series", func(s *Source) { s.Run.Series, s.Run.Slices = nil, nil }, []string{
			"distribution: response time/1/ service time/3/ {threshold p99<50ms, missed/failed 5e+07} {threshold p99.9{get}<1s, cannot be evaluated/unknown 1e+09}",
			"ledger: <waiting for its turn/neutral 0.4878 48.8%> <awaiting/ok 0.5 50.0%> <backing off/failed 0.012195 1.2%>",
		}},
		{"nothing", func(s *Source) { *s = sourceOf(&rundoc.Run{}) }, nil},
		{"of an older program, and aborted", func(s *Source) {
			s.Run = &rundoc.Run{Series: []rundoc.Point{{OK: 5, Failed: 1}}, Aborted: "failed<1%"}
			s.WindowNS = 0
		}, []string{
			"throughput: ok/ok/steps failed/failed/steps {ended by failed<1%/failed 1}",
			"response-time: no second has enough operations for a percentile",
			"failures: failed/failed/bars",
		}},
		{"of unlike operations", func(s *Source) {
			s.Mixed = true
			s.Run.Operations = append(s.Run.Operations, rundoc.Operation{Name: "put", Labels: map[string]string{"to": "x"}, ResponseTime: timesOf(upTo(50)...)})
		}, []string{
			"bytes: payload/ok/steps " + stood,
			"failures: timeout/1/bars reset/2/bars other/neutral/bars " + stood,
			"distribution-by-operation: get/1/ put x/2/",
			"own-delay: generator delay, p99/own/ paused/unknown/dots " + stood,
			"ledger: <waiting for its turn/neutral 0.4878 48.8%> <awaiting/ok 0.5 50.0%> <backing off/failed 0.012195 1.2%>",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := sourceOf(openRun())
			tt.edit(&s)
			if diff := cmp.Diff(tt.want, shapes(Panels(s))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The figures are the document's: rates that it has, times at the middle of what they are of, and gaps for what it does
// not know.
func TestFiguresOverTime(t *testing.T) {
	all := Panels(sourceOf(openRun()))
	nan := math.NaN()
	got := []graph.Series{
		named(t, all, Throughput).Series[0], named(t, all, ResponseTime).Series[0], named(t, all, InFlight).Series[0],
		named(t, all, OwnDelay).Series[1],
	}
	want := []graph.Series{
		{Name: "ok", Role: graph.OK, Style: graph.Steps, X: graph.Values{0, 1, 2, 3}, To: graph.Values{1, 2, 3, 4.1},
			Y: graph.Values{100, 0, 190, 109 / 1.1}},
		{Name: "p99", Role: graph.P99, X: graph.Values{0.5, 1.5, 2.5, 3.5, 4.05}, Y: graph.Values{20e6, nan, nan, 30e6, nan}},
		{Name: "in flight", Role: graph.OK, Style: graph.Steps, X: graph.Values{0, 1, 2, 3, 4}, To: graph.Values{1, 2, 3, 4, 4.1},
			Y: graph.Values{1.2346, 50, 30, nan, nan}},
		{Name: "paused", Role: graph.Unknown, Style: graph.Dots, X: graph.Values{2.5}, Y: graph.Values{60e6}},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs(), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Error(diff)
	}
}

// area is the sum of the areas of steps.
func area(s graph.Series) (sum float64) {
	for i, y := range s.Y {
		sum += y * (s.To[i] - s.X[i])
	}
	return sum
}

// Areas are counts, whatever the length of the points and of the window: of ok ones, of what was offered, of bytes and
// of causes.
func TestAreasAreCounts(t *testing.T) {
	pairs := openRun()
	pairs.Series = []rundoc.Point{
		{Second: 0, Seconds: 2, OK: 300, Offered: new(int64(310)), Bytes: 8, P50NS: 7, Causes: []rundoc.Cause{{Cause: "reset", Count: 9}}},
		{Second: 2, Seconds: 2, OK: 500, Failed: 90, Offered: new(int64(490)), Bytes: 9},
		{Second: 4, Seconds: 2, OK: 20, Offered: new(int64(20)), Causes: []rundoc.Cause{{Cause: "reset", Count: 1}, {Cause: "b", Count: 5}}},
	}
	many := openRun()
	many.Series[2].Causes = many.Series[2].Causes[:2] // and none that is called the others
	for i := range 30 {                               // more causes than can be told apart
		p := &many.Series[i%5]
		p.Causes = append(p.Causes, rundoc.Cause{Cause: fmt.Sprintf("cause-%d", i), Count: int64(1 + i)})
	}
	for name, run := range map[string]*rundoc.Run{"seconds": openRun(), "pairs": pairs, "many causes": many} {
		for _, window := range []int64{4100, 4150, 4999, 5000} {
			s := sourceOf(run)
			s.WindowNS = window * ms
			if name == "pairs" {
				s.WindowNS += 1000 * ms
			}
			all := Panels(s)
			var ok, offered, bytes, causes float64
			for _, p := range run.Series {
				ok, offered, bytes = ok+float64(p.OK), offered+float64(*p.Offered), bytes+float64(p.Bytes)
				for _, c := range p.Causes {
					causes += float64(c.Count)
				}
			}
			series := named(t, all, Throughput).Series
			got := []float64{area(series[0]), area(series[len(series)-1]), area(named(t, all, Bytes).Series[0]), 0}
			for _, s := range named(t, all, Failures).Series {
				got[3] += area(s)
			}
			if diff := cmp.Diff([]float64{ok, offered, bytes, causes}, got, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
				t.Errorf("%s, window %d ms: %s", name, window, diff)
			}
		}
	}
	if p := named(t, Panels(sourceOf(pairs)), ResponseTime); !strings.Contains(p.Title, "slowest second of every 2") {
		t.Errorf("points of two seconds: %q", p.Title)
	}
	if n := len(named(t, Panels(sourceOf(many)), Failures).Series); n != rundoc.MaxPointCauses+1 {
		t.Errorf("%d causes", n)
	}
}

// A stretch in which nothing was to be done is no stall.
func TestIdleSecondsAreNotStalls(t *testing.T) {
	run := openRun()
	run.Series[1].Offered, run.Series[1].InFlight = new(int64(0)), new(0.0)
	if bands := named(t, Panels(sourceOf(run)), Throughput).Bands; len(bands) != 1 {
		t.Errorf("%+v", bands)
	}
	run = openRun()
	for i := range run.Series { // less than ten in a second
		run.Series[i].OK /= 20
	}
	if bands := named(t, Panels(sourceOf(run)), Throughput).Bands; len(bands) != 1 {
		t.Errorf("%+v", bands)
	}
	run = openRun()
	run.Series[2].OK = 0 // two stalled seconds are one stretch
	if bands := named(t, Panels(sourceOf(run)), Throughput).Bands; len(bands) != 2 || bands[0].To != 3 {
		t.Errorf("%+v", bands)
	}
}

// A document that lists more gaps than there can be makes no sense, and a page of no size.
func TestGapsAreBounded(t *testing.T) {
	run := openRun()
	run.Generator.Hiccups.Longest = slices.Repeat(run.Generator.Hiccups.Longest[1:2], 10*rundoc.MaxGaps)
	if n := len(Gaps(sourceOf(run))); n != rundoc.MaxGaps {
		t.Errorf("%d gaps are marked", n)
	}
}
