package saved

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// The list says of a comparison what its report says: that nothing is known is not that nothing differs.
func TestWhatTheListSaysOfAComparison(t *testing.T) {
	none := setdoc.Contrast{Outcome: setdoc.NoneShown, Absent: setdoc.NoneOnEither}
	alike := setdoc.Contrast{Outcome: setdoc.NoneShown, Absent: setdoc.AlikeInEach}
	for want, sets := range map[string][][]setdoc.Contrast{
		"not known":           {{{Outcome: setdoc.Unknown}, none}},
		"no difference shown": {{{Outcome: setdoc.Unknown}, {Outcome: setdoc.NoneShown}}, {none, alike}},
		"B is better":         {{{Outcome: setdoc.NoneShown}, {Outcome: setdoc.Better}}},
		"B is worse":          {{{Outcome: setdoc.Better}, {Outcome: setdoc.Worse}}},
	} {
		for _, rows := range sets {
			found := Saved{Set: &setdoc.Set{Kind: setdoc.KindCompare, Comparison: &setdoc.Comparison{Workload: "lab", Rows: rows}}}
			if e := found.Describe(nil); e.Rate != want || e.What() != "compare lab" {
				t.Errorf("%s: %s, want %q", e.What(), e.Rate, want)
			}
		}
	}
}

// A line of the list has what is known, and of a document that cannot be read why.
func TestCells(t *testing.T) {
	began := time.Date(2026, 11, 21, 10, 0, 0, 0, time.Local)
	p99 := int64(2e6)
	run := func(change func(*Entry)) *Entry {
		e := &Entry{ID: "a", Kind: KindRun, Workload: "chat", Load: "3 clients", Started: began, Shown: "demo", Rate: "300/s",
			P99NS: &p99, Labels: []string{"x", "y"}, Verdict: "valid"}
		change(e)
		return e
	}
	line := func(verdict string) []string {
		return []string{"a", "chat", "3 clients", "2026-11-21 10:00:00", "demo", "300/s", "2.00 ms", "x, y", verdict}
	}
	undated := line("valid") // of a document that does not say when it began
	undated[3] = time.Time{}.Local().Format("2006-01-02 15:04:05")
	for _, c := range []struct {
		of   *Entry
		want []string
	}{
		{run(func(*Entry) {}), line("valid")},
		{run(func(e *Entry) { e.Verdict = "" }), line("–")},
		{run(func(e *Entry) { e.Remark = ", 2 of 9 runs completed" }), line("valid, 2 of 9 runs completed")},
		{run(func(e *Entry) { e.Missed = []string{"p99<1ms"} }), line("valid, missed p99<1ms")},
		{run(func(e *Entry) { e.Missed = []string{"k", "l", "m"} }), line("valid, missed k, l, m")},
		{run(func(e *Entry) { e.Missed = []string{"k", "l", "m", "n"} }), line("valid, missed k, l, m and 1 more")},
		{run(func(e *Entry) { e.Error = "a histogram is broken" }), line("valid")},
		{run(func(e *Entry) { e.Started = time.Time{} }), undated},
		{&Entry{ID: "b", Error: "torn\nin two"}, []string{"b", "unreadable: torn; in two"}},
		{&Entry{ID: "b\x1b[31m", Error: "\x1b[31m"}, []string{"b?[31m", "unreadable: ?[31m"}},
	} {
		got := c.of.Cells()
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%+v: -want +got\n%s", c.of, diff)
		}
		if len(got) != 2 && len(got) != len(Heads()) {
			t.Errorf("%d cells below %d heads", len(got), len(Heads()))
		}
	}
	if diff := cmp.Diff("id workload load started target rate p99 labels verdict", strings.Join(Heads(), " ")); diff != "" {
		t.Error(diff)
	}
}

// What a kind lists of a run is in its entry, and a rate that is no number is none.
func TestWhatTheListSaysOfARun(t *testing.T) {
	listed := func(change func(*report.Listing)) Kinds {
		return func(string) report.Kind {
			return report.Kind{Listed: func(_ *rundoc.Run, l *report.Listing) { change(l) }}
		}
	}
	for name, c := range map[string]struct {
		change func(*report.Listing)
		want   string
	}{
		"as it is":      {func(*report.Listing) {}, "300/s 300 "},
		"said":          {func(l *report.Listing) { l.Rate = "3 MB/s" }, "3 MB/s 300 "},
		"none":          {func(l *report.Listing) { l.RatePerS = nil }, "– - "},
		"none but said": {func(l *report.Listing) { l.Rate, l.RatePerS = "3 MB/s", nil }, "3 MB/s - "},
		"not a number":  {func(l *report.Listing) { l.RatePerS = new(math.NaN()) }, "– - "},
		"endless":       {func(l *report.Listing) { l.RatePerS = new(math.Inf(1)) }, "– - "},
		"below":         {func(l *report.Listing) { l.RatePerS = new(math.Inf(-1)) }, "– - "},
		"zero":          {func(l *report.Listing) { l.RatePerS = new(0.0) }, "0/s 0 "},
		"its own":       {func(l *report.Listing) { l.Own = &report.Own{Name: "calls", Value: 7} }, "300/s 300 calls=7"},
		"unwritable":    {func(l *report.Listing) { l.Own = &report.Own{Name: "calls", Value: math.NaN()} }, "300/s 300 "},
	} {
		found := Saved{Run: aRun("a", 3)}
		e := found.Describe(listed(c.change))
		rate, own := "-", ""
		if e.RatePerS != nil {
			rate = fmt.Sprint(*e.RatePerS)
		}
		if e.OwnName != "" {
			own = e.OwnName + "=" + string(e.Own)
		}
		if got := e.Rate + " " + rate + " " + own; got != c.want || e.Error != "" {
			t.Errorf("%s: %q, %s, want %q", name, got, e.Error, c.want)
		}
	}
}

// The list says which load line was found, or on which side of what was tried it lies.
func TestWhatTheListSaysOfALoadLine(t *testing.T) {
	for _, c := range []struct {
		of   setdoc.Loadline
		want string
		perS bool
	}{
		{setdoc.Loadline{Ending: setdoc.LineBelow, Unit: "clients", Lowest: 4, Highest: 64, Load: new(9.0)}, "below 4.00 clients", false},
		{setdoc.Loadline{Ending: setdoc.LineAbove, Unit: "clients", Lowest: 4, Highest: 64, Load: new(9.0)}, "above 64.0 clients", false},
		{setdoc.Loadline{Unit: "requests/s", Lowest: 4, Highest: 64, Load: new(500.0)}, "500 requests/s", true},
		{setdoc.Loadline{Unit: "clients", Load: new(9.0)}, "9.00 clients", false},
		{setdoc.Loadline{Load: new(9.0)}, "9.00", false},
		{setdoc.Loadline{Unit: "clients"}, "–", false},
	} {
		c.of.SLO = []setdoc.Goal{{Expr: "p99<5ms"}, {Expr: "errors<1%"}}
		found := Saved{Set: &setdoc.Set{Loadline: &c.of}}
		e := found.Describe(noKind)
		if e.Rate != c.want || (e.RatePerS != nil) != c.perS || e.Load != "p99<5ms, errors<1%" {
			t.Errorf("%q, %v, %q; want %q", e.Rate, e.RatePerS, e.Load, c.want)
		}
	}
}

// A sweep without a best level has no best figure, whatever its document says of which it is.
func TestNoBestOfASweep(t *testing.T) {
	levels := []setdoc.Level{{Values: []string{"1"}, Throughput: new(100.0)}, {Values: []string{"8"}}}
	for name, s := range map[string]setdoc.Sweep{
		"none": {}, "before the first": {Best: new(-1)}, "behind the last": {Best: new(2)}, "unmeasured": {Best: new(1)},
		"the peak is behind the last": {Peak: new(2)},
	} {
		s.Levels, s.Figure.Unit = levels, "per_s"
		if rate, perS := bestOf(&s); rate != "–" || perS != nil {
			t.Errorf("%s: %q, %v", name, rate, perS)
		}
	}
	s := setdoc.Sweep{Levels: levels, Peak: new(0), Figure: setdoc.Figure{Unit: "per_s"}}
	if rate, perS := bestOf(&s); rate != "100/s at 1" || perS == nil || *perS != 100 {
		t.Errorf("the peak: %q, %v", rate, perS)
	}
}

// What may be a repetition of a run is of its workload and its target, and is read from the newest on.
func TestAlike(t *testing.T) {
	s := &Runs{Dir: t.TempDir()}
	save := func(second int, change func(*rundoc.Run)) {
		doc := aRun(idAt(second), 1)
		change(doc)
		write(t, s.Path(idAt(second)), doc)
	}
	own := func(doc *rundoc.Run) { doc.Target = rundoc.Target{URL: "ws://127.0.0.1:4711", Embedded: true} }
	for second, change := range []func(*rundoc.Run){
		0: func(*rundoc.Run) {}, 1: func(*rundoc.Run) {}, 2: own, 3: own,
		4: func(doc *rundoc.Run) { doc.Workload = "http" },
		5: func(doc *rundoc.Run) { doc.Target.URL = "ws://b.example.org" },
		6: func(doc *rundoc.Run) { doc.Target.URL = "embedded" }, // a server with an odd name
		8: func(doc *rundoc.Run) { // of which the list cannot say the times
			doc.Operations = []rundoc.Operation{{Name: "a"}, {Name: "b"}}
			doc.Operations[0].ResponseTime = rundoc.Summary{Count: 1, HDR: "broken"}
		},
	} {
		if change != nil {
			save(second, change)
		}
	}
	write(t, s.Path(idAt(7)), "torn")
	aSet(t, s, 10, 1, 1)
	alike := func(like func(*rundoc.Run), most int) (ids []string) {
		doc := aRun("like", 1)
		like(doc)
		err := s.Alike(doc, noKind, nil, func(one *rundoc.Run) bool {
			ids = append(ids, one.ID)
			return len(ids) < most
		})
		if err != nil {
			t.Error(err)
		}
		return ids
	}
	for name, c := range map[string]struct {
		like func(*rundoc.Run)
		most int
		want []string
	}{
		"all":          {func(*rundoc.Run) {}, 9, []string{idAt(1), idAt(0)}},
		"the newest":   {func(*rundoc.Run) {}, 1, []string{idAt(1)}},
		"its own":      {own, 9, []string{idAt(6), idAt(3), idAt(2)}},
		"another kind": {func(doc *rundoc.Run) { doc.Workload = "http" }, 9, []string{idAt(4)}},
		"nowhere":      {func(doc *rundoc.Run) { doc.Target.URL = "ws://c.example.org" }, 9, nil},
	} {
		if diff := cmp.Diff(c.want, alike(c.like, c.most)); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
	write(t, s.Path(idAt(1)), `{"schema": "plimsoll.run/v1", "id"`) // removed, or torn, meanwhile
	if diff := cmp.Diff([]string{idAt(0)}, alike(func(*rundoc.Run) {}, 9)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	s.Dir = s.Path(idAt(0)) // no directory
	if err := s.Alike(aRun("like", 1), noKind, nil, nil); err == nil || errors.Is(err, rundoc.ErrSchema) {
		t.Error(err)
	}
}
