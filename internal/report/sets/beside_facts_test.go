package sets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

func TestDifferencesOfTwo(t *testing.T) {
	for _, tt := range []struct {
		a, b *float64
		want string
	}{
		{nil, new(1.0), ""}, {new(1.0), nil, ""}, {nil, nil, ""}, {new(2.0), new(2.0), "0"}, {new(0.0), new(2.0), "+2"}, {new(2.0), new(3.0), "+1 (+50%)"},
		{new(4.0), new(1.0), "−3 (−75%)"}, {new(-4.0), new(-1.0), "+3 (+75%)"}, {new(0.0), new(-2.0), "−2"},
	} {
		if got := difference(tt.a, tt.b, units.Digits); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	for _, tt := range []struct {
		a, b *float64
		want string
	}{{nil, new(1.0), ""}, {new(1.0), nil, ""}, {new(0.5), new(0.625), "+12.5 points"}, {new(0.5), new(0.25), "−25.0 points"}} {
		if got := points(tt.a, tt.b); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	if got := heads([]string{"a very long label"}, nil); got != [2]string{"A a very long…", "B"} {
		t.Errorf("%q", got)
	}
	if got := heads(nil, []string{"x", "y"}); got != [2]string{"A", "B x"} {
		t.Errorf("%q", got)
	}
	var f facing
	f.add("both", "1", "2", "+1")
	f.add("none", "", "", "")
	f.add("neither", "–", "–", "")
	f.add("one", "", "2", "")
	f.add("other", "1", "–", "")
	f.add("half", "–", "", "")
	f.figure("figure", new(1.0), nil, units.Digits)
	want := []pair{{"both", "1", "2", "+1"}, {"one", "–", "2", ""}, {"other", "1", "–", ""}, {"half", "–", "–", ""}, {"figure", "1", "–", ""}}
	if diff := cmp.Diff(want, f.summary, cmp.AllowUnexported(pair{})); diff != "" {
		t.Error(diff)
	}
}

// What makes two documents unlike is said of either, and of what they share nothing.
func TestUnlike(t *testing.T) {
	var f facing
	f.differs("same", "a", "a")
	f.differs("one", "a", "")
	f.edited(Side{Broken: []string{"x", "y"}}, Side{Broken: []string{"z"}})
	f.trusted(rundoc.Verdict{Validity: rundoc.Invalid}, rundoc.Verdict{Validity: rundoc.Invalid, Reasons: []string{"why", "more"}})
	f.trusted(rundoc.Verdict{Validity: rundoc.Suspect, Reasons: []string{"why"}}, rundoc.Verdict{Validity: rundoc.Valid, Reasons: []string{"why"}})
	f.cutShort(false, true)
	f.cutShort(true, false)
	f.same(1, 1, "")
	f.same(1, 2, "id")
	f.same(func() {}, func() {}, "id")
	want := []string{"one: a and –", "A was edited: x", "A was edited: y", "B was edited: z", "A is INVALID: do not use its results", "B is INVALID: do not use its results. why",
		"A is SUSPECT: use its results with care; see its own report", "B was interrupted", "A was interrupted", "none: both are the same document, –"}
	if diff := cmp.Diff(want, f.unfair); diff != "" {
		t.Error(diff)
	}
	plan := func(n int) json.RawMessage {
		var parts []string
		for i := range 8 {
			parts = append(parts, fmt.Sprintf(`"s%d":%d`, i, min(i+1, n)))
		}
		return json.RawMessage("{" + strings.Join(parts, ",") + `,"url":"` + fmt.Sprint(n) + `","seed":` + fmt.Sprint(n) + "}")
	}
	for n, want := range map[int]int{8: 0, 7: 1, 2: 6, 1: 7} { // so many of the settings are others
		var f facing
		f.settings(plan(8), plan(n))
		if len(f.unfair) != want || want == 7 && f.unfair[6] != "1 more setting (see --section plan of each)" {
			t.Errorf("%d: %q", n, f.unfair)
		}
	}
	f = facing{heads: [2]string{"A", "B"}, names: [2]string{"a", "b"}}
	answer := f.Answer()
	if len(answer) != 3 || answer[2].Value == "" || answer[0].Value != "a" || answer[1].Value != "b" {
		t.Errorf("%+v", answer)
	}
	f.unfair = []string{"x"}
	if answer := f.Answer(); answer[2].Value != "" || answer[2].Tone != report.Doubtful {
		t.Errorf("%+v", answer)
	}
	f.made([2]*rundoc.Host{{CPUs: 1}, {}}, [2]rundoc.Tool{{Version: "1"}, {Version: "1"}})
	if len(f.unfair) != 2 || len(f.points[0]) != 1 || len(f.points[1]) != 0 || f.points[0][0] != "load generator on 1 processor" {
		t.Errorf("%q, %q", f.unfair, f.points)
	}
}

// Only what is alike stands side by side.
func TestWhatStandsBeside(t *testing.T) {
	sweepOf := func(workload, setting string, f setdoc.Figure) Side {
		return Side{Name: "S", Set: &setdoc.Set{Kind: setdoc.KindSweep, Sweep: &setdoc.Sweep{Workload: workload, Vary: []setdoc.Vary{{Setting: setting}}, Figure: f}}}
	}
	runOf := func(workload string) Side {
		return Side{Name: "R", Run: &rundoc.Run{Workload: workload, Plan: json.RawMessage("{}")}}
	}
	a := sweepOf("chat", "clients", requests)
	plan := Side{Name: "P", Set: &setdoc.Set{Kind: setdoc.KindPlan}}
	for _, tt := range []struct {
		a, b Side
		want string
	}{
		{a, sweepOf("chat", "clients", requests), ""}, {runOf("x"), runOf("x"), ""},
		{a, runOf("x"), "S is a sweep and R is one run"}, {runOf("x"), plan, "R is one run and P is the runs of a plan file"},
		{a, plan, "S is a sweep and P is the runs of a plan file: only"}, {plan, a, "P is the runs of a plan file and S is a sweep: only"},
		{Side{Name: "O", Set: &setdoc.Set{Kind: "x\n"}}, a, "O is a set of the kind x? and"},
		{a, sweepOf("http", "clients", requests), `S is a sweep of "chat" and S a sweep of "http"`},
		{a, sweepOf("chat", "rooms", requests), "S varies clients and S varies rooms"},
		{a, sweepOf("chat", "clients", p50), "S reports rate and S reports p50"},
		{a, sweepOf("chat", "clients", setdoc.Figure{Name: "other", Unit: "per_s"}), "S reports rate and S reports other"},
		{a, sweepOf("chat", "clients", setdoc.Figure{Name: "rate", Unit: "ns"}), "S reports rate and S reports rate"},
		{runOf("x"), runOf("y"), `R is a run of "x" and R a run of "y"`},
	} {
		_, err := Beside(tt.a, tt.b, report.Kind{})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || fault.HintOf(err) == "") {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}

// Levels that only one of two sweeps has stand there, too, in their order.
func TestLevelsOfTwo(t *testing.T) {
	view := func(values ...string) *View {
		s := &setdoc.Sweep{Figure: requests, Vary: []setdoc.Vary{{Setting: "clients", Numeric: true}}}
		for _, v := range values {
			s.Levels = append(s.Levels, setdoc.Level{Values: []string{v}, Load: float64(v[0] - '0'), Throughput: new(1000.0)})
		}
		return NewView(Source{Set: &setdoc.Set{Sweep: s}}, report.Options{})
	}
	first := func(x, y *View) string {
		var f facing
		s := f.levels(x, y)
		page := report.Page{Shown: &facing{heads: [2]string{"A", "B"}, more: []report.Section{s}}, Open: true}
		var b bytes.Buffer
		if err := page.Text(&b, report.Options{}); err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(b.String(), s.Title)
		return strings.Join(strings.Fields(text), " ")
	}
	x, y := view("1", "4"), view("2", "4", "8")
	if got, want := first(x, y), "clients A, requests/s B, requests/s B − A 1 1,000 – – 2 – 1,000 – 4 1,000 1,000 0 8 – 1,000 –"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	x.sweep.Base = &setdoc.Base{}
	if got := first(x, y); !strings.Contains(got, "efficiency A") {
		t.Error(got)
	}
	x.sweep.Base, y.sweep.Base = nil, &setdoc.Base{}
	if got := first(x, y); !strings.Contains(got, "efficiency A") {
		t.Error(got)
	}
	x.sweep.Vary[0].Numeric = false
	if got := first(x, y); !strings.Contains(got, "1 1,000 – – – – 4 1,000 1,000 0 – – 2 – 1,000") {
		t.Error(got)
	}
	counts := view("1", "2")
	for i := range counts.sweep.Levels {
		counts.sweep.Levels[i].Scheduled, counts.sweep.Levels[i].OK, counts.sweep.Levels[i].Retries = 500, 400, 50
	}
	if got := counts.count(func(l level) int64 { return l.Retries }) + ", " + notOK(counts) + ", " + counts.count(func(level) int64 { return 0 }); got != "100 (10.0%), 20.0%, 0" {
		t.Error(got)
	}
	if got := view("1").count(func(level) int64 { return 7 }); got != "7" {
		t.Error(got)
	}
	if throughputOf(nil) != nil || efficiencyOf(nil) != nil || p99Of(nil) != nil || p99Of(&setdoc.Level{}) != nil || w1Of(view("1")) != nil {
		t.Error("what is of no level")
	}
	ns := int64(7)
	if got := p99Of(&setdoc.Level{ResponseP99NS: &ns}); *got != 7 {
		t.Error(*got)
	}
	y.sweep.Base.W1 = 5
	if *w1Of(y) != 5 {
		t.Error(*w1Of(y))
	}
}

// A run in a few words.
func TestRunsInWords(t *testing.T) {
	open := rundoc.Run{ID: "i", Plan: json.RawMessage(`{"load":{"rate_per_s":5}}`), Started: time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)}
	closed := rundoc.Run{Plan: json.RawMessage(`{"load":{"clients":5}}`), Ledger: rundoc.Ledger{Clients: 1, WindowNS: 10.04e9}, Target: rundoc.Target{Embedded: true}}
	many := rundoc.Run{Ledger: rundoc.Ledger{Clients: 1500, WindowNS: 10.06e9}, Target: rundoc.Target{URL: "x"}}
	for i, tt := range []struct {
		run                                 *rundoc.Run
		model, clients, window, load, which string
	}{
		{&open, "open", "", "", "open", "– · 2026-11-28 09:00 UTC · i"}, {&closed, "closed", "1", "10.0 s", "1 client, closed", "demo · – · "},
		{&many, "closed", "1,500", "10.1 s", "1,500 clients, closed", "x · – · "},
	} {
		got := []string{model(tt.run), clients(tt.run), window(tt.run), load(tt.run), runName(Side{Run: tt.run})}
		if diff := cmp.Diff([]string{tt.model, tt.clients, tt.window, tt.load, tt.which}, got); diff != "" {
			t.Errorf("%d: %s", i, diff)
		}
	}
	if got := operationName(&rundoc.Operation{Name: "ask", Labels: map[string]string{"b": "2", "a": "1\n"}}); got != "ask 1? 2" {
		t.Error(got)
	}
}

// What of a run stands beside another: its totals, and each of its operations where there are several.
func TestTotalsBeside(t *testing.T) {
	p50, own := int64(5), int64(7)
	run := &rundoc.Run{
		Operations: []rundoc.Operation{{Name: "a", Scheduled: 10, OK: 8, Retries: 2, RatePerS: 4, ResponseTime: rundoc.Summary{Count: 8, MeanNS: 3, P50NS: &p50, MaxNS: 9}}},
		Generator:  rundoc.Generator{OwnDelay: &rundoc.Summary{P99NS: &own}},
	}
	run.Connections.Reconnects = []rundoc.CauseTime{{Count: 2}, {Count: 3}}
	got := totalOf(run)
	if got.rate != nil || got.times[0] != nil || got.scheduled != 10 || got.ok != 8 || got.retries != 2 || got.reconnects != 5 || *got.own != 7 {
		t.Errorf("before there were totals: %+v", got)
	}
	run.Generator.OwnDelay = &rundoc.Summary{}
	if got := totalOf(run); got.own != nil {
		t.Error("an own delay of nobody")
	}
	var f facing
	if f.operations(run, run); len(f.more) != 0 {
		t.Error("one operation stands there twice")
	}
	other := &rundoc.Run{Operations: []rundoc.Operation{{Name: "b", RatePerS: 1}, {Name: "a", RatePerS: 2}}}
	f.operations(run, other)
	var b bytes.Buffer
	if err := (report.Page{Shown: &facing{heads: [2]string{"A", "B"}, more: f.more}, Open: true}).Text(&b, report.Options{}); err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(strings.Join(strings.Fields(b.String()), " "), "By operation ")
	if text != "operation A, /s B, /s p50 A p50 B B − A a 4.00 2.00 5.00 ns – – b – 1.00 – – –" {
		t.Error(text)
	}
}
