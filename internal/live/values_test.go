package live

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

var update = flag.Bool("update", false, "write the golden files")

// TestEvents holds all that is told of runs against a file: written again by -update, it is to be looked at again.
func TestEvents(t *testing.T) {
	moving := counted(2000, 30)
	moving.Operations[0].BytesPerS = 3 << 20
	moving.Operations[0].Unsent = 4
	moving.SumUp(nil)
	other := going("second", moving)
	other.Workload, other.Kind.Mixed = "coffee", true
	var out bytes.Buffer
	for _, c := range []struct {
		name string
		now  []onlook.Moment
	}{
		{"none", nil}, {"one", []onlook.Moment{going("", counted(2000, 30))}}, {"one of several", []onlook.Moment{going("rate=5", moving)}},
		{"not counted", []onlook.Moment{going("", nil)}},
		{"two sides", []onlook.Moment{going("first", counted(2000, 30)), other, going("", nil)}},
	} {
		of := newPage(nil).model(c.now)
		fmt.Fprintf(&out, "# %s: %s\n%s\n", c.name, of.Title, of.Now)
		for _, f := range of.Facts {
			fmt.Fprintf(&out, "%s: %s; strong %v %q\n", f.Key, f.Value, f.Strong, f.Points)
		}
		for _, panel := range of.Panels {
			fmt.Fprintf(&out, "panel %s: %s\n", panel.Name, panel.Title)
		}
		fmt.Fprintf(&out, "%+v\n", of.Lead)
	}
	const path = "testdata/events.txt"
	got := out.String()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("what is told is not that of %s:\n%s", path, got)
	}
}

// TestWhenSilenceIsDoubtful: when nothing has ended for two seconds and longer than the longest response time, while
// something is in flight.
func TestWhenSilenceIsDoubtful(t *testing.T) {
	for name, c := range map[string]struct {
		ok, failed, inFlight int64
		window, longest      time.Duration
		doubtful             bool
	}{
		"two seconds":          {1, 0, 1, 3 * time.Second, time.Second, true},
		"not yet":              {1, 0, 1, 3*time.Second - 1, time.Second, false},
		"failures end, too":    {0, 1, 1, 3 * time.Second, time.Second, true},
		"as long as another":   {1, 0, 1, 5 * time.Second, 4 * time.Second, false},
		"longer than another":  {1, 0, 1, 5*time.Second + 1, 4 * time.Second, true},
		"nothing in flight":    {1, 0, 0, 9 * time.Second, time.Second, false},
		"nothing has ended":    {0, 0, 1, 9 * time.Second, 0, false},
		"nothing of either":    {0, 0, 0, 9 * time.Second, 0, false},
		"of many in flight":    {5, 5, 9, 9 * time.Second, time.Second, true},
		"before anything ends": {0, 0, 1, 2 * time.Second, 0, false},
	} {
		doc := &rundoc.Run{Ledger: rundoc.Ledger{WindowNS: int64(c.window)}, Series: []rundoc.Point{{OK: c.ok, Failed: c.failed}, {Second: 1}}}
		v := report.NewCount(doc, report.Kind{})
		v.Total.ResponseTime.MaxNS = int64(c.longest)
		f := counting{v, c.inFlight}.responseTime()
		if got := f.Tone == report.Doubtful; got != c.doubtful || got != (len(f.Points) == 1) || !f.Strong {
			t.Errorf("%s: doubtful %v, %q", name, got, f.Points)
		}
	}
}

// TestWhatIsOffered: what was counted as due, and what was asked for where a twentieth of that and more is missing.
func TestWhatIsOffered(t *testing.T) {
	for name, c := range map[string]struct {
		open    bool
		offered []int64
		want    string
	}{
		"due": {true, []int64{100, 100}, "100/s due"}, "nearly": {true, []int64{95, 95}, "95.0/s due"},
		"less":    {true, []int64{94, 94}, "100/s asked for, and 94.0/s counted as due: what waits is not"},
		"half":    {true, []int64{50}, "100/s asked for, and 50.0/s counted as due: what waits is not"},
		"nothing": {true, nil, ""}, "one second": {true, []int64{120}, "120/s due"}, "closed": {false, []int64{100}, ""},
	} {
		doc := &rundoc.Run{Plan: json.RawMessage(`{"load":{"rate_per_s":100}}`)}
		for i, n := range c.offered {
			doc.Series = append(doc.Series, rundoc.Point{Second: int64(i), Offered: &n})
		}
		v := report.NewCount(doc, report.Kind{})
		v.Open = c.open
		got := counting{v, 0}.offered()
		for _, word := range []string{" operations", " operation", " op"} {
			got = strings.ReplaceAll(got, word, "")
		}
		if got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestFinishedRuns: the last fifty, and how many there are in all.
func TestFinishedRuns(t *testing.T) {
	p := newPage(nil)
	if of := p.model(nil); len(of.Sections) != 0 {
		t.Errorf("%d sections before any run was over", len(of.Sections))
	}
	for i := range 52 {
		p.Over(t.Context(), onlook.Moment{What: fmt.Sprint("run ", i+1)})
		of := p.model(nil)
		if len(of.Sections) != 1 {
			t.Fatalf("%d sections behind %d runs", len(of.Sections), i+1)
		}
		if len(p.ended) != min(i+1, 50) {
			t.Errorf("behind %d runs there are %d", i+1, len(p.ended))
		}
		if notes := of.Sections[0].Notes; i < 50 && len(notes) > 0 || i == 51 && (len(notes) != 1 || notes[0] != "The last 50 of 52.") {
			t.Errorf("behind %d runs: %q", i+1, notes)
		}
	}
	if len(p.ended) != 50 || p.ended[0].what != "run 3" || p.ended[49].what != "run 52" || p.ended[0].verdict != "nothing was measured" {
		t.Errorf("%d runs, from %+v", len(p.ended), p.ended[0])
	}
}

// TestWhatARunCameTo: what its kind says of its rate, else the rate that was counted, and its p99.
func TestWhatARunCameTo(t *testing.T) {
	p := newPage(nil)
	for _, said := range []string{"", "3 MB/s"} {
		run := onlook.Moment{What: "run", Ended: counted(2000, 0)}
		run.Ended.Verdict.Validity = rundoc.Valid
		run.Kind.Listed = func(_ *rundoc.Run, l *report.Listing) { l.Rate = said }
		p.Over(t.Context(), run)
	}
	none := onlook.Moment{What: "run", Ended: counted(2000, 0)}
	none.Kind.Listed = func(_ *rundoc.Run, l *report.Listing) { *l = report.Listing{} }
	p.Over(t.Context(), none)
	want := "[[run 1,000/s 1.00 ms valid] [run 3 MB/s 1.00 ms valid] [run  – ]]"
	if got := fmt.Sprint(p.finished().Tables[0]); !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestWhatCameOfItAll: of a set its report, of a run its own, and where there is neither, that nothing was measured.
func TestWhatCameOfItAll(t *testing.T) {
	set := &setdoc.Set{Schema: setdoc.Schema, ID: "x", Kind: setdoc.KindPlan, Planned: 1,
		Members: []setdoc.Member{{Name: "first", Workload: "tea"}}}
	over := onlook.Moment{Workload: "tea", Ended: counted(2000, 0)}
	for name, c := range map[string]struct {
		page  *Page
		title string
		fact  string
	}{
		"a set":              {&Page{set: set, last: &over}, "plan", ""},
		"a run":              {&Page{last: &over}, "tea", ""},
		"nothing of a run":   {&Page{last: &onlook.Moment{Workload: "tea"}}, "tea", "NOTHING MEASURED"},
		"nothing of nothing": {&Page{}, "Plimsoll", "NOTHING MEASURED"},
	} {
		of := c.page.concluded()
		var fact report.Fact
		for _, one := range of.Facts {
			if one.Key == "Verdict" {
				fact = one
			}
		}
		if !strings.Contains(of.Title, c.title) || !strings.HasPrefix(fact.Value, c.fact) || !fact.Strong {
			t.Errorf("%s: %q, %+v", name, of.Title, of.Facts)
		}
	}
}
