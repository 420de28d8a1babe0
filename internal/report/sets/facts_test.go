package sets

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/sweep"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// sweepOf is a view of a sweep of clients with these levels.
func sweepOf(s setdoc.Sweep) *View {
	s.Vary = []setdoc.Vary{{Setting: "clients", Numeric: true}}
	if s.Figure.Unit == "" {
		s.Figure = requests
	}
	for i := range s.Levels {
		s.Levels[i].Values = []string{string(rune('1' + i))}
		if s.Levels[i].Throughput == nil {
			s.Levels[i].Throughput = new(1000 * float64(i+1))
		}
	}
	return NewView(Source{Set: &setdoc.Set{Sweep: &s}}, report.Options{})
}

func levelsOf(n int) []setdoc.Level { return make([]setdoc.Level, n) }

func TestBestAndHighest(t *testing.T) {
	for i, tt := range []struct {
		s             setdoc.Sweep
		best, highest string
	}{
		{setdoc.Sweep{}, "Best | – (nothing was measured)", " | "},
		{setdoc.Sweep{Levels: levelsOf(1), Peak: new(0)}, "Best | – (no setting is the best: see the verdict and the notes)",
			"Highest | clients 1: 1,000 requests/s"},
		{setdoc.Sweep{Levels: levelsOf(1), Peak: new(0), Best: new(0)}, "Best | clients 1: 1,000 requests/s", " | "},
		{setdoc.Sweep{Levels: levelsOf(2), Peak: new(1), Best: new(1)}, "Best | clients 2: 2,000 requests/s, the highest", " | "},
		{setdoc.Sweep{Levels: levelsOf(2), Peak: new(0), Best: new(0), Figure: p50}, "Best | clients 1: 1.00 µs, the lowest", " | "},
		{setdoc.Sweep{Levels: levelsOf(2), Best: new(1)}, "Best | clients 2: 2,000 requests/s", " | "},
		{setdoc.Sweep{Levels: levelsOf(2), Peak: new(1), Best: new(0)}, "Best | clients 1: 1,000 requests/s",
			"Highest | clients 2: 2,000 requests/s | not told apart from the best, or within 3 % of it"},
		{setdoc.Sweep{Levels: levelsOf(2), Peak: new(0), Best: new(1), Figure: p50}, "Best | clients 2: 2.00 µs",
			"Lowest | clients 1: 1.00 µs | not told apart from the best, or within 3 % of it"},
	} {
		v := sweepOf(tt.s)
		if got := inLine(v.best()); got != tt.best {
			t.Errorf("%d: %q, want %q", i, got, tt.best)
		}
		if got := inLine(v.highest()); got != tt.highest {
			t.Errorf("%d: %q, want %q", i, got, tt.highest)
		}
	}
	v := sweepOf(setdoc.Sweep{Levels: levelsOf(2), Peak: new(1), Best: new(1)})
	v.sweep.Vary[0].Numeric = false
	if got := v.best().Value; got != "clients 2: 2,000 requests/s" {
		t.Error(got)
	}
}

func TestEfficiency(t *testing.T) {
	base := func(single bool) *setdoc.Base { return &setdoc.Base{Level: 0, W1: 2e6, Single: single} }
	level := func(efficiency, predicted *float64, missing ...setdoc.MissingShare) []setdoc.Level {
		return []setdoc.Level{{Efficiency: efficiency, Predicted: predicted, Missing: missing}}
	}
	for i, tt := range []struct {
		s    setdoc.Sweep
		want string
	}{
		{setdoc.Sweep{Levels: level(new(0.5), new(2000.0)), Base: base(true)}, " | "},
		{setdoc.Sweep{Levels: level(nil, new(2000.0)), Best: new(0), Base: base(true)}, " | "},
		{setdoc.Sweep{Levels: level(new(0.5), nil), Best: new(0), Base: base(true)}, " | "},
		{setdoc.Sweep{Levels: level(new(0.5), new(2000.0)), Best: new(0)}, " | "},
		{setdoc.Sweep{Levels: level(new(0.5), new(2000.0)), Best: new(0), Base: base(true)},
			"Efficiency | 50.0 % of 2,000 requests/s = L ÷ W₁ | W₁ = 2.00 ms: client time for each operation with one client."},
		{setdoc.Sweep{Levels: level(new(0.5), new(2000.0), setdoc.MissingShare{State: "a", Share: 0.1}, setdoc.MissingShare{State: "b", Share: 0.2},
			setdoc.MissingShare{State: "c", Share: 0.2}, setdoc.MissingShare{State: "d", Share: 0.0004}), Best: new(0), Base: base(false)},
			"Efficiency | 50.0 % of 2,000 requests/s = L ÷ W₁ | W₁ = 2.00 ms: client time for each operation at clients 1, the lowest measured." +
				" | the rest, 50.0 %, went to b 20.0 %, c 20.0 %, others 10.0 %"},
		{setdoc.Sweep{Levels: level(new(0.5), new(2000.0), setdoc.MissingShare{State: "a", Share: 0.5}), Best: new(0), Base: base(true)},
			"Efficiency | 50.0 % of 2,000 requests/s = L ÷ W₁ | W₁ = 2.00 ms: client time for each operation with one client. | the rest, 50.0 %, went to a 50.0 %"},
	} {
		if got := inLine(sweepOf(tt.s).efficiency()); got != tt.want {
			t.Errorf("%d: %q, want %q", i, got, tt.want)
		}
	}
	for rest, want := range map[float64]string{0: "", 0.0004: "", -0.0004: "", 0.0006: ", others 0.06 %", -0.0006: ", less 0.06 % that others did not need"} {
		l := &setdoc.Level{Efficiency: new(0.5), Missing: []setdoc.MissingShare{{State: "a", Share: 0.5 - rest}}}
		if got := elsewhere(l, 2); got != want {
			t.Errorf("%v: %q, want %q", rest, got, want)
		}
	}
	all := []setdoc.MissingShare{{State: "a", Share: 0.0005}, {State: "b", Share: 0.00049}, {State: "c", Share: 0.2}, {State: "d", Share: 0.3}, {State: "e", Share: 0.2}}
	for most, want := range map[int]string{0: "", 1: "d 30.0 %", 3: "d 30.0 %, c 20.0 %, e 20.0 %", 9: "d 30.0 %, c 20.0 %, e 20.0 %, a 0.05 %"} {
		if got := mostMissing(all, most); got != want {
			t.Errorf("%d: %q, want %q", most, got, want)
		}
	}
}

func TestTimesAndEndings(t *testing.T) {
	ns := func(n int64) *int64 { return &n }
	for i, tt := range []struct {
		l    setdoc.Level
		want string
	}{
		{setdoc.Level{}, " | "}, {setdoc.Level{ResponseP50NS: ns(1e6)}, "Response time | p50 1.00 ms · p99 – at the best setting"},
		{setdoc.Level{ResponseP99NS: ns(2e6)}, "Response time | p50 – · p99 2.00 ms at the best setting"},
	} {
		if got := inLine(sweepOf(setdoc.Sweep{Levels: []setdoc.Level{tt.l}, Best: new(0)}).responseTime()); got != tt.want {
			t.Errorf("%d: %q, want %q", i, got, tt.want)
		}
	}
	if got := inLine(sweepOf(setdoc.Sweep{}).responseTime()); got != " | " {
		t.Error(got)
	}
	fails := levelsOf(2)
	fails[1].FailedShare, fails[1].NotOpened = 0.25, 2
	fails[1].Causes = []setdoc.CauseCount{{Cause: "timeout", Count: 1000}, {Cause: "reset", Count: 2}, {Cause: "a", Count: 1}, {Cause: "b", Count: 1}}
	for i, tt := range []struct {
		s    setdoc.Sweep
		want string
		bad  bool
	}{
		{setdoc.Sweep{}, "Ending | ", false},
		{setdoc.Sweep{Ending: setdoc.EndsRising}, "Ending | rising: the highest setting is the best, and nobody knows what comes beyond it", false},
		{setdoc.Sweep{Ending: setdoc.EndsRising, Levels: levelsOf(2), Best: new(1)}, "Ending | rising: the highest setting is the best, and nobody knows what comes beyond it", false},
		{setdoc.Sweep{Ending: setdoc.EndsRising, Levels: levelsOf(2), Best: new(0)}, "Ending | not known: the runs beyond the best setting are invalid", false},
		{setdoc.Sweep{Ending: setdoc.EndsOnPlateau}, "Ending | a plateau: more than the best setting brings no more", false},
		{setdoc.Sweep{Ending: setdoc.EndsInDecline}, "Ending | a decline: more than the best setting brings less", false},
		{setdoc.Sweep{Ending: setdoc.EndsInFailure, Levels: fails, FailsFrom: new(1)}, "Ending | failure: more than the best setting fails | " +
			"fails from clients 2 on: 25.0 % of the operations · timeout 1,000, reset 2, a 1 and 1 more · 2 connections not opened", true},
		{setdoc.Sweep{Ending: "mutant"}, "Ending | mutant", false},
	} {
		f := sweepOf(tt.s).ending()
		if got := inLine(f); got != tt.want || (f.Tone == report.Bad) != tt.bad {
			t.Errorf("%d: %q, want %q", i, got, tt.want)
		}
	}
	if got := failuresOf(&setdoc.Level{}); got != "" {
		t.Error(got)
	}
	if got := failuresOf(&setdoc.Level{NotOpened: 1}); got != "1 connection not opened" {
		t.Error(got)
	}
}

// What failed of all levels, and how many of the runs ended well and met their thresholds.
func TestFailuresAndRuns(t *testing.T) {
	for i, tt := range []struct {
		levels []setdoc.Level
		want   string
		bad    bool
	}{
		{nil, "Failures | –", false}, {[]setdoc.Level{{Scheduled: 1, OK: 1}}, "Failures | none, and no retries, in 1 operation", false},
		{[]setdoc.Level{{Scheduled: 1000, OK: 999}, {Scheduled: 1000, OK: 999}}, "Failures | 0.1 % failed of 2,000 operations · 0 retries · 0 reconnects", true},
		{[]setdoc.Level{{Scheduled: 1000, OK: 1000, Retries: 1}}, "Failures | 0 % failed of 1,000 operations · 1 retry · 0 reconnects", false},
		{[]setdoc.Level{{Scheduled: 1000, OK: 1000, Reconnects: 1}, {Reconnects: 1}}, "Failures | 0 % failed of 1,000 operations · 0 retries · 2 reconnects", false},
	} {
		f := sweepOf(setdoc.Sweep{Levels: tt.levels}).failures()
		if got := inLine(f); got != tt.want || (f.Tone == report.Bad) != tt.bad {
			t.Errorf("%d: %q, want %q", i, got, tt.want)
		}
	}
	met := func(expr string, is bool) rundoc.Threshold { return rundoc.Threshold{Expr: expr, Met: is} }
	a, b := setdoc.Member{Name: "a"}, setdoc.Member{Name: "b", Exit: 3}
	for i, tt := range []struct {
		set                   setdoc.Set
		made, missed, failure string
		bad, worse            bool
	}{
		{setdoc.Set{}, "Runs | ", " | ", "Failures | ", false, false},
		{setdoc.Set{Members: []setdoc.Member{a, a}, Planned: 2}, "Runs | all 2 well", " | ", "Failures | ", false, false},
		{setdoc.Set{Members: []setdoc.Member{a, b, b}, Planned: 4}, "Runs | 3 of 4 planned · 2 ended with an error", " | ", "Failures | ", true, false},
		{setdoc.Set{Members: []setdoc.Member{a}, Planned: 2}, "Runs | 1 of 2 planned", " | ", "Failures | ", false, false},
		{setdoc.Set{Sweep: &setdoc.Sweep{}, Members: []setdoc.Member{a}, Planned: 1}, "Runs | ", " | ", "Failures | –", false, false},
		{setdoc.Set{Members: []setdoc.Member{{Name: "a", Thresholds: []rundoc.Threshold{met("x<1", true), met("y<1", true)}}}}, "Runs | all 1 well",
			"Thresholds | all met", "Failures | ", false, false},
		{setdoc.Set{Members: []setdoc.Member{{Name: "a", Thresholds: []rundoc.Threshold{met("x<1", false), met("y<1", true)}},
			{Name: "b", Thresholds: []rundoc.Threshold{met("x<1", false)}}, {Name: "c", Thresholds: []rundoc.Threshold{met("x<1", true)}}}}, "Runs | all 3 well",
			"Thresholds | 1 of 2 not met | x<1: not met in 2 of 3 runs: a, b", "Failures | ", false, true},
		{setdoc.Set{Members: []setdoc.Member{{Name: "a", Thresholds: []rundoc.Threshold{met("x<1", false)}},
			{Name: "b", Thresholds: []rundoc.Threshold{met("x<1", false)}}, {Name: "c", Thresholds: []rundoc.Threshold{met("x<1", false)}},
			{Name: "d", Thresholds: []rundoc.Threshold{met("x<1", false)}}}}, "Runs | all 4 well",
			"Thresholds | 1 of 1 not met | x<1: not met in 4 of 4 runs: a, b, c and 1 more", "Failures | ", false, true},
	} {
		v := NewView(Source{Set: &tt.set}, report.Options{})
		made, missed := v.made(), v.missed()
		if diff := cmp.Diff([]string{tt.made, tt.missed, tt.failure}, []string{inLine(made), inLine(missed), inLine(v.failures())}); diff != "" ||
			(made.Tone == report.Bad) != tt.bad || (missed.Tone == report.Bad) != tt.worse || missed.Strong != tt.worse {
			t.Errorf("%d: %s", i, diff)
		}
	}
}

func TestVerdictsAndNotes(t *testing.T) {
	for _, tt := range []struct {
		validity rundoc.Validity
		broken   []string
		want     string
		tone     report.Tone
	}{
		{rundoc.Valid, nil, "Verdict | VALID: nothing found in any run that puts these figures in doubt | why", report.Good},
		{rundoc.Seen, nil, "Verdict | VALID as far as seen: nothing found, and not everything was watched | why", report.Doubtful},
		{rundoc.Suspect, nil, "Verdict | SUSPECT: believe these figures with care | why", report.Doubtful},
		{rundoc.Invalid, nil, "Verdict | INVALID: do not use these figures | why", report.Bad}, {"", nil, "Verdict | – | why", 0},
		{"mutant", nil, "Verdict | MUTANT | why", 0},
		{rundoc.Valid, []string{"x"}, "Verdict | EDITED: it does not follow from its own figures; do not use it | x | why", report.Bad},
	} {
		set := setdoc.Set{Verdict: rundoc.Verdict{Validity: tt.validity, Reasons: []string{"why"}}}
		f := NewView(Source{Set: &set, Broken: tt.broken}, report.Options{}).verdict()
		if got := inLine(f); got != tt.want || f.Tone != tt.tone || !f.Strong {
			t.Errorf("%q: %q of tone %v, want %q of %v", tt.validity, got, f.Tone, tt.want, tt.tone)
		}
	}
	v := sweepOf(setdoc.Sweep{Rules: sweep.Rules, Doubts: []string{"a", "b"}})
	if got := inLine(v.notes()); got != "Note |  | a | b" {
		t.Error(got)
	}
	if v.sweep.Rules--; len(v.notes().Points) != 3 {
		t.Error(v.notes())
	}
	if got := inLine(NewView(Source{Set: &setdoc.Set{}}, report.Options{}).notes()); got != "Note | " {
		t.Error(got)
	}
}

func TestMedianOfLaunches(t *testing.T) {
	for _, tt := range []struct {
		l    setdoc.Launches
		want string
		tone report.Tone
	}{
		{setdoc.Launches{Why: "none ended"}, "Launches | p50 is not known: none ended", 0},
		{setdoc.Launches{Median: new(2e6), Why: "two are few"}, "Launches | p50 2.00 ms, the median; two are few", 0},
		{setdoc.Launches{Median: new(2e6), Range: []float64{1e6, 3e6}},
			"Launches | p50 2.00 ms, the median; that of 20 fresh launches lies between 1.00 ms and 3.00 ms (95 %)", 0},
		{setdoc.Launches{Median: new(2e6), Range: []float64{1e6, 3e6}, Within: 0.05, Known: true},
			"Launches | p50 2.00 ms, the median; that of 20 fresh launches lies between 1.00 ms and 3.00 ms (95 %) | Known to ±5.0 % over launches, as was asked.", report.Good},
		{setdoc.Launches{Median: new(2e6), Range: []float64{1e6, 3e6}, Within: 0.05, Why: "time is up"},
			"Launches | p50 2.00 ms, the median; that of 20 fresh launches lies between 1.00 ms and 3.00 ms (95 %) | Not known to ±5.0 %: time is up.", report.Doubtful},
	} {
		tt.l.Figure = p50
		f := NewView(Source{Set: &setdoc.Set{Launches: &tt.l}}, report.Options{}).launched()
		if got := inLine(f); got != tt.want || f.Tone != tt.tone || !f.Strong {
			t.Errorf("%q of tone %v, want %q", got, f.Tone, tt.want)
		}
	}
}
