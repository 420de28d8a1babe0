package run

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/internal/until"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The window has a most, which is five minutes where nobody says so, and half a minute at least.
func TestUntilMost(t *testing.T) {
	for _, tt := range []struct {
		until, most string
		window      time.Duration
		want        string
	}{
		{"", "", 0, ""},
		{"p99±5%", "", 5 * time.Minute, ""},
		{"p99±5%", "30s", 30 * time.Second, ""},
		{"p99±5%", "29.999s", 0, "--until-most is 29.999s: it must be 30s at least, since less says too little"},
		{"", "1m", 0, "--until-most bounds the window of --until, and that is not given"},
	} {
		u, load := new(Until), &plan.Load{WarmupClients: 1, WarmupOperations: 1000, WarmupTime: time.Second}
		s := new(setting.Set).Group("", u.Settings(figure.Known{Kind: "http"})...)
		if !s.Lookup("until").Unended {
			t.Error("a figure alone is taken for all that --until takes")
		}
		for name, value := range map[string]string{"until": tt.until, "until-most": tt.most} {
			if value != "" && s.Lookup(name).Set(value) != nil {
				t.Fatal(value)
			}
		}
		if err := u.Resolve(load, func(string) bool { return false }); err != nil {
			t.Fatal(err)
		}
		err := s.Check()
		if got := errorOf(err); got != tt.want || err == nil && load.Duration != tt.window {
			t.Errorf("%q, %q: %q, %v", tt.until, tt.most, got, load.Duration)
		}
		if tt.until != "" && (load.WarmupTime != 30*time.Second || load.WarmupOperations != 0 || !u.warms) {
			t.Errorf("the warm-up is %v, %d", load.WarmupTime, load.WarmupOperations)
		}
	}
	// Without a warm-up there is none that could be steady, and a flag that has no name is not given.
	u, load := new(Until), &plan.Load{WarmupTime: time.Second}
	s := new(setting.Set).Group("", u.Settings(figure.Known{Kind: "http"})...)
	if err := s.Lookup("until").Set("p99±5%"); err != nil {
		t.Fatal(err)
	}
	if err := u.Resolve(load, func(flag string) bool { return flag == "" }); err != nil || u.warms || load.WarmupTime != time.Second {
		t.Errorf("%v, %t, %v", err, u.warms, load.WarmupTime)
	}
}

func errorOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// How well a figure may be asked to be known, and which.
func TestUntilAtItsBounds(t *testing.T) {
	own := figure.Known{Kind: "x", Own: []figure.Source{{Name: "lost", Unit: figure.Count,
		Number: func(*rundoc.Run, map[string]string) figure.Value { return figure.Value{} }}}}
	const window = "a window that goes on does not say how well that is known"
	for _, tt := range []struct {
		text  string
		known figure.Known
		want  until.Rule // of what is taken
		wrong string
	}{
		{"p99±1%", own, until.Rule{Measure: until.Percentile, Quantile: 0.99, Needs: 1000, Within: 0.01}, ""},
		{"service.p50±50%", own, until.Rule{Measure: until.Percentile, Quantile: 0.5, Needs: 20, Within: 0.5}, ""},
		{"mean±5%", own, until.Rule{Measure: until.Mean, Within: 0.05}, ""},
		{"service.mean±5%", own, until.Rule{Measure: until.Mean, Within: 0.05}, ""},
		{"rate±5%", own, until.Rule{Measure: until.Rate, Within: 0.05}, ""},
		{"failed±5%", own, until.Rule{Measure: until.Failed, Within: 0.05}, ""},
		{"p99±0.99%", own, until.Rule{}, "out of bounds: from ±1% to ±50%"},
		{"p99±51%", own, until.Rule{}, "out of bounds: from ±1% to ±50%"},
		{"p99±5", own, until.Rule{}, `"5" is no share of the figure`},
		{"p99±x%", own, until.Rule{}, `"x%" is no share of the figure`},
		{"lost±5%", own, until.Rule{}, window},
		{"unsent±5%", own, until.Rule{}, window},
		{"ok±5%", own, until.Rule{}, window},
		{"max±5%", own, until.Rule{}, window},
		{"min±5%", own, until.Rule{}, window},
		{"service.max±5%", own, until.Rule{}, window},
		{"connect.mean±5%", own, until.Rule{}, window},
		{"p99{operation=a}±5%", figure.Known{Kind: "x", Mixed: true}, until.Rule{}, window},
		{"rate{operation=a}±5%", figure.Known{Kind: "x", Mixed: true}, until.Rule{}, window},
	} {
		asked, err := ParseUntil([]string{tt.text}, tt.known)
		if err == nil {
			u := &Until{known: tt.known, asked: asked, Most: time.Minute}
			var got until.Rule
			got, err = u.rule()
			if tt.want.Most = time.Minute; tt.wrong == "" {
				got.Needs, tt.want.Needs = min(got.Needs, 1), min(tt.want.Needs, 1)
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("%s: %s", tt.text, diff)
				}
			}
		}
		if got := errorOf(err); !strings.Contains(got, tt.wrong) || tt.wrong == "" && got != "" {
			t.Errorf("%s: %q, want %q", tt.text, got, tt.wrong)
		}
	}
	for of, want := range map[float64]string{0.05: "5%", 0.012345: "1.234%", 0.5: "50%"} {
		if got := share(of); got != want {
			t.Errorf("%g is %s, want %s", of, got, want)
		}
	}
	if _, _, err := given(t, nil, "±5%"); fault.HintOf(err) != "" {
		t.Errorf("a form that is known is explained: %s", fault.HintOf(err))
	}
	if unread := (&Until{asked: &Asked{}, known: figure.Known{Mixed: true}}).watch(); unread != nil {
		t.Error("what cannot be known is watched")
	}
}

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
func TestStretch(t *testing.T) {
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

// What came of it is told in the document: how well the figure is known, and why not.
func TestDocumentOfUntil(t *testing.T) {
	u, _, err := given(t, nil, "rate±5%")
	if err != nil {
		t.Fatal(err)
	}
	none := u.watch().document(&rundoc.Run{})
	if none.Known || none.Why == "" || none.Value != nil || none.Low != nil || none.High != nil || none.MostNS != int64(5*time.Minute) ||
		none.Figure != "rate" || none.Within != 0.05 || none.Unit != "per_s" || !none.WarmupNotSteady {
		t.Errorf("%+v", none)
	}
	for name, tt := range map[string]struct {
		doc   rundoc.Run
		known bool
		why   string
	}{
		"known":       {rundoc.Run{}, true, ""},
		"interrupted": {rundoc.Run{Interrupted: true, Aborted: "p99<1s"}, false, "the run was interrupted before"},
		"ended":       {rundoc.Run{Aborted: "p99<1s"}, false, "the run was ended before, as it missed p99<1s"},
	} {
		w := u.watch()
		over := false
		for i := 0; i < 10_000 && !over; i++ {
			over = w.window.Add(until.Batch{Length: 250 * time.Millisecond, OK: 1000 + int64(i%2), Count: 1000})
		}
		got := w.document(&tt.doc)
		if !over || got.Known != tt.known || tt.why != "" && got.Why != tt.why || got.Value == nil || math.Abs(*got.Value/4002-1) > 0.01 ||
			*got.Low > *got.Value || *got.High < *got.Value {
			t.Errorf("%s: %t, %+v", name, over, got)
		}
	}
}

// The document's interval of what was waited for is no narrower than the one that was waited for.
func TestWidened(t *testing.T) {
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

// What would have to be done to know more.
func TestHintOfWhatIsNotKnown(t *testing.T) {
	for takes, want := range map[int64]string{
		60e9: "the window is 60.0 s at most (--until-most)", 61e9: "it would take about 61.0 s, and the window is 60.0 s at most: give --until-most more, or ask for less",
	} {
		err := unknown(&rundoc.Run{Until: &rundoc.Until{Figure: "p99", Within: 0.05, Why: "why", MostNS: 60e9, TakesNS: takes}})
		if got := fault.HintOf(err); err == nil || got != want {
			t.Errorf("%d: %q", takes, got)
		}
	}
}
