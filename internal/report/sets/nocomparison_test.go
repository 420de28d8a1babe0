package sets

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// noiseOf is the noise of runs with these values of one figure, "saved".
func noiseOf(t *testing.T, values ...figure.Value) *Noise {
	t.Helper()
	var now figure.Value
	spec, err := figure.Parse("saved", figure.Known{Own: []figure.Source{{Name: "saved", Unit: figure.Count,
		Number: func(*rundoc.Run, map[string]string) figure.Value { return now }}}})
	if err != nil {
		t.Fatal(err)
	}
	n := &Noise{Figures: []figure.Spec{spec}}
	for _, now = range values {
		n.Add(&rundoc.Run{})
	}
	return n
}

// stepping are values of which each is by another share above or below the one before: 1% and so on up to so many
// percent, in no order.
func stepping(steps int) []figure.Value {
	values := []figure.Value{{Raw: 1000}}
	for i := range steps {
		by := math.Log1p(0.01 * float64((7*i)%steps+1))
		if i%2 == 1 {
			by = -by
		}
		values = append(values, figure.Value{Raw: values[i].Raw * math.Exp(by)})
	}
	return values
}

// How much runs differ from one to the next is the median of the changes, where enough runs have the figure: those that
// have none, and those of which it is 0, are passed over.
func TestNoise(t *testing.T) {
	none := []figure.Value{{Raw: 5, Why: "too few"}, {Raw: 0}, {Raw: -1}}
	const unknown = "the variation between runs is unknown: "
	for i, tt := range []struct {
		values []figure.Value
		want   string
	}{
		{nil, unknown + "0 saved runs of this plan, at least 40 are needed"},
		{stepping(39)[:1], unknown + "1 saved run of this plan, at least 40 are needed"},
		{stepping(39)[:39], unknown + "39 saved runs of this plan, at least 40 are needed"},
		{slices.Concat(stepping(39)[:39], none[:1]), unknown + "no metric is available in 40 of the 40 saved runs of this plan"},
		{slices.Concat(stepping(39)[:39], none[1:2]), unknown + "no metric is available in 40 of the 40 saved runs of this plan"},
		{stepping(39), "consecutive runs on this machine differ by 20.0% in saved"},
		{stepping(40), "consecutive runs on this machine differ by 20.5% in saved"},
		{slices.Concat(stepping(39)[:20], none, stepping(39)[20:]), "consecutive runs on this machine differ by 20.0% in saved"},
	} {
		if got := noiseOf(t, tt.values...).text(); got != tt.want {
			t.Errorf("%d: %q, want %q", i, got, tt.want)
		}
	}
}

// The first thing that makes the figures of two runs unlike is named: what they are, then where, then how they were
// asked for.
func TestIncomparableRuns(t *testing.T) {
	plan := func(text string) func(*rundoc.Run) { return func(r *rundoc.Run) { r.Plan = json.RawMessage(text) } }
	embedded := func(r *rundoc.Run) { r.Target = rundoc.Target{Embedded: true} }
	for i, tt := range []struct {
		a, b func(*rundoc.Run)
		want string
	}{
		{nil, nil, ""}, {func(r *rundoc.Run) { r.Workload = "" }, nil, "the kind differs: – and http"},
		{nil, plan(`{"load":{"rate_per_s":5}}`), "the load model differs: closed and open"},
		{nil, embedded, "the target differs: http://x/ and demo"},
		{nil, func(r *rundoc.Run) { r.Host.CPUs = 2 }, "the machine differs: – and 2 processors"},
		{func(r *rundoc.Run) { r.Host.Kernel = "6.1" }, nil, "the kernel differs: 6.1 and –"},
		{nil, func(r *rundoc.Run) { r.Ledger.Clients = 6 }, "the number of clients differs: 5 and 6"},
		{plan(`{"depth":2}`), plan("{}"), "the setting depth differs: 2 and not set"},
		{plan("{}"), plan(`{"depth":2}`), "the setting depth differs: not set and 2"},
		{plan(`{"seed":1,"output":"a","load":{"clients":1}}`), plan(`{"seed":2,"output":"b","load":{"clients":2}}`), ""},
		{plan(`{"url":"a"}`), plan(`{"url":"b"}`), "the setting url differs: a and b"},
		{func(r *rundoc.Run) { embedded(r); plan(`{"url":"a"}`)(r) }, func(r *rundoc.Run) { embedded(r); plan(`{"url":"b"}`)(r) }, ""},
		{func(r *rundoc.Run) { embedded(r); plan(`{"url":"a"}`)(r) },
			func(r *rundoc.Run) { r.Target.URL = "demo"; plan(`{"url":"b"}`)(r) }, "the setting url differs: a and b"},
	} {
		a, b := measured(t, "a", 0), measured(t, "b", 0)
		for run, edit := range map[*rundoc.Run]func(*rundoc.Run){a: tt.a, b: tt.b} {
			if edit != nil {
				edit(run)
			}
		}
		if got := Incomparable(a, b); got != tt.want {
			t.Errorf("%d: %q, want %q", i, got, tt.want)
		}
	}
}

// Two runs are shown side by side, and why nothing is said of which is better comes first. How to compare is said where
// the two could be.
func TestNoComparison(t *testing.T) {
	const turns = "To compare them, measure both in turn: plimsoll compare A B, with two URLs or command lines."
	open := func(r *rundoc.Run) { r.Plan = json.RawMessage(`{"load":{"rate_per_s":5}}`) }
	for _, tt := range []struct {
		incomparable string
		edit         func(*rundoc.Run)
		want         []string
		title        string
	}{
		{"", nil, []string{"Result | No comparison: " + noiseOf(t).text() + " | Two single runs cannot show a difference. " + turns, "A", "B",
			"Differences"}, "Plimsoll · two runs of http side by side"},
		{"why", nil, []string{"Result | Not comparable: why | " + turns, "A", "B", "Differences"},
			"Plimsoll · two runs of http side by side"},
		{"why", open, []string{"Result | Not comparable: why", "A", "B", "Differences"}, "Plimsoll · two runs of http side by side"},
		{"why", func(r *rundoc.Run) { r.Workload = "chat" }, []string{"Result | Not comparable: why", "A", "B", "Differences"},
			"Plimsoll · two runs side by side"},
	} {
		a, b := measured(t, "a", 0), measured(t, "b", 0)
		if tt.edit != nil {
			tt.edit(b)
		}
		page := NoComparison(Side{Run: a}, Side{Run: b}, report.Kind{}, tt.incomparable, noiseOf(t))
		answer := page.Answer()
		got := []string{inLine(answer[0])}
		for _, f := range answer[1:] {
			got = append(got, f.Key)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || page.Title != tt.title || !answer[0].Strong ||
			answer[0].Tone != report.Doubtful || page.Subtitle() != describes {
			t.Errorf("%q: %s", page.Title, diff)
		}
	}
}

// What programs read of two runs: what both had, by how much they differ where both have it, and what is not alike.
func TestRunsBesideForPrograms(t *testing.T) {
	spec := func(name string) figure.Spec {
		s, err := figure.Parse(name, saving().Known("http"))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	specs := []figure.Spec{spec("saved"), spec("rate"), spec("retries")}
	a, b := measured(t, "a", 1000), measured(t, "b", 500)
	a.Target, a.Total = rundoc.Target{Embedded: true, URL: "http://127.0.0.1:4000/"}, nil
	b.Target.URL = "http://user:secret@x/"
	b.Plan = json.RawMessage(`{"load":{"clients":6}}`)
	all := NoComparisonJSON(Side{Run: a}, Side{Run: b, Broken: []string{"it is wrong"}}, specs, "why", nil)
	want := []FiguresBeside{{Figure: "saved", Unit: "count", A: new(7.0), WhyB: "too few"},
		{Figure: "rate", Unit: "per_s", A: new(100.0), B: new(50.0), Ratio: new(0.5)},
		{Figure: "retries", Unit: "count", A: new(0.0), B: new(0.0)}}
	if diff := cmp.Diff(want, all.Figures); diff != "" {
		t.Error(diff)
	}
	plan := []SettingsBeside{{Name: "clients", A: "5", B: "6"}}
	if diff := cmp.Diff(plan, all.Plan); diff != "" || all.Comparable || all.Unlike != "why" || all.Noise != nil {
		t.Errorf("%+v: %s", all, diff)
	}
	for i, r := range all.Runs {
		if r.Target != []string{"demo", "http://x/"}[i] || r.ID != []string{"a", "b"}[i] || len(r.Broken) != i ||
			r.Totals == nil || r.Totals.ResponseTime == nil || r.Totals.OK != int64(1000/(i+1)) {
			t.Errorf("%+v", r)
		}
	}
	if a.Total != nil {
		t.Error("the document itself has totals now")
	}
	b.Total.Scheduled = 7777
	kept := NoComparisonJSON(Side{Run: b}, Side{Run: a}, specs[:1], "", noiseOf(t, stepping(39)...))
	if f := kept.Figures[0]; kept.Runs[0].Totals.Scheduled != 7777 || f.A != nil || *f.B != 7 || f.Ratio != nil {
		t.Errorf("%+v", kept)
	}
	if !kept.Comparable || kept.Noise.Runs != 40 || math.Abs(kept.Noise.Figures["saved"]-0.2) > 1e-9 {
		t.Errorf("%+v", kept.Noise)
	}
	few := NoComparisonJSON(Side{Run: b}, Side{Run: a}, nil, "", noiseOf(t, stepping(39)[:39]...))
	text, err := json.Marshal(few)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`{"schema":"plimsoll.beside/v1","comparable":true,"noise":{"runs":39,"figures":{}},"runs":[`,
		`"figures":[],"settings_differ":[`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}
