package setdoc

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/rundoc"
)

// A document whose indexes or lists do not fit each other is rejected.
func TestShapeRejectsInconsistentDocuments(t *testing.T) {
	probes := func(n int) *Loadline {
		return &Loadline{Lowest: 1, Highest: 1, Probes: slices.Repeat([]Probe{{Load: 1}}, n)}
	}
	line := func(edit func(*Loadline)) Set {
		l := &Loadline{Lowest: 2, Highest: 4, SLO: make([]Goal, 3), Probes: []Probe{{Load: 1}, {Load: 1}}}
		edit(l)
		return Set{Kind: KindLoadline, Loadline: l}
	}
	probe := func(p Probe) Set { return line(func(l *Loadline) { l.Probes[1] = p }) }
	sweep := func(edit func(*Sweep)) Set {
		s := &Sweep{Vary: make([]Vary, 3), Rows: []Row{{Values: make([]string, 3)}, {Values: make([]string, 3)}},
			Levels: []Level{{Values: make([]string, 3)}, {Values: make([]string, 3)}}}
		edit(s)
		return Set{Kind: KindSweep, Sweep: s}
	}
	compare := func(edit func(*Comparison)) Set {
		c := &Comparison{Figures: make([]Compared, 3), Launches: make([]Launch, 2), Rows: make([]Contrast, 2)}
		edit(c)
		return Set{Kind: KindCompare, Comparison: c}
	}
	member := func(path string) Set { return Set{Members: []Member{{}, {Path: path}}} }
	launches := func(n int) Set { return Set{Kind: KindLaunches, Launches: &Launches{Range: make([]float64, n)}} }
	type (
		L = *Loadline
		S = *Sweep
		C = *Comparison
	)
	for _, tt := range []struct {
		name string
		set  Set
		want string // "" for none
	}{
		{"nothing", Set{}, ""},
		{"a plan", Set{Kind: KindPlan}, ""},
		{"a member", member("a/b.json"), ""},
		{"a member that was not kept", member(""), ""},
		{"a member elsewhere", member("../b.json"), `the path of member 2, "../b.json", is outside`},
		{"no comparison", Set{Kind: KindCompare}, "its kind is compare, but it contains no comparison"},
		{"no load line", Set{Kind: KindLoadline}, "its kind is loadline, but it contains no load line"},
		{"no launches", Set{Kind: KindLaunches}, "its kind is launches, but it contains no launches"},
		{"no sweep", Set{Kind: KindSweep}, "its kind is sweep, but it contains no sweep"},

		{"launches without an interval", launches(0), ""},
		{"launches with one", launches(2), ""},
		{"launches with half of one", launches(1), "the interval of the launches has 1 ends"},
		{"launches with more than one", launches(3), "the interval of the launches has 3 ends"},

		{"a load line", line(func(L) {}), ""},
		{"one load", line(func(l L) { l.Highest = 2 }), ""},
		{"the highest loads", line(func(l L) { l.Highest = 1e15 }), ""},
		{"higher loads", line(func(l L) { l.Highest = 1.1e15 }), "the bounds of the load are invalid: 2 to 1.1e+15"},
		{"no lowest load", line(func(l L) { l.Lowest = 0 }), "the bounds of the load are invalid: 0 to 4"},
		{"loads the wrong way round", line(func(l L) { l.Highest = 1 }), "the bounds of the load are invalid: 2 to 1"},
		{"a load line with an interval", line(func(l L) { l.Range = make([]float64, 2) }), ""},
		{"a load line with half of one", line(func(l L) { l.Range = make([]float64, 1) }), "the interval of the load line has 1 ends"},
		{"a load line with more than one", line(func(l L) { l.Range = make([]float64, 3) }), "the interval of the load line has 3 ends"},
		{"as many probes as there may be", Set{Loadline: probes(1000)}, ""},
		{"one more", Set{Loadline: probes(1001)}, "it has 1001 probes; the limit is 1000"},
		{"a probe of no load", probe(Probe{}), "probe 2 has the invalid load 0"},
		{"a probe of the highest load", probe(Probe{Load: 1e15}), ""},
		{"a probe of a higher load", probe(Probe{Load: 1.1e15}), "probe 2 has the invalid load 1.1e+15"},
		{"a probe with values", probe(Probe{Load: 1, Values: make([]Known, 3)}), ""},
		{"a probe with one value", probe(Probe{Load: 1, Values: make([]Known, 1)}), "probe 2 has 1 values for 3 conditions"},
		{"a drift", line(func(l L) { l.Drift = []int{0, 2} }), ""},
		{"a drift before the first", line(func(l L) { l.Drift = []int{-1} }), "the drift refers to probe 0 of 2"},
		{"a drift after the last", line(func(l L) { l.Drift = []int{3} }), "the drift refers to probe 4 of 2"},

		{"a sweep", sweep(func(S) {}), ""},
		{"a row with one value", sweep(func(s S) { s.Rows[1].Values = make([]string, 1) }), "row 2 has 1 values for 3 settings"},
		{"an order", sweep(func(s S) { s.Order = []int{0, 1} }), ""},
		{"an order from before the first", sweep(func(s S) { s.Order = []int{-1} }), "the order refers to row 0 of 2"},
		{"an order beyond the last", sweep(func(s S) { s.Order = []int{2} }), "the order refers to row 3 of 2"},
		{"a level with one value", sweep(func(s S) { s.Levels[1].Values = make([]string, 1) }), "level 2 has 1 values for 3 settings"},
		{"a level with an interval", sweep(func(s S) { s.Levels[1].Interval = make([]float64, 2) }), ""},
		{"a level with half of one", sweep(func(s S) { s.Levels[1].Interval = make([]float64, 1) }), "the interval of level 2 has 1 ends"},
		{"a level with more than one", sweep(func(s S) { s.Levels[1].Interval = make([]float64, 3) }), "the interval of level 2 has 3 ends"},
		{"the first and last levels", sweep(func(s S) { s.Peak, s.Best, s.FailsFrom, s.Base = new(0), new(1), new(1), &Base{Level: 0} }), ""},
		{"a peak before the first", sweep(func(s S) { s.Peak = new(-1) }), "peak refers to level 0 of 2"},
		{"a best beyond the last", sweep(func(s S) { s.Best = new(2) }), "best refers to level 3 of 2"},
		{"a failure beyond the last", sweep(func(s S) { s.FailsFrom = new(2) }), "fails_from refers to level 3 of 2"},
		{"a base beyond the last", sweep(func(s S) { s.Base = &Base{Level: 2} }), "base refers to level 3 of 2"},

		{"a comparison", compare(func(C) {}), ""},
		{"the other side first", compare(func(c C) { c.Launches[1].First = 1 }), ""},
		{"a third side first", compare(func(c C) { c.Launches[1].First = 2 }), "launch 2 starts with side 3 of 2"},
		{"no side first", compare(func(c C) { c.Launches[1].First = -1 }), "launch 2 starts with side 0 of 2"},
		{"others used all", compare(func(c C) { c.Launches[0].Others, c.Launches[1].Others = new(0.0), new(1.0) }), ""},
		{"others used more", compare(func(c C) { c.Launches[1].Others = new(1.1) }), "launch 2: the CPU share of other programs, 1.1, "},
		{"others used less than nothing", compare(func(c C) { c.Launches[1].Others = new(-0.1) }), "other programs, -0.1, "},
		{"values", compare(func(c C) { c.Launches[1].Values[1] = make([]Known, 3) }), ""},
		{"one value", compare(func(c C) { c.Launches[1].Values[1] = make([]Known, 1) }), "launch 2 has 1 values of side 2 for 3 metrics"},
		{"rows of the first and last figures", compare(func(c C) { c.Rows[1].Figure = 2 }), ""},
		{"a row of one before the first", compare(func(c C) { c.Rows[1].Figure = -1 }), "row 2 refers to metric 0 of 3"},
		{"a row of one beyond the last", compare(func(c C) { c.Rows[1].Figure = 3 }), "row 2 refers to metric 4 of 3"},
	} {
		err := tt.set.shape()
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestValidityIsTheWorstOfTheMembers(t *testing.T) {
	members := func(n int, some ...rundoc.Validity) (all []Member) {
		for _, v := range some {
			all = append(all, Member{Verdict: rundoc.Verdict{Validity: v}})
		}
		for len(all) < n {
			all = append(all, Member{Verdict: rundoc.Verdict{Validity: rundoc.Valid}})
		}
		return all
	}
	for _, tt := range []struct {
		name     string
		members  []Member
		compared bool
		want     rundoc.Validity
	}{
		{"nothing", nil, false, ""},
		{"nothing compared", nil, true, ""},
		{"one valid", members(1), false, rundoc.Valid},
		{"one as far as seen", members(2, rundoc.Seen), false, rundoc.Seen},
		{"one suspect", members(3, rundoc.Suspect, rundoc.Seen), true, rundoc.Suspect},
		{"one invalid", members(20, rundoc.Invalid), false, rundoc.Invalid},
		{"one invalid of twenty compared", members(20, rundoc.Invalid), true, rundoc.Suspect},
		{"one invalid of nineteen compared", members(19, rundoc.Invalid), true, rundoc.Invalid},
		{"two invalid of forty compared", members(40, rundoc.Invalid, rundoc.Invalid), true, rundoc.Suspect},
		{"none invalid of twenty compared", members(20), true, rundoc.Valid},
	} {
		s := Set{Members: tt.members}
		if tt.compared {
			s.Comparison = new(Comparison)
		}
		if got := s.Validity(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestWriteThenReadKeepsTheSet(t *testing.T) {
	here := time.FixedZone("here", 3600)
	moment := time.Date(2026, 11, 1, 1, 0, 0, 0, here)
	set := &Set{ID: "x", Kind: KindCompare, Started: moment, Ended: moment, Members: []Member{{ID: "m", Started: moment}}, Sweep: new(Sweep),
		Comparison: &Comparison{Launches: make([]Launch, 1), Sides: [2]Side{{Plan: []byte(`7`)}}},
		Launches:   new(Launches), Loadline: &Loadline{Lowest: 1, Highest: 2}}
	var text bytes.Buffer
	if err := Write(&text, set); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"schema": "plimsoll.set/v1"`, `"2026-11-01T00:00:00Z"`, `"vary": []`, `"order": []`, `"levels": []`,
		`"looks": []`, `"alphas": []`, `"figures": []`, `"plan": 7`, `"plan": {}`, `"slo": []`, `"probes": []`, `"reasons": []`, `"m"`} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%s is not in %s", want, text.String())
		}
	}
	if strings.Contains(strings.Replace(text.String(), `"plan": null`, "", 1), "null") { // nobody says what was asked for
		t.Errorf("null is in %s", text.String())
	}
	if set.Schema != "" || set.Comparison.Launches[0].Values[0] != nil || set.Sweep.Rows != nil || set.Members[0].Started.Location() != here {
		t.Error("the set itself is another one")
	}
	path := filepath.Join(t.TempDir(), "set.json")
	if err := WriteFile(path, set); err != nil {
		t.Fatal(err)
	}
	if written, err := os.ReadFile(path); err != nil || !bytes.Equal(written, text.Bytes()) {
		t.Errorf("%v: the file has %s", err, written)
	}
	for name, read := range map[string]func() (*Set, error){
		"a text": func() (*Set, error) { return Read(bytes.NewReader(text.Bytes())) },
		"a file": func() (*Set, error) { return ReadFile(path) },
	} {
		if got, err := read(); err != nil || got == nil || got.ID != "x" {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for bad, want := range map[string]string{
		`{"schema":"plimsoll.set/v1","members":5}`:                                   "cannot unmarshal",
		`{"schema":"plimsoll.set/v9","kind":"sweep"}`:                                "another version",
		`{"schema":"plimsoll.set/v1","kind":"sweep"}`:                                "its kind is sweep, but it contains no sweep",
		`{"kind":"sweep"}`:                                                           "it has no schema",
		`{"schema":"plimsoll.set/v1","kind":"plan"`:                                  "unexpected end",
		`{"schema":"plimsoll.run/v1","kind":"sweep"}`:                                "plimsoll.run/v1",
		`{"schema":"plimsoll.set/v1","kind":"loadline"}`:                             "contains no load line",
		`{"schema":"plimsoll.set/v1","kind":"compare"}`:                              "contains no comparison",
		`{"schema":"plimsoll.set/v1","kind":["launches"]}`:                           "cannot unmarshal",
		`{"schema":"plimsoll.set/v1","kind":"launches","launches":{"interval":[1]}}`: "has 1 ends",
	} {
		if got, err := Read(strings.NewReader(bad)); err == nil || got != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", bad, got, err)
		}
		if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadFile(path); err == nil || got != nil {
			t.Errorf("a file with %s: %v", bad, got)
		}
	}
}
