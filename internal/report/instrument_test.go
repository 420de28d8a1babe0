package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/rundoc"
)

// watched is a run of which everything was watched.
func watched() *rundoc.Run {
	own := timed(41*us, 41*us)
	own.Free = nil
	return &rundoc.Run{
		Plan: []byte(`{"load":{"rate_per_s":10}}`), Definitions: map[string]int{rundoc.FigureOwnStart: 2}, Ledger: rundoc.Ledger{WindowNS: 10_000 * ms},
		Operations: []rundoc.Operation{{Name: "send", Scheduled: 20_000}},
		Generator: rundoc.Generator{
			CPUs: 2, CPUUserNS: 1500 * ms, CPUSystemNS: 500 * ms, CPUShare: 0.1, Processors: []float64{0.12, 0.97},
			GCPauseNS: 310 * us, GCShare: 0.012, RunDelayNS: new(4000 * ms), ThrottledNS: new(int64(0)),
			MaxRSSBytes: 38 << 20, SendDelayP99NS: 1900 * ms, OwnDelayP99NS: 310 * us, OwnLate: new(int64(1)),
			OwnDelay: &own, OwnTimeNS: 41 * ms, ResponseTimeNS: 4100 * ms,
			Hiccups: &rundoc.Hiccups{
				Lateness: timed(1100*us, 1100*us), Gaps: 3, GapsNS: 1080 * ms, LongNS: 1000 * ms,
				Longest: []rundoc.Gap{{AtNS: 1, NS: 30 * ms}, {AtNS: 50 * ms, NS: 1000 * ms}},
			},
			Pacing: "spin",
			Stamps: &rundoc.Stamps{Used: 19_990, Missing: 7, Refused: 3},
		},
	}
}

func instrumentOf(run *rundoc.Run) map[string]string {
	rows := map[string]string{}
	s := NewView(run, Kind{}, Options{}).Instrument()
	for _, r := range s.Tables[0].rows {
		rows[r[0]] = r[1]
	}
	return rows
}

func TestInstrument(t *testing.T) {
	want := map[string]string{
		"CPU":                 "1.50 s user, 500 ms system; 10.0% of 2 CPUs available",
		"busiest CPU":         "97.0% busy, of 2 available CPUs",
		"GC pauses":           "310 µs, 0.003% of the window; 1.2% of the generator's CPU time",
		"throttled":           "none",
		"run delay":           "4.00 s, 400 ms per second, 200.0% of the generator's CPU time",
		"pauses":              "1.08 s in 3 pauses, 10.8% of the window; longest 1.00 s",
		"timer wake-up delay": "p99 1.10 ms, max 1.10 ms",
		"memory":              "38.0 MiB peak",
		"generator delay":     "p50 41.0 µs, p99 41.0 µs; 1.0% of all response time",
		"start delay":         "p99 310 µs, 1 operation started late",
		"send delay":          "p99 1.90 s",
		"pacing":              "spin before each start",
		"kernel timestamps":   "19,990 used, 7 missing, 3 refused",
		"clock step":          "none",
	}
	if diff := cmp.Diff(want, instrumentOf(watched())); diff != "" {
		t.Error(diff)
	}
}

// What was not measured is not shown, and what was and did not happen is.
func TestInstrumentAbsent(t *testing.T) {
	run := watched()
	g := &run.Generator
	*g = rundoc.Generator{CPUs: 2, Unseen: []string{"run delay: no schedstat", "kernel stamps: not \x1b[1mlinux"}}
	run.Plan = nil
	want := map[string]string{
		"CPU": "< 10.0 ms user, < 10.0 ms system; 0% of 2 CPUs available", "GC pauses": "none",
		"clock step": "none", "not checked": "run delay: no schedstat; kernel timestamps: not ?[1mlinux",
	}
	if diff := cmp.Diff(want, instrumentOf(run)); diff != "" {
		t.Error(diff)
	}
	g.Hiccups, g.RunDelayNS, g.Stamps = &rundoc.Hiccups{}, new(int64(0)), &rundoc.Stamps{}
	rows := instrumentOf(run)
	if rows["pauses"] != "none" || rows["run delay"] != "none" || rows["kernel timestamps"] != "" {
		t.Errorf("%q", rows)
	}
}

func TestVerdictAsFarAsSeen(t *testing.T) {
	v := &View{Run: &rundoc.Run{}, Verdict: rundoc.Verdict{Validity: rundoc.Seen, Unseen: []string{"a: b", "c: d"}}}
	f := v.VerdictAnswer()
	if !strings.HasPrefix(f.Value, "VALID (limited checks): ") || len(f.Points) != 1 || f.Points[0] != "not checked: a: b; c: d" {
		t.Errorf("%+v", f)
	}
	v.Verdict.Unseen = []string{"a: one", "b: other: x", "c: one", "d"}
	if got := v.VerdictAnswer().Points; len(got) != 1 || got[0] != "not checked: a, c: one; b: other: x; d" {
		t.Errorf("%q", got)
	}
	v.Verdict = rundoc.Verdict{Validity: rundoc.Valid}
	if f := v.VerdictAnswer(); !strings.HasPrefix(f.Value, "VALID: ") || len(f.Points) != 0 {
		t.Errorf("%+v", f)
	}
}

// Kinds whose arrivals the kernel cannot stamp say so, and nothing twice where it could and did not.
func TestStamps(t *testing.T) {
	run := watched()
	g := &run.Generator
	g.Stamps = nil
	const none = "not available for this kind of traffic; times end when the generator reads a response"
	if got := instrumentOf(run)["kernel timestamps"]; got != none {
		t.Errorf("%q", got)
	}
	for name, change := range map[string]func(){
		"named":            func() { g.Unseen = []string{"kernel stamps: not linux"} },
		"no own delay":     func() { g.Unseen, g.OwnDelay = nil, nil },
		"before the rules": func() { g.OwnDelay, g.Hiccups = &rundoc.Summary{}, nil },
	} {
		if change(); instrumentOf(run)["kernel timestamps"] != "" {
			t.Errorf("%s: %q", name, instrumentOf(run)["kernel timestamps"])
		}
	}
}

// The free figures cannot tell what the target did with all that came at once; a report says so only where
// anything did.
func TestCaughtUp(t *testing.T) {
	note := func(change func(*rundoc.Run)) string {
		run := watched()
		change(run)
		return NewView(run, Kind{}, Options{}).caughtUp()
	}
	const about = "After its longest pause (1.00 s) the generator sent about 2,000 operations that had waited, "
	for _, c := range []struct {
		change func(*rundoc.Run)
		want   string
	}{
		{func(*rundoc.Run) {}, about + "at once."},
		{func(r *rundoc.Run) { // as a quota makes them
			h := r.Generator.Hiccups
			h.Gaps, h.GapsNS, h.LongNS = 60, 8000*ms, 8000*ms
		}, about + "at once."},
		{func(r *rundoc.Run) { r.Little.Slots = 2000 }, about + "at once."},
		{func(r *rundoc.Run) { r.Little.Slots = 14 }, about + "14 at a time."},
	} {
		if got := note(c.change); !strings.HasPrefix(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	for name, change := range map[string]func(*rundoc.Run){
		"closed model":     func(r *rundoc.Run) { r.Plan = nil },
		"no long gap":      func(r *rundoc.Run) { r.Generator.Hiccups.LongNS = 0 },
		"nothing waited":   func(r *rundoc.Run) { r.Operations[0].Scheduled = 19 },
		"nothing is known": func(r *rundoc.Run) { r.Generator.Hiccups = nil },
	} {
		if got := note(change); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestLittle(t *testing.T) {
	for _, tt := range []struct {
		name   string
		little rundoc.Little
		want   string
	}{
		{"judged", rundoc.Little{Samples: 1000, InFlightSampled: 10.5, InFlightPredicted: 10, Slots: 10},
			"difference +5.00%, limit 2.03%."},
		{"not to be judged", rundoc.Little{Samples: 20, InFlightSampled: 1, InFlightPredicted: 0.5, Variance: 0.5, Slots: 10},
			"too few samples for a comparison."},
		{"few, in an older document", rundoc.Little{Samples: 20, InFlightSampled: 1, InFlightPredicted: 0.5},
			"too few in flight for a comparison."},
		{"judged, in an older document", rundoc.Little{Samples: 2000, InFlightSampled: 10.1, InFlightPredicted: 10},
			"difference +1.00%."},
	} {
		v := &View{Run: &rundoc.Run{Little: tt.little}}
		if s := v.Little(); !strings.HasSuffix(s.Intro[0], tt.want) || len(s.Notes) != 0 {
			t.Errorf("%s: %q %q", tt.name, s.Intro, s.Notes)
		}
	}
	v := &View{Run: &rundoc.Run{Little: rundoc.Little{Samples: 1000, InFlightPredicted: 10, Slots: 10, Dropped: 1}}}
	if s := v.Little(); len(s.Notes) != 1 || s.Notes[0] != "1 sample was too late and left out." {
		t.Errorf("%q", s.Notes)
	}
}
