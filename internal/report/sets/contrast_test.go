package sets

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/contrast"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/setdoc"
)

// comparisonOf is a view of a comparison with so many launches that count.
func comparisonOf(c setdoc.Comparison, launches int) contrastView {
	for range launches {
		c.Launches = append(c.Launches, setdoc.Launch{})
	}
	if c.Rules == 0 {
		c.Rules = contrast.Rules
	}
	return contrastView{NewView(Source{Set: &setdoc.Set{Comparison: &c}}, report.Options{}), &c}
}

// rowsOfFigures are rows of figures a, b, c and so on.
func rowsOfFigures(rows ...setdoc.Contrast) setdoc.Comparison {
	var c setdoc.Comparison
	for i, r := range rows {
		r.Figure = i
		c.Figures = append(c.Figures, setdoc.Compared{Figure: setdoc.Figure{Name: string(rune('a' + i)), Unit: "ns"}})
		c.Rows = append(c.Rows, r)
	}
	return c
}

func TestResultsOfComparisons(t *testing.T) {
	bad, good := setdoc.Contrast{Outcome: setdoc.Worse, Ratio: new(1.5)}, setdoc.Contrast{Outcome: setdoc.Better, Ratio: new(0.5)}
	none := setdoc.Contrast{Outcome: setdoc.NoneShown, Smallest: new(0.125)}
	bare, few := setdoc.Contrast{Outcome: setdoc.NoneShown}, setdoc.Contrast{Outcome: setdoc.Unknown, Absent: "too few"}
	neither := setdoc.Contrast{Outcome: setdoc.Unknown, Absent: setdoc.NoneOnEither}
	for i, tt := range []struct {
		rows []setdoc.Contrast
		n    int
		want string
		tone report.Tone
	}{
		{[]setdoc.Contrast{bad}, 10, "Result | B is slower: a +50.0%", report.Bad},
		{[]setdoc.Contrast{good}, 10, "Result | B is faster: a −50.0%", report.Good},
		{[]setdoc.Contrast{bad, good, few}, 10, "Result | B is slower: a +50.0%; but better: b −50.0%; no result for c", report.Bad},
		{[]setdoc.Contrast{bad, bad, bad, bad}, 10, "Result | B is slower: a +50.0%, b +50.0%, c +50.0% and 1 more", report.Bad},
		{[]setdoc.Contrast{good, good, good, good}, 10, "Result | B is faster: a −50.0%, b −50.0%, c −50.0% and 1 more", report.Good},
		{[]setdoc.Contrast{bad, good, good, good, good}, 10, "Result | B is slower: a +50.0%; but better: b −50.0%, c −50.0%, d −50.0% and 1 more", report.Bad},
		{[]setdoc.Contrast{none, few, few, few, few, neither}, 10, "Result | No significant difference; smallest detectable: 12.5% in a; no result for b, c, d and 1 more", report.Plain},
		{[]setdoc.Contrast{none}, 10, "Result | No significant difference; smallest detectable: 12.5%", report.Plain},
		{[]setdoc.Contrast{none, none}, 10, "Result | No significant difference; smallest detectable: 12.5% in a, 12.5% in b", report.Plain},
		{[]setdoc.Contrast{none, bare}, 10, "Result | No significant difference; smallest detectable: 12.5% in a", report.Plain},
		{[]setdoc.Contrast{bare}, 10, "Result | No significant difference", report.Plain},
		{[]setdoc.Contrast{bare, bare}, 10, "Result | No significant difference", report.Plain},
		{[]setdoc.Contrast{none, none, none, none, none, none}, 10, "Result | No significant difference; smallest detectable: 12.5% in a, 12.5% in b, 12.5% in c, 12.5% in d, " +
			"12.5% in e, 12.5% in f", report.Plain},
		{[]setdoc.Contrast{none, none, none, none, none, none, none}, 10, "Result | No significant difference; smallest detectable: 12.5% in a, 12.5% in b, 12.5% in c, 12.5% in d, " +
			"12.5% in e, 12.5% in f and 1 more", report.Plain},
		{[]setdoc.Contrast{few}, 10, "Result | No result: a: too few", report.Doubtful},
		{[]setdoc.Contrast{few}, 9, "Result | No result: 9 launches are too few for a test: at least 10 are needed", report.Doubtful},
		{[]setdoc.Contrast{neither}, 10, "Result | No significant difference", report.Plain},
		{[]setdoc.Contrast{neither}, 9, "Result | No result: 9 launches are too few for a test: at least 10 are needed", report.Doubtful},
		{[]setdoc.Contrast{{Outcome: ""}}, 10, "Result | No result: nothing was compared", report.Doubtful},
	} {
		f := comparisonOf(rowsOfFigures(tt.rows...), tt.n).result()
		if got := inLine(f); got != tt.want || f.Tone != tt.tone || !f.Strong {
			t.Errorf("%d: %q of tone %v, want %q of %v", i, got, f.Tone, tt.want, tt.tone)
		}
	}
	dropped := setdoc.Comparison{Looks: []int{10}, Dropped: 1, BusyLimit: 0.25, Launches: []setdoc.Launch{{Dropped: true}, {Lost: "x"}}}
	if got := Untold(&dropped); got != "1 of 2 launches were dropped because other programs used more than 25% of the CPUs" {
		t.Error(got)
	}
	if counted(&dropped) != 0 {
		t.Error(counted(&dropped))
	}
	for i := range 10 {
		dropped.Launches = append(dropped.Launches, setdoc.Launch{})
		if want := i + 1; counted(&dropped) != want {
			t.Errorf("%d, want %d", counted(&dropped), want)
		}
	}
	if got := Untold(&dropped); got != "nothing was compared" {
		t.Error(got)
	}
	dropped.Looks, dropped.Launches = nil, dropped.Launches[:3]
	if got := Untold(&dropped); got != "1 launch is too few for a test: at least 10 are needed" {
		t.Error(got)
	}
}

func TestLaunchesOfComparisons(t *testing.T) {
	for _, tt := range []struct {
		c      setdoc.Comparison
		counts int
		want   string
	}{
		{setdoc.Comparison{Judged: 1000}, 1200, "Launches | 1,000 of 1,200 used"},
		{setdoc.Comparison{BusyLimit: 1}, 1, "Launches | 0 of 1 used · none dropped"},
		{setdoc.Comparison{BusyLimit: 0.99}, 1, "Launches | 0 of 1 used · none dropped"},
		{setdoc.Comparison{BusyLimit: 0.2, Dropped: 1, Launches: []setdoc.Launch{{Dropped: true}}, Decided: "early"}, 1,
			"Launches | 0 of 2 used · 1 dropped because other programs used more than 20% of the CPUs | early"},
		{setdoc.Comparison{BusyLimit: 0.2, Dropped: 1, Launches: []setdoc.Launch{{Dropped: true}, {Lost: "x"}}}, 1,
			"Launches | 0 of 3 used · 1 dropped because other programs used more than 20% of the CPUs · 1 discarded because of errors"},
	} {
		if got := inLine(comparisonOf(tt.c, tt.counts).launches()); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	for want, c := range map[string]setdoc.Comparison{
		"Alternation: one whole run after the other; random order (--seed 7).": {Way: setdoc.ByRuns, Seed: 7, Rounds: &setdoc.Rounds{}},
		"Alternation: both at the same time; random order (--seed 7).":         {Way: setdoc.AtOnce, Seed: 7, Launches: []setdoc.Launch{{Slices: 3}}},
		"Alternation: other; random order (--seed 12).":                        {Way: "other", Seed: 12},
		"Alternation: slices of 1.00 ns to 2.00 ns, up to 0 per side and launch; random order (--seed 12).": {Way: setdoc.BySlices,
			Seed: 12, Launches: []setdoc.Launch{{SliceNS: 2}, {SliceNS: 1}, {SliceNS: 2}}},
		"Alternation: slices of 20.0 ms, up to 1,500 per side and launch; random order (--seed 7).": {Way: setdoc.BySlices, Seed: 7,
			Launches: []setdoc.Launch{{SliceNS: 20e6, Slices: 1500}, {}, {SliceNS: 20e6, Slices: 1400}}},
		"Alternation: slices of 10.0 ms to 20.0 ms, up to 5 per side and launch; standard deviation of the ratio over 500 ms: 7.9%; " +
			"random order (--seed 7).": {Way: setdoc.BySlices, Seed: 7, Rounds: &setdoc.Rounds{LengthNS: 500e6, Count: 1, Stddev: 0.079},
			Launches: []setdoc.Launch{{SliceNS: 20e6, Slices: 5}, {SliceNS: 10e6, Slices: 4}, {}, {SliceNS: 11e6}}},
	} {
		if got := comparisonOf(c, 0).interleaving(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for way, want := range map[string]string{setdoc.BySlices: "in alternating slices", setdoc.ByRuns: "one whole run after the other",
		setdoc.AtOnce: "both at the same time", "x\n": "x?"} {
		if got := comparisonOf(setdoc.Comparison{Way: way}, 0).wayText(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	same := setdoc.Comparison{Workload: "http", Sides: [2]setdoc.Side{{Target: "x"}, {Target: "x"}}}
	if got := comparisonOf(same, 0).title(); got != "Plimsoll compare · http · x" {
		t.Error(got)
	}
	same.Sides[1].Target = "y"
	if got := comparisonOf(same, 0).title(); got != "Plimsoll compare · http" {
		t.Error(got)
	}
	same.Sides = [2]setdoc.Side{}
	if got := comparisonOf(same, 0).title(); got != "Plimsoll compare · http" {
		t.Error(got)
	}
}

func TestDoubtsOfComparisons(t *testing.T) {
	few := setdoc.Contrast{Outcome: setdoc.Unknown, Absent: "too few"}
	c := rowsOfFigures(few, setdoc.Contrast{Outcome: setdoc.Unknown, Absent: "another"}, few, setdoc.Contrast{Outcome: setdoc.Unknown, Absent: setdoc.NoneOnEither},
		setdoc.Contrast{Outcome: setdoc.NoneShown, Absent: "shown"}, setdoc.Contrast{Outcome: setdoc.Unknown})
	c.Doubts = []string{"a doubt"}
	if got := inLine(comparisonOf(c, 10).doubts()); got != "Note |  | a, c: too few | b: another | a doubt" {
		t.Error(got)
	}
	if got := inLine(comparisonOf(c, 9).doubts()); got != "Note |  | a doubt" {
		t.Error(got)
	}
}

// What a row says: by how much B is above A, how sure that is, and from what change on it would have been seen.
func TestRowsOfComparisons(t *testing.T) {
	for ratio, want := range map[float64]string{0: "–", -1: "–", 1: "0%", 1.072: "+7.2%", 0.5: "−50.0%", 9.99: "+899.0%", 10: "×10", 22.34: "×22.3", 1000: "×1e+03",
		1000.1: "> ×1,000", 0.001: "−99.9%", 0.00099: "< −99.9%"} {
		if got := changeTo(ratio); got != want {
			t.Errorf("%v: %q, want %q", ratio, got, want)
		}
	}
	if got := changeTo(math.NaN()); got != "–" {
		t.Error(got)
	}
	for p, want := range map[float64]string{0: "< 0.0005", 0.00049: "< 0.0005", 0.0005: "0.001", 0.0123: "0.012", 1: "1.000"} {
		if got := probability(&p); got != want {
			t.Errorf("%v: %q, want %q", p, got, want)
		}
	}
	if probability(nil) != "–" {
		t.Error(probability(nil))
	}
	for i, tt := range []struct {
		r                                     setdoc.Contrast
		change, interval, outcome, brief, min string
	}{
		{setdoc.Contrast{}, "–", "–", "–", "–", "–"},
		{setdoc.Contrast{Ratio: new(1.1), Low: new(1.05), High: new(1.2), Launches: 10, Outcome: setdoc.Worse, Smallest: new(0.5)}, "+10.0%", "+5.0% to +20.0%", "worse", "worse", "–"},
		{setdoc.Contrast{Low: new(1.05), High: new(1.2), Launches: 9, Outcome: setdoc.NoneShown, Smallest: new(0.5)}, "–", "–", "not significant", "not significant", "50.0%"},
		{setdoc.Contrast{Low: new(1.05), Launches: 10, Outcome: setdoc.NoneShown}, "–", "–", "not significant", "not significant", "–"},
		{setdoc.Contrast{High: new(1.05), Launches: 10, Outcome: setdoc.NoneShown, Absent: setdoc.NoneOnEither}, "–", "–", "zero on both sides", "both zero", "–"},
		{setdoc.Contrast{Low: new(2000.0), High: new(3000.0), Launches: 10, Outcome: "x\n"}, "–", "> ×1,000", "x?", "x?", "–"},
		{setdoc.Contrast{Low: new(1.5), High: new(20.0), Launches: 10}, "–", "+50.0% to ×20", "–", "–", "–"},
	} {
		got := []string{changeOf(&tt.r), intervalOf(&tt.r), outcomeOf(&tt.r), briefly(&tt.r), smallestOf(&tt.r)}
		if diff := cmp.Diff([]string{tt.change, tt.interval, tt.outcome, tt.brief, tt.min}, got); diff != "" {
			t.Errorf("%d: %s", i, diff)
		}
	}
	for _, tt := range []struct {
		unit string
		x    float64
		want string
	}{{"share", 0.5, "50%"}, {"per_s", 4811, "4,811/s"}, {"ns", 1e6, "1.00 ms"}, {"bytes_per_s", 5e6, "5.00 MB/s"}} {
		c := setdoc.Comparison{Figures: []setdoc.Compared{{Figure: setdoc.Figure{Name: "a", Unit: tt.unit, Of: "requests"}}}}
		v := comparisonOf(c, 0)
		if got := v.value(&setdoc.Contrast{}, &tt.x); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.unit, got, tt.want)
		}
		if v.value(&setdoc.Contrast{}, nil) != "–" || v.value(&setdoc.Contrast{}, new(math.NaN())) != "–" {
			t.Error("what is not known")
		}
	}
}

// A share that changed is told by its two values, and any figure by its change and the interval of that.
func TestWhatWasFound(t *testing.T) {
	share := func(a, b *float64) setdoc.Comparison {
		return setdoc.Comparison{Figures: []setdoc.Compared{{Figure: setdoc.Figure{Name: "failed", Unit: "share"}}},
			Rows: []setdoc.Contrast{{Outcome: setdoc.Worse, A: a, B: b, Ratio: new(2.0), Low: new(1.5), High: new(3.0), Launches: 10}}}
	}
	for i, tt := range []struct {
		c    setdoc.Comparison
		want []string
	}{
		{share(new(0.0), new(0.5)), []string{"failed 0% to 50%"}}, {share(nil, new(0.5)), []string{"failed +100.0% (95% CI +50.0% to +200.0%)"}},
		{share(new(0.5), nil), []string{"failed +100.0% (95% CI +50.0% to +200.0%)"}},
		{rowsOfFigures(setdoc.Contrast{Outcome: setdoc.Worse, A: new(1.0), B: new(2.0), Ratio: new(2.0)}, setdoc.Contrast{Outcome: setdoc.Better, Ratio: new(2.0)},
			setdoc.Contrast{Outcome: setdoc.Worse}), []string{"a +100.0%", "c"}},
	} {
		if diff := cmp.Diff(tt.want, Found(&tt.c, setdoc.Worse)); diff != "" {
			t.Errorf("%d: %s", i, diff)
		}
	}
}
