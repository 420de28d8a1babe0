package junit

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// How a command went is bad where its status says so and no other case does; why is said of what is bad, always.
func TestEnding(t *testing.T) {
	const none = "it did not go as it should"
	for _, one := range []struct {
		exit    fault.Code
		said    string
		others  counts
		result  Result
		message string
	}{
		{fault.OK, "", counts{}, Passed, ""}, {fault.OK, "well", counts{}, Passed, ""},
		{fault.Missed, "p99", counts{}, Failed, "p99"}, {fault.Missed, "", counts{errored: 1, skipped: 1}, Failed, none},
		{fault.Missed, "p99", counts{failed: 1}, Passed, ""}, {fault.Untrusted, "late", counts{errored: 1}, Passed, ""},
		{fault.Untrusted, "late", counts{failed: 1}, Errored, "late"}, {fault.RunFailed, "", counts{}, Errored, none},
		{fault.RunFailed, "refused", counts{failed: 1, errored: 1}, Errored, "refused"},
		{fault.Interrupted, "stopped", counts{failed: 1, errored: 1}, Errored, "stopped"},
	} {
		want := Case{Name: "run", Result: one.result, Message: one.message}
		if one.said != "" {
			want.Lines = []string{one.said}
		}
		if diff := cmp.Diff(want, ending("run", one.exit, one.said, one.others)); diff != "" {
			t.Errorf("%+v: %s", one, diff)
		}
	}
}

// A run that nobody has named is called by its kind and its load.
func TestNameOf(t *testing.T) {
	for want, run := range map[string]*rundoc.Run{
		"run": {}, "chat": {Workload: "chat", Plan: []byte(`{}`)}, "http 500/s": aLoad("http", `{"rate_per_s":500}`, 8),
		"http 0.5/s":          aLoad("http", `{"rate_per_s":0.5}`, 0),
		"http in stages":      aLoad("http", `{"rate_per_s":500,"stages":[{}]}`, 8),
		"chat 1 client":       aLoad("chat", `{"rate_per_s":0,"stages":[]}`, 1),
		"run 1,000 clients":   aLoad("", `{}`, 1000),
		"http":                aLoad("http", `7`, 8), // a load of another shape
		"chat\ufffd 1 client": aLoad("chat\xff", `{}`, 1),
	} {
		if got := NameOf(run); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func aLoad(kind, load string, clients int) *rundoc.Run {
	return &rundoc.Run{Workload: kind, Plan: []byte(`{"load":` + load + `}`), Ledger: rundoc.Ledger{Clients: clients}}
}

// A set is called by its kind and that of its runs.
func TestNameOfSet(t *testing.T) {
	for want, set := range map[string]*setdoc.Set{
		"set": {}, "plan": {Kind: "plan"}, "sweep a": {Kind: "sweep", Sweep: &setdoc.Sweep{Workload: "a"}},
		"x b": {Kind: "x", Comparison: &setdoc.Comparison{Workload: "b"}},
		"x c": {Kind: "x", Loadline: &setdoc.Loadline{Workload: "c"}},
		"x d": {Kind: "x", Launches: &setdoc.Launches{Workload: "d"}},
	} {
		if got := nameOfSet(set); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What is bad in a run of a set counts, but for what a search finds its way by, and the few of many that are invalid.
func TestWhatCountsOfTheRunsOfASet(t *testing.T) {
	invalid, valid, suspect := rundoc.Invalid, rundoc.Valid, rundoc.Suspect
	compare, line := setdoc.Set{Comparison: &setdoc.Comparison{}}, setdoc.Set{Loadline: &setdoc.Loadline{}}
	for i, one := range []struct {
		set         setdoc.Set
		of, member  rundoc.Validity
		exit        fault.Code
		run, others bool // they count
	}{
		{setdoc.Set{}, valid, invalid, fault.Untrusted, true, true}, {setdoc.Set{}, suspect, valid, fault.Missed, true, true},
		{line, valid, invalid, fault.Untrusted, true, false}, {line, invalid, valid, fault.Missed, true, false},
		{compare, valid, invalid, fault.Untrusted, false, false}, {compare, suspect, invalid, fault.RunFailed, false, false},
		{compare, valid, invalid, fault.Interrupted, true, true}, {compare, invalid, invalid, fault.Untrusted, true, true},
		{compare, valid, valid, fault.Missed, true, true}, {compare, valid, suspect, fault.RunFailed, true, true},
	} {
		set, m := one.set, setdoc.Member{Name: "m", Exit: int(one.exit), Verdict: rundoc.Verdict{Validity: one.member},
			Thresholds: goals()[1:2]}
		set.Verdict.Validity = one.of
		for _, c := range memberSuite(&set, &m).Cases {
			want := one.others
			if c.Name == caseRun {
				want = one.run
			}
			if c.Result != Passed && (c.Result != Skipped) != want {
				t.Errorf("%d: %+v, and it counts: %v", i, c, want)
			}
		}
	}
}

// Suites of one name are told apart, also from that of the set; the length of a probe is its own, and no part of the set's.
func TestSuitesOfASet(t *testing.T) {
	set := aLine(0, setdoc.LineFound, "")
	set.Started, set.Ended = time.Unix(100, 0), time.Unix(110, 0)
	set.Members[0].Name, set.Members[1].Name = "loadline http", "loadline http"
	set.Members = append(set.Members, setdoc.Member{Workload: "http"}, setdoc.Member{})
	set.Loadline.Probes = append(set.Loadline.Probes, setdoc.Probe{LengthNS: 7e9})
	var got []string
	for _, s := range OfSet(set, nil).Suites {
		got = append(got, strings.TrimSpace(s.Name+" "+s.Length.String()))
	}
	want := []string{"loadline http 9s", "loadline http (2) 1s", "loadline http (3) 0s", "http 0s", "run 0s"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// How a set went that failed is no second error beside that of a run; one that was interrupted is one.
func TestHowASetWent(t *testing.T) {
	for _, one := range []struct {
		exit    fault.Code
		members []fault.Code
		want    Result
		errored int
	}{
		{fault.RunFailed, nil, Errored, 1}, {fault.RunFailed, []fault.Code{fault.OK}, Errored, 1},
		{fault.RunFailed, []fault.Code{fault.OK, fault.RunFailed}, Passed, 1},
		{fault.Interrupted, []fault.Code{fault.RunFailed}, Errored, 2}, {fault.OK, []fault.Code{fault.OK}, Passed, 0},
	} {
		set := &setdoc.Set{Exit: int(one.exit), Error: "why"}
		for _, exit := range one.members {
			set.Members = append(set.Members, setdoc.Member{Exit: int(exit)})
		}
		r := OfSet(set, nil)
		if got := r.Suites[0].Cases[0].Result; got != one.want || r.counts().errored != one.errored {
			t.Errorf("%+v: %v, %+v", one, got, r.counts())
		}
	}
}

// A row has what is known of it: both sides or none, and a ratio with its range or none.
func TestRowText(t *testing.T) {
	v, f := new(2e6), &setdoc.Compared{Figure: setdoc.Figure{Unit: "ns"}}
	for want, row := range map[string]*setdoc.Contrast{
		"worse": {Outcome: "worse"}, "a": {Outcome: "a", A: v, Ratio: v, Low: v}, "b": {Outcome: "b", B: v, Ratio: v, High: v},
		"c": {Outcome: "c", Low: v, High: v}, "d": {Outcome: "d", Ratio: v}, "e: A 2.00 ms, B 4.00 ms": {Outcome: "e", A: v, B: new(4e6)},
		"f": {Outcome: "f", High: v}, "g": {Outcome: "g", Low: v},
		"h, B ÷ A 1.100 (1.000 to 1.200)": {Outcome: "h", Ratio: new(1.1), Low: new(1.0), High: new(1.2)},
	} {
		if got := rowText(row, f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := smallest(&setdoc.Contrast{Smallest: new(0.125)}); got != "12.5 % could have been" {
		t.Error(got)
	}
}

// Where no goal is known to have been the limit, each of them was not met; else those are that were.
func TestGoalsOfASearch(t *testing.T) {
	for _, one := range []struct {
		limits []setdoc.Limit
		want   []Result
	}{
		{nil, []Result{Failed, Failed}}, {[]setdoc.Limit{{By: "p50<1ms"}}, []Result{Failed, Failed}},
		{[]setdoc.Limit{{By: "failed<1%"}}, []Result{Passed, Failed}},
		{[]setdoc.Limit{{By: "p99<50ms"}, {By: "failed<1%"}}, []Result{Failed, Failed}},
	} {
		set := aLine(3, setdoc.LineBelow, "the lowest load fails")
		set.Loadline.Limits = one.limits
		var got []Result
		for _, c := range sloCases(set) {
			got = append(got, c.Result)
		}
		if !slices.Equal(got, one.want) {
			t.Errorf("%+v: %v", one, got)
		}
	}
}

// A length is told where there is one, however short.
func TestTook(t *testing.T) {
	if took(1) != ` time="0.000"` || took(0) != "" || took(-1) != "" || took(1_234_567_890) != ` time="1.235"` {
		t.Error(took(1), took(0), took(-1), took(1_234_567_890))
	}
}
