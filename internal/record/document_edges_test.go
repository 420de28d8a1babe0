package record

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/rundoc"
)

// runOf is what was recorded in a window of a second, of one client that has one slot.
func runOf(r *Recorder, kinds ...Kind) *Run {
	return &Run{Clients: 1, Slots: 1, Kinds: kinds, Window: r, End: 1e9, Begun: make([]int64, len(kinds)),
		Unsent: make([]int64, len(kinds)), Connections: NewConnections()}
}

// What the document has of the run besides its operations.
func TestEdgesOfADocument(t *testing.T) {
	for flows, name := range map[string]string{"": "", "shop": rundoc.States[Pausing]} {
		c := Config{Kinds: []Kind{{Name: "a"}}, Series: true}
		if flows != "" {
			c.Flows = []string{flows}
		}
		run := runOf(New(c), c.Kinds...)
		run.Flows, run.Turns, run.Held = c.Flows, len(c.Flows), 7*time.Second
		run.Phases = []Phase{{Name: "ramp", Started: time.Unix(5, 0), Length: 2 * time.Second, Operations: 9, OK: 8, Inside: 5,
			Mean: 3 * time.Millisecond}, {Name: "none", Inside: 5}}
		doc, err := run.Document()
		if err != nil {
			t.Fatal(err)
		}
		if _, pauses := doc.Ledger.States[rundoc.States[Pausing]]; pauses != (name != "") {
			t.Errorf("flows %q: %v", flows, doc.Ledger.States)
		}
		want := []rundoc.Phase{{Name: "ramp", Started: time.Unix(5, 0), DurationNS: 2e9, Operations: 9, OK: 8, RatePerS: 2.5, MeanNS: 3e6},
			{Name: "none"}}
		if diff := cmp.Diff(want, doc.Phases); diff != "" {
			t.Error(diff)
		}
		if flows == "" && doc.InTurn != nil || flows != "" && (doc.InTurn == nil || *doc.InTurn != rundoc.InTurn{Slices: 1, HeldNS: 7e9}) {
			t.Errorf("flows %q: %+v", flows, doc.InTurn)
		}
		if doc.Total != nil || doc.Operations[0].Stages != nil {
			t.Errorf("of one kind: %+v, %+v", doc.Total, doc.Operations[0].Stages)
		}
	}
	for length, want := range map[int64]float64{-1: 0, 0: 0, 1: 5e9, 2e9: 2.5} {
		if got := perSecond(5, length); got != want {
			t.Errorf("5 in %d ns: %v a second", length, got)
		}
	}
}

// Causes come in the order of how many there were, and those of which there were as many in that of their names.
func TestEdgesOfCauses(t *testing.T) {
	if got := counts(map[string]int64{"a": 1, "c": 3, "b": 3, "d": 9}); !cmp.Equal(got, []rundoc.Cause{{Cause: "d", Count: 9}, {Cause: "b", Count: 3},
		{Cause: "c", Count: 3}, {Cause: "a", Count: 1}}) {
		t.Errorf("%+v", got)
	}
	of := map[string]CauseTime{"a": {1, 10}, "c": {3, 9}, "b": {3, 8}, "d": {9, 4}}
	if got := causeTimes(of, 2); !cmp.Equal(got, []rundoc.CauseTime{{Cause: "d", Count: 9, TimeNS: 2}, {Cause: "b", Count: 3, TimeNS: 4},
		{Cause: "c", Count: 3, TimeNS: 4}, {Cause: "a", Count: 1, TimeNS: 5}}) {
		t.Errorf("%+v", got)
	}
}

// What is in flight by its samples, and by the operations' time.
func TestEdgesOfLittle(t *testing.T) {
	for _, tt := range []struct {
		length, inside        int64
		predicted, difference float64
	}{{0, 250, 0, 0}, {100, 0, 0, 0}, {100, 250, 2.5, 3/2.5 - 1}, {1, 1, 1, 2}, {100, 1, 0.01, 299}} {
		r := New(Config{Kinds: []Kind{{}}})
		r.shards[len(r.shards)-1].inside.Add(tt.inside)
		run := &Run{Clients: 3, Slots: 2, Window: r, Start: 7, End: 7 + tt.length}
		for _, n := range []int64{2, 4} {
			run.InFlight.Add(n)
		}
		run.InFlight.Drop()
		want := rundoc.Little{InFlightSampled: 3, InFlightPredicted: tt.predicted, Difference: tt.difference, Samples: 2, Variance: 2, Slots: 6,
			Dropped: 1}
		if diff := cmp.Diff(want, run.little(), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
			t.Errorf("%+v: %s", tt, diff)
		}
	}
	var g Gauge
	if g.Mean() != 0 || g.Variance() != 0 {
		t.Error("no samples have a mean")
	}
	if g.Add(5); g.Mean() != 5 || g.Variance() != 0 {
		t.Errorf("one sample: %v, %v", g.Mean(), g.Variance())
	}
	if g.Add(6); g.Variance() != 0.5 {
		t.Errorf("two samples: %v", g.Variance())
	}
}

// Each family of times is worked out where it is asked for. In the closed model the service time is asked for by either
// name, and is both.
func TestEdgesOfWhatTimesAreAskedFor(t *testing.T) {
	peertest.NothingRaces(t, "one goroutine records")
	for _, tt := range []struct {
		open bool
		ask  Times
		want [4]bool // service, response, send delay, first attempt
	}{
		{true, Times{}, [4]bool{}}, {true, Times{Service: true}, [4]bool{true}}, {true, Times{Response: true}, [4]bool{false, true}},
		{true, Times{SendDelay: true}, [4]bool{false, false, true}}, {true, Times{FirstAttempt: true}, [4]bool{false, false, false, true}},
		{false, Times{}, [4]bool{}}, {false, Times{Service: true}, [4]bool{true, true}}, {false, Times{Response: true}, [4]bool{true, true}},
		{false, Times{SendDelay: true}, [4]bool{}}, {false, Times{FirstAttempt: true}, [4]bool{false, false, false, true}},
		{true, everyTime, [4]bool{true, true, true, true}}, {false, everyTime, [4]bool{true, true, false, true}},
	} {
		r := New(Config{Kinds: []Kind{{}}, Open: tt.open})
		r.Record(0, &Operation{Attempts: 1, Start: 5, End: 12, Own: 3})
		var o rundoc.Operation
		if err := (timed{run: runOf(r, Kind{}), kinds: []int{0}}).fill(&o, tt.ask); err != nil {
			t.Fatal(err)
		}
		for i, s := range []rundoc.Summary{o.ServiceTime, o.ResponseTime, o.SendDelay, o.FirstAttempt} {
			if (s.Count == 1) != tt.want[i] || (s.Free != nil) != (tt.want[i] && i < 2) {
				t.Errorf("open %v, %+v: summary %d is %+v", tt.open, tt.ask, i, s)
			}
		}
	}
	// Another program's times are known with its delay alone.
	r := New(Config{Kinds: []Kind{{}}, Foreign: true})
	r.Record(0, &Operation{Attempts: 1, End: 12})
	r.Record(0, &Operation{Attempts: 2, End: 12})
	var o rundoc.Operation
	if err := (timed{run: runOf(r, Kind{}), kinds: []int{0}}).fill(&o, everyTime); err != nil || o.ServiceTime.Count != 2 || o.ServiceTime.Free != nil ||
		o.FirstAttempt.Count != 1 {
		t.Errorf("%+v, %v", o, err)
	}
	for _, open := range []bool{true, false} {
		o = rundoc.Operation{}
		none := runOf(New(Config{Kinds: []Kind{{}}, Open: open}), Kind{})
		if err := (timed{run: none, kinds: []int{0}}).fill(&o, everyTime); err != nil || o.ServiceTime.Free != nil || o.ResponseTime.Free != nil {
			t.Errorf("open %v, of nothing: %+v, %v", open, o, err)
		}
	}
	// What has more operations than were recorded has no intervals, and neither has what is looked at often.
	r = New(Config{Kinds: []Kind{{}}})
	spells(r, 3000, 1e6)
	for _, tt := range []struct {
		of    timed
		count int64
		known bool
	}{{timed{}, 3000, true}, {timed{more: 1}, 3001, false}, {timed{plain: true}, 3000, false}} {
		tt.of.run, tt.of.kinds = runOf(r, Kind{}), []int{0}
		s, err := tt.of.along(Service, func(k *kindCounts) *hist { return k.single })
		if err != nil || s.Count != tt.count || (s.Intervals != nil) != tt.known {
			t.Errorf("%d more, plain %v: %d, %+v, %v", tt.of.more, tt.of.plain, s.Count, s.Intervals, err)
		}
	}
}

// The generator's own part: in the open model also how many started late by it, which is more than half of what nearly
// all take without it.
func TestEdgesOfTheOwnPart(t *testing.T) {
	peertest.NothingRaces(t, "one goroutine records")
	for _, open := range []bool{true, false} {
		r := New(Config{Kinds: []Kind{{}}, Open: open, Series: true})
		record := func(n int, late, free int64) {
			for i := range n {
				r.Record(i, &Operation{Attempts: int64(1 + i%2), Intended: 0, Ready: 0, Start: late, Own: late, End: late + free})
			}
		}
		record(60, 0, ms)
		record(34, 0, 20*ms)
		record(2, 7*ms, 20*ms)
		record(3, 12*ms, 20*ms)
		record(1, 0, 1000*ms)
		run := runOf(r, Kind{})
		run.Pacing = "spinning"
		run.Stamps = &Stamps{Used: 3, Missing: 2, Refused: 1}
		doc, err := run.Document()
		if err != nil {
			t.Fatal(err)
		}
		g := doc.Generator
		response := int64(60+39*20+1000+2*7+3*12) * ms
		if !open {
			response -= (2*7 + 3*12) * ms // nobody waited for it
		}
		if g.OwnDelay == nil || g.OwnDelay.Count != 100 || g.OwnTimeNS != (2*7+3*12)*ms || g.ResponseTimeNS != response || g.Pacing != "spinning" ||
			*g.Stamps != (rundoc.Stamps{Used: 3, Missing: 2, Refused: 1}) || !cmp.Equal(g.Unseen, []string{"kernel stamps: 3 of 6 answers have one"}) {
			t.Errorf("open %v: %+v", open, g)
		}
		if open && (g.OwnLate == nil || *g.OwnLate != 3) || !open && g.OwnLate != nil {
			t.Errorf("open %v: %v late", open, g.OwnLate)
		}
	}
	// The least delay that counts is that of a bucket above 5 ms, and of a thousand the 990th is told.
	r := New(Config{Kinds: []Kind{{}}, Open: true, Series: true})
	for i := range int64(1000) {
		r.Record(0, &Operation{Attempts: 1, Ready: 1000, Start: 1001 + i, End: 2001 + i})
	}
	run := runOf(r, Kind{})
	run.Stamps = &Stamps{Used: 1}
	doc, err := run.Document()
	if err != nil {
		t.Fatal(err)
	}
	if g := doc.Generator; g.SendDelayP99NS != 1990 || g.OwnDelayP99NS != 990 || g.OwnLate == nil || *g.OwnLate != 0 || g.Unseen != nil {
		t.Errorf("%+v", g)
	}
	one := New(Config{Kinds: []Kind{{}}, Series: true})
	one.Record(0, &Operation{Attempts: 1, Own: 3, End: 7})
	if doc, err = runOf(one, Kind{}).Document(); err != nil || doc.Generator.OwnDelay == nil || doc.Generator.OwnTimeNS != 3 {
		t.Errorf("of one operation: %+v, %v", doc.Generator, err)
	}
	nothing := runOf(New(Config{Kinds: []Kind{{}}, Series: true}), Kind{})
	if doc, err = nothing.Document(); err != nil || doc.Generator.OwnDelay != nil || doc.Generator.Stamps != nil {
		t.Errorf("of nothing: %+v, %v", doc.Generator, err)
	}
}

// The percentiles of a group and of a second are the times at their ranks: the 500th and the 990th of a thousand.
func TestEdgesOfPercentilesOfGroupsAndSeconds(t *testing.T) {
	r := New(Config{Kinds: []Kind{{}}, Groups: 2, Series: true})
	r.End(1e9)
	for _, one := range []struct{ n, took int64 }{{499, 1}, {1, 2}, {489, 4}, {1, 8}, {10, 16}} {
		for range one.n {
			r.Record(0, &Operation{Group: 1, Attempts: 1, Own: one.took * ms, End: one.took * ms})
		}
	}
	r.Record(0, &Operation{Group: 1, Attempts: 1, Outcome: Failed, End: ms})
	run := runOf(r, Kind{})
	groups := run.Groups()
	about := func(got, want int64) bool { return got > want*97/100 && got < want*103/100 }
	if g := groups[1]; g.OK != 1000 || g.Failed != 1 || g.Rate != 1000 || g.Times != 1000 || g.Mean != (499+2+489*4+8+160)*ms/1000 ||
		!about(g.P50, 2*ms) || !about(g.P99, 8*ms) {
		t.Errorf("%+v", g)
	}
	if groups[0] != (Group{}) {
		t.Errorf("of none: %+v", groups[0])
	}
	doc, err := run.Document()
	if err != nil {
		t.Fatal(err)
	}
	if p := doc.Series[0]; len(doc.Series) != 1 || !about(p.P50NS, 2*ms) || !about(p.P99NS, 8*ms) || !about(p.OwnP99NS, 8*ms) {
		t.Errorf("%+v", p)
	}
}
