package sets_test

import (
	"bytes"
	"flag"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/internal/loadline"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/internal/sweep"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

var (
	update    = flag.Bool("update", false, "write the golden files")
	documents = flag.Bool("documents", false, "write the fixed documents")
)

// fixed are the documents under testdata, and what makes them.
func fixed() map[string]func() *setdoc.Set {
	return map[string]func() *setdoc.Set{
		"plateau": plateau, "failing": failing, "law": usl, "named": named, "grid": grid, "planned": planned,
		"line": line, "line-generator": lineGenerator, "line-below": lineBelow, "line-clients": lineClients,
		"compare-worse": worse, "compare-unshown": unshown, "compare-early": early,
		"compare-mixed": mixed, "compare-dropped": dropped,
		"nothing": func() *setdoc.Set {
			return &setdoc.Set{Kind: setdoc.KindSweep, Plan: []byte("{}"), Sweep: &setdoc.Sweep{Rules: sweep.Rules}}
		},
	}
}

func document(t testing.TB, name string) *setdoc.Set {
	t.Helper()
	path := filepath.Join("testdata", name+".json")
	if *documents {
		if err := setdoc.WriteFile(path, fixed()[name]()); err != nil {
			t.Fatal(err)
		}
	}
	set, err := setdoc.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// The fixed documents of load lines are what a search makes today.
func TestFixedLoadLines(t *testing.T) {
	for _, name := range []string{"line", "line-generator", "line-below", "line-clients"} {
		if set := document(t, name); set.Loadline.Rules != loadline.Rules || len(loadline.Reread(set)) > 0 {
			t.Errorf("%s: of the rules %d: %q; write it again by -documents", name, set.Loadline.Rules, loadline.Reread(set))
		}
	}
}

// inWidth are options for a terminal of so many columns.
func inWidth(width int) report.Options {
	return report.Options{Width: width, Rest: "plimsoll report last --full"}
}

func TestGoldens(t *testing.T) {
	for name := range fixed() {
		of := sets.Source{Set: document(t, name), Name: "last"}
		page := func(opt report.Options) report.Page { return sets.Page(of, opt) }
		for ext, render := range map[string]func(io.Writer) error{
			"txt":           func(w io.Writer) error { return page(report.Options{}).Text(w, report.Options{}) },
			"md":            func(w io.Writer) error { return page(report.Options{}).Markdown(w, report.Options{}) },
			"csv":           func(w io.Writer) error { return sets.CSV(w, of.Set) },
			"40.txt":        func(w io.Writer) error { return page(inWidth(40)).Text(w, inWidth(40)) },
			"120.txt":       func(w io.Writer) error { return page(inWidth(120)).Text(w, inWidth(120)) },
			"brief.txt":     func(w io.Writer) error { return page(inWidth(80)).Brief(w, inWidth(80)) },
			"brief.40.txt":  func(w io.Writer) error { return page(inWidth(40)).Brief(w, inWidth(40)) },
			"brief.120.txt": func(w io.Writer) error { return page(inWidth(120)).Brief(w, inWidth(120)) },
		} {
			t.Run(name+"."+ext, func(t *testing.T) {
				var got bytes.Buffer
				if err := render(&got); err != nil {
					t.Fatal(err)
				}
				if lines := strings.Count(got.String(), "\n"); strings.HasPrefix(ext, "brief") && lines > 24 {
					t.Errorf("%d lines", lines)
				}
				reporttest.Golden(t, name+"."+ext, got.Bytes(), *update)
			})
		}
	}
}

// TestCharts draws each document that has something to draw, in both formats.
func TestCharts(t *testing.T) {
	for name := range fixed() {
		for _, format := range []chart.Format{chart.SVG, chart.PNG} {
			var picture bytes.Buffer
			err := sets.Chart(&picture, sets.Source{Set: document(t, name)}, format)
			if drawn := name != "nothing" && name != "planned" && name != "compare-early" && name != "compare-dropped"; drawn != (err == nil) || drawn != (picture.Len() > 0) {
				t.Errorf("%s.%s: %d bytes, %v", name, format, picture.Len(), err)
			}
		}
	}
}

// TestBeside has two sweeps side by side, in the widths of terminals.
func TestBeside(t *testing.T) {
	a, b := sets.Side{Name: "A", Set: document(t, "plateau")}, sets.Side{Name: "B", Set: document(t, "failing")}
	page, err := sets.Beside(a, b, report.Kind{})
	if err != nil {
		t.Fatal(err)
	}
	for ext, render := range map[string]func(io.Writer) error{
		"txt":     func(w io.Writer) error { return page.Text(w, report.Options{}) },
		"md":      func(w io.Writer) error { return page.Markdown(w, report.Options{}) },
		"40.txt":  func(w io.Writer) error { return page.Text(w, inWidth(40)) },
		"120.txt": func(w io.Writer) error { return page.Text(w, inWidth(120)) },
	} {
		t.Run(ext, func(t *testing.T) {
			var got bytes.Buffer
			if err := render(&got); err != nil {
				t.Fatal(err)
			}
			reporttest.Golden(t, "beside."+ext, got.Bytes(), *update)
		})
	}
}

// TestBesideRuns has two runs side by side: what makes them unlike comes first.
func TestBesideRuns(t *testing.T) {
	var both [2]sets.Side
	for i := range both {
		run, err := rundoc.ReadFile("../../../rundoc/testdata/earlier/chat.json")
		if err != nil {
			t.Fatal(err)
		}
		both[i] = sets.Side{Name: "AB"[i : i+1], Run: run}
	}
	b := both[1].Run
	b.Labels = []string{"cloud"}
	b.Target.Embedded, b.Target.URL, b.Host.CPUs, b.Tool.Version = false, "wss://chat.example.org/ws", 64, "1.4.0"
	b.Verdict = rundoc.Verdict{Validity: rundoc.Invalid, Reasons: []string{"The load was not offered as asked."}}
	b.Plan = []byte(strings.Replace(string(b.Plan), `"rooms": 20`, `"message_size": 500`, 1))
	for ext, opt := range map[string]report.Options{"txt": {}, "40.txt": inWidth(40), "120.txt": inWidth(120), "md": {}} {
		page, err := sets.Beside(both[0], both[1], report.Kind{})
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		show := page.Text
		if ext == "md" {
			show = page.Markdown
		}
		if err := show(&got, opt); err != nil {
			t.Fatal(err)
		}
		if ext == "txt" {
			for line := range strings.Lines(got.String()) {
				if utf8.RuneCountInString(line) > 81 {
					t.Errorf("wider than 80: %s", line)
				}
			}
		}
		reporttest.Golden(t, "beside-runs."+ext, got.Bytes(), *update)
	}
	page, err := sets.Beside(both[0], both[0], report.Kind{})
	var got bytes.Buffer
	if err != nil || page.Text(&got, report.Options{}) != nil || !strings.Contains(got.String(), "both are the same document") {
		t.Errorf("one beside itself: %v\n%s", err, got.String())
	}
}

// TestBesideRunsThatFailed begins with what failed, of either.
func TestBesideRunsThatFailed(t *testing.T) {
	first := func(edits ...func(*rundoc.Operation)) string {
		var both [2]sets.Side
		for i, edit := range edits {
			run, err := rundoc.ReadFile("../../../rundoc/testdata/earlier/chat.json")
			if err != nil {
				t.Fatal(err)
			}
			edit(&run.Operations[0])
			both[i] = sets.Side{Name: "AB"[i : i+1], Run: run}
		}
		page, err := sets.Beside(both[0], both[1], report.Kind{})
		if err != nil {
			t.Fatal(err)
		}
		return page.Before.Key + " " + page.Before.Value
	}
	none := func(*rundoc.Operation) {}
	failed := func(o *rundoc.Operation) { o.OK, o.Failed = o.OK-o.Scheduled/5, o.Failed+o.Scheduled/5 }
	unsent := func(o *rundoc.Operation) { o.OK, o.Unsent = o.OK-o.Scheduled/5, o.Unsent+o.Scheduled/5 }
	for _, tt := range []struct {
		got, want string
		runs      int
	}{
		{first(none, none), " ", 0},
		{first(failed, none), "Failed A: ", 1},
		{first(none, unsent), "Unsent B: ", 1},
		{first(failed, failed), "Failed A: ", 2},
		{first(failed, unsent), "Failed, unsent A: ", 2},
	} {
		if !strings.HasPrefix(tt.got, tt.want) || strings.Count(tt.got, "; the times cover only the rest") != tt.runs ||
			strings.Contains(tt.got, " · B: ") != (tt.runs == 2) {
			t.Errorf("it begins with %q, want %q of %d runs", tt.got, tt.want, tt.runs)
		}
	}
}

// Nothing is told by a comparison in which all that is known is that nothing failed.
func TestTold(t *testing.T) {
	row := func(outcome, absent string) setdoc.Contrast { return setdoc.Contrast{Outcome: outcome, Absent: absent} }
	none, few := row(setdoc.NoneShown, setdoc.NoneOnEither), row(setdoc.Unknown, "too few")
	for _, test := range []struct {
		launches int
		rows     []setdoc.Contrast
		told     bool
		why      string
	}{
		{30, []setdoc.Contrast{few, row(setdoc.NoneShown, "")}, true, ""},
		{30, []setdoc.Contrast{few, row(setdoc.Worse, "")}, true, ""},
		{30, []setdoc.Contrast{none}, true, ""},
		{30, []setdoc.Contrast{none, few}, false, "p50: too few"},
		{3, []setdoc.Contrast{row(setdoc.Unknown, setdoc.NoneOnEither), few}, false, "3 launches are too few for a test: at least 10 are needed"},
		{3, []setdoc.Contrast{row(setdoc.Unknown, setdoc.NoneOnEither)}, false, "3 launches are too few for a test: at least 10 are needed"},
		{30, nil, false, "nothing was compared"},
	} {
		c := &setdoc.Comparison{Launches: make([]setdoc.Launch, test.launches), Rows: test.rows}
		for i := range c.Rows {
			c.Rows[i].Figure = i
			c.Figures = append(c.Figures, setdoc.Compared{Figure: setdoc.Figure{Name: []string{"failed", "p50"}[i]}})
		}
		if got := sets.Told(c); got != test.told || !got && sets.Untold(c) != test.why {
			t.Errorf("%+v: %v, %q; want %q", test.rows, got, sets.Untold(c), test.why)
		}
	}
}

// A change is a share as long as a person can read it so, and never a row of digits.
func TestChanges(t *testing.T) {
	c := &setdoc.Comparison{Figures: []setdoc.Compared{{Figure: setdoc.Figure{Name: "p50"}}}}
	for _, test := range []struct {
		low, ratio, high float64
		launches         int
		want             string
	}{
		{0.96, 0.971, 0.982, 10, "p50 −2.9% (95% CI −4.0% to −1.8%)"},
		{0.98, 1.004, 1.03, 10, "p50 +0.4% (95% CI −2.0% to +3.0%)"},
		{1.04, 1.07, 1.1, 9, "p50 +7.0%"},
		{5, 22.34, 123.4, 10, "p50 ×22.3 (95% CI +400.0% to ×123)"},
		{1e-9, 0.9, 1e40, 10, "p50 −10.0% (95% CI < −99.9% to > ×1,000)"},
		{2000, 5000, 9000, 10, "p50 > ×1,000 (95% CI > ×1,000)"},
		{0.002, 0.01, 0.4, 10, "p50 −99.0% (95% CI −99.8% to −60.0%)"},
	} {
		c.Rows = []setdoc.Contrast{{Launches: test.launches, Outcome: setdoc.Worse, Low: &test.low, Ratio: &test.ratio, High: &test.high}}
		if got := sets.Found(c, setdoc.Worse)[0]; got != test.want {
			t.Errorf("%v: %q, want %q", test.ratio, got, test.want)
		}
	}
	c.Figures[0] = setdoc.Compared{Figure: setdoc.Figure{Name: "failed", Unit: "share"}}
	c.Rows = []setdoc.Contrast{{Launches: 10, Outcome: setdoc.Worse, A: new(0.0), B: new(0.025), Ratio: new(2e6), Low: new(1e6), High: new(4e6)}}
	if got := sets.Found(c, setdoc.Worse)[0]; got != "failed 0% to 2.5%" {
		t.Error(got)
	}
}
