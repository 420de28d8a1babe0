package sets

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// timesTo are so many times: 1 ms, 2 ms and so on.
func timesTo(t *testing.T, n int64) rundoc.Summary {
	t.Helper()
	if n == 0 {
		return rundoc.Summary{}
	}
	h := hdrhistogram.New(1, 1e12, 3)
	exact := rundoc.Exact{Min: 1e6, Max: n * 1e6}
	for i := range n {
		if err := h.RecordValue((i + 1) * 1e6); err != nil {
			t.Fatal(err)
		}
		exact.Sum += (i + 1) * 1e6
	}
	return rundoc.Summarize(h, exact)
}

// measured is a run of so many operations, all of one name, with its totals.
func measured(t *testing.T, id string, n int64) *rundoc.Run {
	t.Helper()
	run := &rundoc.Run{ID: id, Workload: "http", Plan: json.RawMessage(`{"load":{"clients":5}}`),
		Started: time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC), Target: rundoc.Target{URL: "http://x/"},
		Ledger:  rundoc.Ledger{Clients: 5, WindowNS: 10e9},
		Verdict: rundoc.Verdict{Validity: rundoc.Valid, Rules: rundoc.Rules + 1},
		Operations: []rundoc.Operation{{Name: "get", Scheduled: n, OK: n, RatePerS: float64(n) / 10, BytesPerS: 5e3 * float64(n),
			ResponseTime: timesTo(t, n)}}}
	run.SumUp(nil)
	return run
}

// saving is a kind with a figure of its own, which no run of fewer than 1,000 operations has.
func saving() report.Kind {
	return report.Kind{
		Words:    report.Words{One: "request", Many: "requests", Short: "req"},
		Headline: []string{"rate", "no figure {", "saved"},
		Figures: []figure.Source{{Name: "saved", Unit: figure.Count, Number: func(run *rundoc.Run, _ map[string]string) figure.Value {
			if run.Operations[0].OK < 1000 {
				return figure.Value{Why: "too few"}
			}
			return figure.Value{Raw: 7}
		}}},
	}
}

// The totals of a run are those of all its operations, as far as its document says that they are alike.
func TestTotalsOfRuns(t *testing.T) {
	if diff := cmp.Diff([]string{"mean", "p50", "p99", "max"}, percentileNames()); diff != "" {
		t.Error(diff)
	}
	unread := func(run *rundoc.Run) { run.Operations[0].ResponseTime.HDR = "nonsense" }
	for _, tt := range []struct {
		name string
		n    int64
		edit func(*rundoc.Run)
		want string
	}{
		{"many", 1000, nil, "100 a second, 5e+06 bytes, 1000 of 1000, [5.005e+08 5.00e+08 9.90e+08 1.000e+09]"},
		{"one", 1, nil, "0.1 a second, 5000 bytes, 1 of 1, [1.000e+06 - - 1.000e+06]"},
		{"none", 0, nil, "- a second, - bytes, 0 of 0, [- - - -]"},
		{"no rates", 1, func(r *rundoc.Run) { r.Operations[0].RatePerS, r.Operations[0].BytesPerS = 0, 0 },
			"- a second, - bytes, 1 of 1, [1.000e+06 - - 1.000e+06]"},
		{"times in the totals alone", 10, func(r *rundoc.Run) { r.Operations[0].ResponseTime = rundoc.Summary{} },
			"1 a second, 50000 bytes, 10 of 10, [- - - -]"},
		{"not alike", 10, func(r *rundoc.Run) { r.Total.ResponseTime = nil }, "- a second, - bytes, 10 of 10, [- - - -]"},
		{"no totals", 10, func(r *rundoc.Run) { r.Total = nil }, "- a second, - bytes, 10 of 10, [- - - -]"},
		{"a histogram that cannot be read", 10, unread, "- a second, - bytes, 10 of 10, [- - - -]"},
	} {
		run := measured(t, "i", tt.n)
		if tt.edit != nil {
			tt.edit(run)
		}
		text := func(x *float64, format string) string {
			if x == nil {
				return "-"
			}
			return fmt.Sprintf(format, *x)
		}
		got := totalOf(run)
		var times []string
		for i, x := range got.times {
			times = append(times, text(x, []string{"%.3e", "%.2e", "%.2e", "%.3e"}[i]))
		}
		line := fmt.Sprintf("%s a second, %s bytes, %v of %v, %v", text(got.rate, "%g"), text(got.bytes, "%g"), got.ok,
			got.scheduled, times)
		if line != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, line, tt.want)
		}
	}
}

// Two runs of one kind stand side by side with all that either has, and by how much they differ.
func TestSummaryOfTwoRuns(t *testing.T) {
	lines := func(a, b *rundoc.Run) ([]string, []string) {
		page, err := Beside(Side{Name: "a", Run: a}, Side{Name: "b", Run: b}, saving())
		if err != nil {
			t.Fatal(err)
		}
		s := page.ShownSections()[0]
		return linesOf(t, s), s.Notes
	}
	a, b := measured(t, "a", 1000), measured(t, "b", 500)
	got, notes := lines(a, b)
	wantLines(t, "two runs", got, " | A | B | B − A", "load | 5 clients, closed | 5 clients, closed | ",
		"window | 10.0 s | 10.0 s | ", "saved | 7 | – | ", "throughput | 100/s | 50.0/s | −50.0/s (−50%)",
		"bytes | 5.00 MB/s | 2.50 MB/s | −2.50 MB/s (−50%)",
		"response time mean | 500 ms | 250 ms | −250 ms (−50%)", "response time p50 | 500 ms | 250 ms | −250 ms (−50%)",
		"response time p99 | 990 ms | – | ", "response time max | 1.00 s | 500 ms | −500 ms (−50%)",
		"operations | 1,000 | 500 | −500 (−50%)", "not ok | 0% | 0% | ", "retries | 0 | 0 | 0", "reconnects | 0 | 0 | 0",
		"verdict | valid | valid | ")
	if len(notes) != 1 {
		t.Errorf("%q", notes)
	}
	for _, run := range []*rundoc.Run{a, b} {
		run.Generator.OwnDelay = &rundoc.Summary{P99NS: new(int64(2e6))}
		got, notes := lines(a, b)
		if own := got[len(got)-2]; len(notes) != 2 || !strings.HasPrefix(own, "generator delay p99 | ") {
			t.Errorf("%q, and %q", own, notes)
		}
		run.Generator.OwnDelay = nil
	}
}

// Of many operations the first stand beside each other, and how many more there are.
func TestManyOperationsBeside(t *testing.T) {
	for n, last := range map[int]string{40: "40 | 1.00 | 1.00 | – | – | –", 41: "(1 more) | … | … | … | … | …"} {
		run := &rundoc.Run{}
		for i := range n {
			run.Operations = append(run.Operations, rundoc.Operation{Name: fmt.Sprint(i + 1), RatePerS: 1})
		}
		var f facing
		f.operations(run, run)
		got := linesOf(t, f.more[0])
		if got[len(got)-1] != last || got[40] != "40 | 1.00 | 1.00 | – | – | –" {
			t.Errorf("%d: %q and then %q", n, got[40], got[len(got)-1])
		}
	}
}

// overlaid are the page of runs over each other, and in what they are unlike.
func overlaid(t *testing.T, runs ...*rundoc.Run) (report.Page, string) {
	t.Helper()
	var sides []Side
	for _, run := range runs {
		sides = append(sides, Side{Name: "s", Run: run})
	}
	page, err := Overlay(sides, saving())
	if err != nil {
		t.Fatal(err)
	}
	answer := page.Answer()
	if len(answer) != 1 || (answer[0].Tone == report.Doubtful) != (len(answer[0].Points) > 0) {
		t.Errorf("%+v", answer)
	}
	return page, inLine(answer[0])
}

// A row of each run has what any of the runs has, and nothing that none of them has.
func TestLeadOfRunsOverEachOther(t *testing.T) {
	a, b := measured(t, "a", 1000), measured(t, "b", 10)
	b.Operations[0].OK, b.Operations[0].RatePerS, b.Verdict.Validity = 9, 0, rundoc.Suspect
	b.Ledger.Clients = 1
	a.Generator.OwnDelay = &rundoc.Summary{P99NS: new(int64(2e6))}
	page, _ := overlaid(t, a, b)
	wantLines(t, "two runs", linesOfTable(page.Lead(9)),
		"run | verdict | load | saved | throughput | mean | p50 | p99 | max | not ok | generator delay p99",
		"1 · a | valid | 5 clients, closed | 7 | 100 req/s | 500 ms | 500 ms | 990 ms | 1.00 s | 0% | 2.00 ms",
		"2 · b | suspect | 1 client, closed | – | – | 5.50 ms | – | – | 10.0 ms | 10.0% | –")
	if page.Subtitle() != describes || page.Title != "Plimsoll · 2 runs of http" {
		t.Errorf("%q, %q", page.Title, page.Subtitle())
	}
	bare := measured(t, "", 0)
	page, unlike := overlaid(t, bare)
	wantLines(t, "one run", linesOfTable(page.Lead(9)), "run | verdict | load | saved | not ok",
		"1 · – | valid | 5 clients, closed | – | –")
	alone, _ := overlaid(t, a)
	wantLines(t, "one run with a rate", linesOfTable(alone.Lead(9))[1:],
		"1 · a | valid | 5 clients, closed | 7 | 100 req/s | 500 ms | 500 ms | 990 ms | 1.00 s | 0% | 2.00 ms")
	const none = "Differences | none that make the comparison unfair"
	if unlike != none || page.Title != "Plimsoll · 1 run of http" || page.Drawing().Line != "1 · –" {
		t.Errorf("%q, %q, %q", unlike, page.Title, page.Drawing().Line)
	}
	if line := new(overlay).Drawing().Line; line != "–" {
		t.Errorf("of nothing %q", line)
	}
}

// In what runs over each other are unlike is said once for all of them, and of each what makes it one to be left out.
func TestWhatRunsOverEachOtherAreUnlikeIn(t *testing.T) {
	settings := func(n int) func(*rundoc.Run) {
		return func(r *rundoc.Run) {
			var parts []string
			for i := range n {
				parts = append(parts, fmt.Sprintf(`"s%d":1`, i+1))
			}
			r.Plan = json.RawMessage("{" + strings.Join(append(parts, `"url":"y","load":{"clients":6}`), ",") + "}")
		}
	}
	invalid := func(reasons ...string) func(*rundoc.Run) {
		return func(r *rundoc.Run) { r.Verdict.Validity, r.Verdict.Reasons = rundoc.Invalid, reasons }
	}
	for want, edit := range map[string]func(*rundoc.Run){
		"load model: closed, open | settings: rate per s": func(r *rundoc.Run) {
			r.Plan = json.RawMessage(`{"load":{"rate_per_s":5}}`)
		},
		"clients: 5, 6":                                       func(r *rundoc.Run) { r.Ledger.Clients = 6 },
		"window: 10.0 s, –":                                   func(r *rundoc.Run) { r.Ledger.WindowNS = 0 },
		"target: http://x/, y":                                func(r *rundoc.Run) { r.Target.URL = "y" },
		"machine: –, 2 processors":                            func(r *rundoc.Run) { r.Host.CPUs = 2 },
		"Plimsoll version: –, 1.2":                            func(r *rundoc.Run) { r.Tool.Version = "1.2" },
		"settings: s1":                                        settings(1),
		"settings: s1, s2, s3, s4, s5, s6, s7, s8":            settings(8),
		"settings: s1, s2, s3, s4, s5, s6, s7, s8 and 1 more": settings(9),
		"2 · b was interrupted":                               func(r *rundoc.Run) { r.Interrupted = true },
		"2 · b is INVALID: do not use its results. ":          invalid(),
		"2 · b is INVALID: do not use its results. Why.":      invalid("Why.", "More."),
	} {
		b := measured(t, "b", 0)
		edit(b)
		if _, got := overlaid(t, measured(t, "a", 0), b); got != "Differences |  | "+want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Runs over each other are called by their first label or their id, as far as there is room.
func TestNamesOfRunsOverEachOther(t *testing.T) {
	long := strings.Repeat("x", 33)
	for want, run := range map[string]rundoc.Run{
		"1 · –": {}, "1 · i": {ID: "i"}, "1 · l": {ID: "i", Labels: []string{"l"}}, "1 · m": {ID: "i", Labels: []string{"m", "n"}},
		"1 · " + long[:32]: {ID: long[:32]}, "1 · " + long[:31] + "…": {ID: long},
	} {
		if got := overlaidNames([]Side{{Run: &run}}); len(got) != 1 || got[0] != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	many := make([]*rundoc.Run, MostOverlaid)
	for i := range many {
		many[i] = measured(t, fmt.Sprint(i), 0)
	}
	if page, _ := overlaid(t, many...); page.Title != "Plimsoll · 12 runs of http" {
		t.Error(page.Title)
	}
}

// The section of each run has its own answer, each fact in one text, and what failed of it first.
func TestSectionsOfRunsOverEachOther(t *testing.T) {
	for want, f := range map[string]report.Fact{
		"": {}, "a": {Value: "a"}, "b": {Points: []string{"b"}}, "b c": {Points: []string{"b", "c"}},
		"a. b": {Value: "a", Points: []string{"b"}}, "a. b c": {Value: "a", Points: []string{"b", "c"}},
	} {
		if got := oneText(f); got != want {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}
	good, bad := measured(t, "", 10), measured(t, "a b", 10)
	bad.Operations[0].OK, bad.Operations[0].Failed = 2, 8
	bad.SumUp(nil)
	page, _ := overlaid(t, good, bad)
	sections := page.ShownSections()
	if first := sections[0].Tables[0].Cells()[0][0]; first == "Failed" || first == "" || len(sections[0].Notes) > 0 {
		t.Errorf("the first begins with %q, and ends with %q", first, sections[0].Notes)
	}
	const whole = "Full report: plimsoll report 'a b' --full"
	first := sections[1].Tables[0].Cells()[0]
	if first[0] != "Failed" || !strings.HasPrefix(first[1], "80.0% of 10 requests") || sections[1].Notes[0] != whole {
		t.Errorf("the second begins with %q, and ends with %q", first, sections[1].Notes)
	}
}

// Two sweeps are unlike in what they were asked for, besides what they vary and what their summaries tell.
func TestSettingsOfTwoSweeps(t *testing.T) {
	sweepWith := func(plan string, f setdoc.Figure, levels ...setdoc.Level) Side {
		for i := range levels {
			levels[i].Values = []string{fmt.Sprint(i)}
		}
		return Side{Name: "S", Set: &setdoc.Set{Kind: setdoc.KindSweep, Plan: json.RawMessage(plan), Sweep: &setdoc.Sweep{
			Workload: "http", Figure: f, Vary: []setdoc.Vary{{Setting: "part-size"}}, Levels: levels}}}
	}
	unlike := func(a, b Side) string {
		page, err := Beside(a, b, report.Kind{})
		if err != nil {
			t.Fatal(err)
		}
		return inLine(page.Answer()[2])
	}
	const plan = `{"vary":[1],"repeats":1,"duration_ns":1,"run":{"part_size_bytes":1,"x":%d}}`
	got := unlike(sweepWith(fmt.Sprintf(plan, 1), p50),
		sweepWith(strings.ReplaceAll(fmt.Sprintf(plan, 2), ":1", ":3"), p50))
	if want := "Differences |  | x: 1 and 2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for want, f := range map[string]setdoc.Figure{
		"p50 at best | 2.00 ns | – | ": p50, "throughput at best, requests/s | 2.00 | – | ": requests,
	} {
		level := setdoc.Level{Scheduled: 1, OK: 1, Retries: 1, Throughput: new(2.0)}
		v := NewView(Source{Set: sweepWith("{}", f, level).Set}, report.Options{})
		v.sweep.Best = new(0)
		var beside facing
		beside.sweeps(v, NewView(Source{Set: sweepWith("{}", f).Set}, report.Options{}))
		var lines []string
		for _, p := range beside.summary {
			lines = append(lines, strings.Join([]string{p.what, p.a, p.b, p.difference}, " | "))
		}
		wantLines(t, f.Name, lines[:4], "best setting | part-size 0 | – | ", want, "not ok | 0% | – | ",
			"retries | 1 (100.0%) | 0 | ")
	}
}
