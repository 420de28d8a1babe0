package loadline_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/loadline"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// TestGrowthFrom: worked out by hand, from how many a queue is one that grew: 0.5 % of what was due, 25 ms of the load, or
// three times the root of what is under way in a steady state, which is load × mean time.
func TestGrowthFrom(t *testing.T) {
	for _, tt := range []struct {
		seconds, scheduled, ns, left, count int64
		want                                float64
	}{
		{10, 10_000, 10e6, 60, 1, 0}, {10, 10_000, 10e6, 61, 1, 10.2}, // 10 + 50
		{1, 1000, 10e6, 35, 1, 0}, {1, 1000, 10e6, 36, 1, 52}, // 10 + 25
		{10, 10_000, 2000e6, 2134, 1, 0}, {10, 10_000, 2000e6, 2135, 1, 27}, // 2000 + 134.2
		{10, 100, 1e6, 3, 1, 0}, {10, 100, 1e6, 4, 1, 0.798}, // 0.01 + 3, as what is under way counts as one at least
		{10, 10_000, 10e6, 5000, 0, 0}, {0, 10_000, 10e6, 5000, 1, 0},
	} {
		run := &rundoc.Run{Ledger: rundoc.Ledger{WindowNS: tt.seconds * second}, Series: []rundoc.Point{{OK: 1}, {OK: tt.scheduled - tt.left - 2, Failed: 1}}}
		total := &rundoc.Operation{Scheduled: tt.scheduled, ResponseTime: rundoc.Summary{Count: tt.count, MeanNS: tt.ns}}
		if got := loadline.Growth(run, total); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%+v: %v", tt, got)
		}
		total.Unsent, total.Carried, total.Scheduled = 7, 9, tt.scheduled-2
		if got := loadline.Growth(run, total); tt.want > 0 && math.Abs(got-tt.want) > 0.01*tt.want {
			t.Errorf("%+v, with those carried over and those unsent: %v", tt, got)
		}
	}
}

// TestWhatAProbeHas: its rate and how many slots it used are known where the run says enough.
func TestWhatAProbeHas(t *testing.T) {
	for _, tt := range []struct {
		name        string
		edit        func(*rundoc.Run)
		rate, slots float64 // 0: not known
	}{
		{"all", func(*rundoc.Run) {}, 400, 0.25},
		{"one slot", func(r *rundoc.Run) { r.Little.Slots = 1 }, 400, 5},
		{"no slots", func(r *rundoc.Run) { r.Little.Slots = 0 }, 400, 0},
		{"nothing in flight", func(r *rundoc.Run) { r.Little.InFlightSampled = 0 }, 400, 0},
		{"closed", func(r *rundoc.Run) { r.Plan = []byte("{}") }, 1000, 0},
		{"one ok", func(r *rundoc.Run) { r.Operations[0].OK = 1 }, 400, 0.25},
		{"none ok", func(r *rundoc.Run) { r.Operations[0].OK = 0 }, 0, 0.25},
		{"no window", func(r *rundoc.Run) { r.Ledger.WindowNS = 0 }, 0, 0.25},
	} {
		p := loadline.ProbeOf(open(func(r *rundoc.Run) {
			r.Operations[0].RatePerS, r.Little.Slots, r.Little.InFlightSampled = 400, 20, 5
			tt.edit(r)
		}), nil, 1000)
		if (p.Rate == nil) != (tt.rate == 0) || p.Rate != nil && *p.Rate != tt.rate || (p.SlotsUsed == nil) != (tt.slots == 0) ||
			p.SlotsUsed != nil && *p.SlotsUsed != tt.slots {
			t.Errorf("%s: %+v", tt.name, p)
		}
	}
	// One that was due and not sent is enough, and of what did not end ok more than half.
	busy := func(r *rundoc.Run) {
		r.Operations[0].OK, r.Operations[0].Unsent = 9999, 1
		r.Ledger.States = map[string]int64{rundoc.StateAwaiting: 200 * second}
	}
	if p := loadline.ProbeOf(open(busy), nil, 1000); p.Result != setdoc.ProbeFailed || !slices.Equal(p.Missed, []string{setdoc.MissedSending}) {
		t.Errorf("one that was not sent: %+v", p)
	}
	late := func(r *rundoc.Run) { busy(r); *r.Generator.OwnLate = 500 }
	if p := loadline.ProbeOf(open(late), nil, 1000); p.Result != setdoc.ProbeTellsNothing || !p.Own || !strings.HasPrefix(p.Why, "1 of 10,000 operations were") {
		t.Errorf("one that was not sent, late: %+v", p)
	}
	if p := loadline.ProbeOf(open(func(r *rundoc.Run) { late(r); r.Plan = []byte("{}") }), nil, 1000); p.Result != setdoc.ProbeMet {
		t.Errorf("closed: %+v", p)
	}
	for ok, want := range map[int64]string{9: setdoc.ProbeTellsNothing, 10: setdoc.ProbeTellsNothing, 8: setdoc.ProbeFailed, 13: setdoc.ProbeTellsNothing} {
		p := loadline.ProbeOf(open(func(r *rundoc.Run) {
			o := &r.Operations[0]
			o.Scheduled, o.OK, o.Failed, o.ResponseTime, r.Series = 18, ok, 18-ok, timesOf(ok, 10e6), nil
			o.Causes = []rundoc.Cause{{Cause: "first", Count: 1}, {Cause: "second", Count: 1}}
		}), goals(t, "p50<50ms"), 1000)
		if p.Result != want || want == setdoc.ProbeFailed && !strings.HasSuffix(p.Why, "10 of 18 operations did not end ok, most often by first") {
			t.Errorf("%d of 18 ok: %+v", ok, p)
		}
	}
	alone := func(r *rundoc.Run) { busy(r); r.Operations[0].Scheduled, r.Operations[0].OK = 1, 0 }
	if p := loadline.ProbeOf(open(alone), nil, 1000); p.Result != setdoc.ProbeFailed {
		t.Errorf("one that was due, and was not sent: %+v", p)
	}
	carried := func(r *rundoc.Run) {
		r.Operations[0].Scheduled, r.Operations[0].Carried, r.Series = 0, 100, r.Series[:1]
		r.Series[0].OK = 1
	}
	if p := loadline.ProbeOf(open(carried), nil, 1000); p.Result != setdoc.ProbeMet {
		t.Errorf("none was due: %+v", p)
	}
	rate := loadline.ProbeOf(open(func(r *rundoc.Run) { *r.Generator.OwnLate = 500 }), goals(t, "rate>2000/s"), 1000)
	if !strings.HasSuffix(rate.Why, "the generator started operations late for its own reasons, and that may be why") {
		t.Error(rate.Why)
	}
}

// TestProcessorsInFigures: each share is of what it says.
func TestProcessorsInFigures(t *testing.T) {
	run := &rundoc.Run{Plan: []byte(`{"load":{"rate_per_s":100}}`), Host: rundoc.Host{CPUs: 2}, Ledger: rundoc.Ledger{Clients: 2, WindowNS: 1e9},
		Generator: rundoc.Generator{CPUShare: 0.21, CPUs: 2, MachineShare: 0.97}, Target: rundoc.Target{SameHost: true, CPUUserNS: 6e8, CPUSystemNS: 4e7}}
	of := func() string { return loadline.Processors(&setdoc.Loadline{Unit: "x/s"}, 100, run) }
	if got := of(); !strings.HasPrefix(got, "At 100 x/s, the lowest load that failed, the generator used 21 % of 2 CPUs, the target 32 % of 2") {
		t.Error(got)
	}
	run.Target.CPUUserNS, run.Target.CPUSystemNS = 0, 0
	if got := of(); !strings.Contains(got, "21 % of 2 CPUs. This machine was 97 % busy, and how much of that") {
		t.Error(got)
	}
	run.Target.CPUUserNS = 1
	if got := of(); !strings.Contains(got, ", the target 0 % of 2") || !strings.Contains(got, "this machine was 97 % busy, and other programs used") {
		t.Error(got)
	}
}

// TestReasonsOfTheVerdict: it says of how many probes what was found, of those that met the SLO where some did.
func TestReasonsOfTheVerdict(t *testing.T) {
	set := &setdoc.Set{Loadline: &setdoc.Loadline{}}
	for i, v := range []rundoc.Validity{rundoc.Valid, rundoc.Suspect, rundoc.Invalid, rundoc.Seen, rundoc.Valid, ""} {
		id := fmt.Sprint(i)
		set.Members = append(set.Members, setdoc.Member{ID: id, Verdict: rundoc.Verdict{Validity: v}})
		set.Loadline.Probes = append(set.Loadline.Probes, setdoc.Probe{Member: id, Result: setdoc.ProbeFailed})
	}
	v := loadline.Verdict(set)
	want := fmt.Sprintf("1 of 5 probes: %s.; 1 of 5 probes: %s.; 1 of 5 probes: %s.", rundoc.Invalid, rundoc.Suspect, rundoc.Seen)
	if got := strings.Join(v.Reasons, "; "); got != want || v.Validity != rundoc.Suspect { // 2 of 5 are suspect or worse
		t.Errorf("%s: %s, want %s", v.Validity, got, want)
	}
	set.Loadline.Probes[1].Result = setdoc.ProbeMet
	v = loadline.Verdict(set)
	if got := strings.Join(v.Reasons, "; "); got != "1 of 1 probes that met the SLO: suspect." || v.Validity != rundoc.Suspect {
		t.Errorf("%s: %s", v.Validity, got)
	}
	set.Loadline.Probes[1].Result, set.Loadline.Probes[0].Result = setdoc.ProbeFailed, setdoc.ProbeMet
	if v := loadline.Verdict(set); v.Validity != rundoc.Valid || len(v.Reasons) > 0 {
		t.Errorf("%+v", v)
	}
}

// TestRereadMember: what a set says of a probe is what the document of its run says, figure by figure.
func TestRereadMember(t *testing.T) {
	again := func(change func(*setdoc.Set, *rundoc.Run)) []string {
		run := open(func(r *rundoc.Run) { r.Operations[0].RatePerS, r.Little.Slots, r.Little.InFlightSampled = 400, 20, 5 })
		run.Verdict.Validity = rundoc.Valid
		slo := []setdoc.Goal{{Expr: "p99<5ms"}}
		p := loadline.ProbeOf(run, goals(t, "p99<5ms"), 1000)
		set := &setdoc.Set{Loadline: &setdoc.Loadline{Rules: loadline.Rules, SLO: slo, Probes: []setdoc.Probe{{Member: "other"}, p}}}
		m := setdoc.Member{ID: "run", Path: "members/run", Verdict: rundoc.Verdict{Validity: rundoc.Valid}}
		set.Members = []setdoc.Member{m}
		change(set, run)
		return loadline.RereadMember(set, &set.Members[0], run, figure.Known{})
	}
	probe := func(change func(*setdoc.Probe)) func(*setdoc.Set, *rundoc.Run) {
		return func(s *setdoc.Set, _ *rundoc.Run) { change(&s.Loadline.Probes[1]) }
	}
	const wrong = "probe 2 is not what the document of its run says, run"
	for name, tt := range map[string]struct {
		change func(*setdoc.Set, *rundoc.Run)
		want   string
	}{
		"nothing":      {func(*setdoc.Set, *rundoc.Run) {}, ""},
		"another run":  {func(_ *setdoc.Set, r *rundoc.Run) { r.ID = "x" }, `members/run is the document of another run, "x"`},
		"verdict":      {func(s *setdoc.Set, _ *rundoc.Run) { s.Members[0].Verdict.Validity = "suspect" }, "run is valid by its own document, and the set says suspect"},
		"result":       {probe(func(p *setdoc.Probe) { p.Result = setdoc.ProbeMet }), wrong},
		"generator":    {probe(func(p *setdoc.Probe) { p.Own = true }), wrong},
		"missed":       {probe(func(p *setdoc.Probe) { p.Missed = nil }), wrong},
		"value":        {probe(func(p *setdoc.Probe) { p.Values = []setdoc.Known{{Value: new(1.0)}} }), wrong},
		"rate":         {probe(func(p *setdoc.Probe) { p.Rate = new(401.0) }), wrong},
		"rate, a bit":  {probe(func(p *setdoc.Probe) { p.Rate = new(400.01) }), wrong},
		"last digits":  {probe(func(p *setdoc.Probe) { p.Rate = new(400.0001) }), ""},
		"slots":        {probe(func(p *setdoc.Probe) { p.SlotsUsed = nil }), wrong},
		"length":       {probe(func(p *setdoc.Probe) { p.LengthNS++ }), wrong},
		"why":          {probe(func(p *setdoc.Probe) { p.Why = "other words" }), ""},
		"other rules":  {func(s *setdoc.Set, _ *rundoc.Run) { s.Loadline.Rules++; s.Loadline.Probes[1].LengthNS++ }, ""},
		"other goals":  {func(s *setdoc.Set, _ *rundoc.Run) { s.Loadline.SLO[0].Expr = "x<1"; s.Loadline.Probes[1].LengthNS++ }, ""},
		"no such":      {func(s *setdoc.Set, _ *rundoc.Run) { s.Loadline.Probes[1].Member = "gone" }, ""},
		"in the first": {func(s *setdoc.Set, _ *rundoc.Run) { s.Loadline.Probes[0].Member = "run" }, strings.Replace(wrong, "2", "1", 1)},
	} {
		if got := strings.Join(again(tt.change), "; "); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	if _, err := loadline.Goals([]setdoc.Goal{{Expr: "p99<1ms"}, {Expr: "x<1"}}, figure.Known{}); err == nil || !strings.HasPrefix(err.Error(), `"x<1": `) {
		t.Errorf("%v", err)
	}
}

// TestWordsOfASearch: an amount is in its unit, and what is told of a search is of its last probes.
func TestWordsOfASearch(t *testing.T) {
	for _, tt := range []struct {
		unit  string
		whole bool
		load  float64
		want  string
	}{{"clients", true, 1, "1 client"}, {"clients", true, 2, "2 clients"}, {"clients", true, 0.6, "1 client"}, {"requests/s", false, 1, "1.00 requests/s"},
		{"", false, 1000, "1,000"}, {"steps", false, 1, "1.00 steps"}} {
		if got := loadline.Amount(&setdoc.Loadline{Unit: tt.unit, Whole: tt.whole}, tt.load); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
	for text, want := range map[string][]string{
		`a{x="1,2"},b`: {`a{x="1,2"}`, "b"}, `a{x='1}",2'},b`: {`a{x='1}",2'}`, "b"}, `a#,b`: {"a#", "b"}, `a{x=#,2},b`: {"a{x=#,2}", "b"},
		`a{x=(,2},b`: {"a{x=(,2}", "b"}, `a",b`: {`a"`, "b"},
	} {
		if got := loadline.Split(text); !slices.Equal(got, want) {
			t.Errorf("%s: %q", text, got)
		}
	}
	line := asked()
	failed := func(why string) setdoc.Probe {
		return setdoc.Probe{Load: line.Start, Result: setdoc.ProbeFailed, Why: why}
	}
	line.Probes = []setdoc.Probe{failed("first"), failed("second"), failed("")}
	doc := loadline.Analyze(&line)
	if doc.Ending != setdoc.LineCutShort || doc.Why != "The search was cut short, since nothing ended ok in two probes in a row: second." {
		t.Errorf("%s: %s", doc.Ending, doc.Why)
	}
	line.Probes = []setdoc.Probe{failed("only")}
	if doc := loadline.Analyze(&line); doc.Why != "The search was cut short." {
		t.Error(doc.Why)
	}
	for n, want := range map[int]string{1: "1 probe told nothing, since the generator did not keep time: it was made again.",
		2: "2 probes told nothing, since the generator did not keep time: they were made again."} {
		line.Probes = nil
		for i := range n {
			line.Probes = append(line.Probes, setdoc.Probe{Load: float64(i + 1), Result: setdoc.ProbeTellsNothing, Own: true})
		}
		if doc := loadline.Analyze(&line); len(doc.Doubts) != 1 || doc.Doubts[0] != want {
			t.Errorf("%q", doc.Doubts)
		}
	}
}

// TestRereadOfOtherRules: whose probes are none of its runs is said of a set by whatever rules it was made.
func TestRereadOfOtherRules(t *testing.T) {
	for _, rules := range []int{loadline.Rules, loadline.Rules + 1} {
		set := searched(asked(), func(at int, load float64) setdoc.Probe {
			return setdoc.Probe{Member: fmt.Sprint("run ", at), Load: load, Result: setdoc.ProbeFailed}
		})
		set.Loadline.Rules = rules
		set.Members[0].ID, set.Loadline.Probes[0].Member = "", ""
		set.Loadline.Probes[1].Member = "gone"
		got := strings.Join(loadline.Reread(set), "; ")
		if !strings.Contains(got, "probe 1 is of a run that is none of its members") || !strings.Contains(got, "probe 2 is of a run") {
			t.Errorf("rules %d: %q", rules, got)
		}
	}
}
