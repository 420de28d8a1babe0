package record

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/rundoc"
)

// operations draws finished operations within the first three seconds.
func operations(seed uint64, n int) []Operation {
	r := rand.New(rand.NewPCG(seed, 1))
	list := make([]Operation, n)
	for i := range list {
		start := r.Int64N(2.5e9)
		o := Operation{
			Kind: r.IntN(2), Group: r.IntN(3), Bytes: 10, Start: start, Attempts: 1 + r.Int64N(2),
			Intended: start - r.Int64N(1e6), End: start + r.Int64N(4e8), Outcome: Outcome(r.IntN(3)),
		}
		o.Ready, o.FirstEnd = o.Intended, (o.Start+o.End)/2
		o.Unanswered, o.FirstKept = r.IntN(2) == 0, true
		list[i] = o
	}
	return list
}

// document records the operations, spread over slots, and makes the document of them.
func document(t *testing.T, list []Operation, slots int, shuffle uint64) *rundoc.Run {
	t.Helper()
	r := New(Config{Kinds: []Kind{{Name: "a"}, {Name: "b"}}, Groups: 3, Open: true, Series: true})
	begun := make([]int64, 2)
	order := rand.New(rand.NewPCG(shuffle, 2)).Perm(len(list))
	var recording sync.WaitGroup
	for slot := range slots {
		recording.Go(func() {
			for i := slot; i < len(order); i += slots {
				r.Record(slot, &list[order[i]])
			}
		})
	}
	recording.Wait()
	for _, o := range list {
		begun[o.Kind]++
	}
	r.End(3e9)
	run := Run{
		Clients: 1, Slots: 1, Kinds: []Kind{{Name: "a"}, {Name: "b"}}, Window: r, End: 3e9,
		Begun: begun, Unsent: make([]int64, 2), Connections: NewConnections(),
	}
	doc, err := run.Document()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestShardsAgreeInAnyOrder is metamorphic: neither the shard nor the order of recording changes the document.
func TestShardsAgreeInAnyOrder(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	list := operations(seed, 3000)
	one, many := document(t, list, 1, seed), document(t, list, 9, seed+1)
	one.Series, many.Series = sumOnly(one.Series), sumOnly(many.Series)
	if diff := cmp.Diff(one.Operations, many.Operations); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(one.Little, many.Little); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(one.Series, many.Series); diff != "" {
		t.Error(diff)
	}
}

func sumOnly(points []rundoc.Point) []rundoc.Point {
	for i := range points {
		points[i].InFlight = nil
	}
	return points
}

// TestDocumentAgainstPlainCount compares the document with plain counts of the same operations.
func TestDocumentAgainstPlainCount(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	list := operations(seed, 2000)
	doc := document(t, list, 4, seed)
	var want rundoc.Operation
	var within, responses, inside int64
	perSecond := map[int64]int64{}
	for _, o := range list {
		want.Scheduled++
		want.Attempts += o.Attempts
		want.Retries += o.Attempts - 1
		switch o.Outcome {
		case OK:
			want.OK++
			want.Bytes += 10
			if o.End <= 3e9 {
				within++
				perSecond[o.End/1e9]++
			}
		case Failed:
			want.Failed++
		case Unfinished:
			want.Unfinished++
		}
		if o.Outcome != Failed || o.Unanswered {
			responses++
			want.ResponseTime.MaxNS = max(want.ResponseTime.MaxNS, o.End-o.Intended)
		}
		inside += min(o.End, 3e9) - o.Start
	}
	got, err := doc.Totals()
	if err != nil {
		t.Fatal(err)
	}
	if got.Scheduled != want.Scheduled || got.OK != want.OK || got.Failed != want.Failed ||
		got.Unfinished != want.Unfinished || got.Attempts != want.Attempts || got.Retries != want.Retries ||
		got.Bytes != want.Bytes {
		t.Errorf("got %+v", got)
	}
	if got.ResponseTime.Count != responses || got.ResponseTime.MaxNS != want.ResponseTime.MaxNS ||
		got.SendDelay.Count != responses {
		t.Errorf("%d responses up to %d ns", got.ResponseTime.Count, got.ResponseTime.MaxNS)
	}
	if rate := float64(within) / 3; got.RatePerS < rate-.001 || got.RatePerS > rate+.001 {
		t.Errorf("rate %v, want %v", got.RatePerS, rate)
	}
	if len(doc.Series) != 3 {
		t.Fatalf("%d seconds", len(doc.Series))
	}
	for _, p := range doc.Series {
		if p.OK != perSecond[p.Second] {
			t.Errorf("second %d: %d ok, want %d", p.Second, p.OK, perSecond[p.Second])
		}
	}
	if predicted := float64(inside) / 3e9; doc.Little.InFlightPredicted != predicted {
		t.Errorf("%v in flight, want %v", doc.Little.InFlightPredicted, predicted)
	}
}

// TestSeriesKeepsLateOperations records into seconds that were collected, and far ahead.
func TestSeriesKeepsLateOperations(t *testing.T) {
	s := newSeries(2, Config{})
	add := func(end int64) { s.record(0, &Operation{End: end, Intended: end - 1e6}) }
	add(5e8)
	s.collect(4e9) // seconds 0 to 3 are read
	add(6e8)       // late: counted in second 4
	add(4.5e9)
	add(30e9) // far ahead of the collector: counted in the last second of the ring
	s.finish(40e9)
	points := s.points.list
	var sum int64
	for _, p := range points {
		sum += p.OK
	}
	if sum != 4 || points[0].OK != 1 || points[4].OK != 2 || points[11].OK != 1 || len(points) != 40 {
		t.Errorf("%d in all: %+v", sum, points)
	}
}

// BenchmarkRecord is the record path of one operation of an open model, with groups and a
// series: it must not allocate.
func BenchmarkRecord(b *testing.B) {
	r := New(Config{Kinds: []Kind{{}, {}, {}}, Groups: 20, Open: true, Series: true})
	o := Operation{Kind: 1, Group: 7, Bytes: 240, Attempts: 1, Start: 1000}
	b.ReportAllocs()
	for b.Loop() {
		o.Start += 20000
		o.Intended, o.Ready = o.Start-3000, o.Start-1000
		o.End = o.Start + 150000 + o.Start%50000
		r.Record(3, &o)
	}
}

func TestRecordAllocatesNothing(t *testing.T) {
	r := New(Config{Kinds: []Kind{{}}, Groups: 1, Open: true, Series: true})
	o := Operation{Attempts: 2, FirstKept: true, Reconnected: true, Ready: 3e6, Own: 4e6, End: 5e6, FirstEnd: 1e6}
	if n := testing.AllocsPerRun(1000, func() { r.Record(0, &o) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// runOf is what was recorded in a window of a second, of one client that has one slot.
func runOf(r *Recorder, kinds ...Kind) *Run {
	return &Run{Clients: 1, Slots: 1, Kinds: kinds, Window: r, End: 1e9, Begun: make([]int64, len(kinds)),
		Unsent: make([]int64, len(kinds)), Connections: NewConnections()}
}

// TestLittlesLaw compares the measured time in flight with the recorded one.
func TestLittlesLaw(t *testing.T) {
	for _, tt := range []struct {
		length, flown, inside int64
		want                  rundoc.Little
	}{
		{100, 300, 250, rundoc.Little{InFlightSampled: 3, InFlightPredicted: 2.5, Difference: 0.2}},
		{100, 300, 0, rundoc.Little{InFlightSampled: 3}},
		{100, 0, 250, rundoc.Little{InFlightPredicted: 2.5}},
		{0, 300, 250, rundoc.Little{}},
	} {
		r := New(Config{Kinds: []Kind{{}}})
		r.shards[len(r.shards)-1].inside.Add(tt.inside)
		run := &Run{Clients: 3, Slots: 2, Window: r, Start: 7, End: 7 + tt.length, FlightTime: tt.flown}
		tt.want.Slots = 6
		if diff := cmp.Diff(tt.want, run.little(), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
			t.Errorf("%+v: %s", tt, diff)
		}
	}
}

// TestSeriesHasTheMeanInFlight adds times in flight that cross seconds and both ends of the window.
func TestSeriesHasTheMeanInFlight(t *testing.T) {
	r := New(Config{Kinds: []Kind{{}}, Series: true, Start: 1e9})
	r.End(35e8)
	r.AddFlightTime(0, 15e8, 6e9)     // 4 in flight, in the window for half a second
	r.AddFlightTime(15e8, 25e8, 2e9)  // 2, for half of each of two seconds
	r.AddFlightTime(25e8, 45e8, 20e9) // 10, for a second
	run := runOf(r, Kind{})
	run.Start, run.End = 1e9, 35e8
	doc, err := run.Document()
	if err != nil {
		t.Fatal(err)
	}
	var got []float64
	for _, p := range doc.Series {
		got = append(got, *p.InFlight)
	}
	if want := []float64{3, 6, 10}; !cmp.Equal(got, want, cmpopts.EquateApprox(1e-9, 0)) {
		t.Errorf("%v in flight, want %v", got, want)
	}
}

// The document has the generator delay, and in the open model how many operations it delayed by more than half of
// their typical time.
func TestGeneratorDelayInTheDocument(t *testing.T) {
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
			*g.Stamps != (rundoc.Stamps{Used: 3, Missing: 2, Refused: 1}) || !cmp.Equal(g.Unseen, []string{"kernel stamps: only 3 of 6 responses have one"}) {
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

// What an operation counts towards in a window from 1000 to 3000, if it belongs to the window or was carried into it.
func TestWhatAnOperationCountsTowards(t *testing.T) {
	type counts struct{ OK, Failed, Unfinished, Bytes, Attempts, Retries, First, Times, Carried, Rate, Inside int64 }
	for i, tt := range []struct {
		carried bool
		o       Operation
		want    counts
	}{
		{false, Operation{Start: 1000, End: 3000, Attempts: 1, FirstKept: true, Bytes: 7},
			counts{OK: 1, Bytes: 7, Attempts: 1, First: 1, Times: 1, Rate: 1, Inside: 2000}},
		{false, Operation{Start: 900, End: 3001, Attempts: 2, FirstKept: true, Bytes: 7},
			counts{OK: 1, Bytes: 7, Attempts: 2, Retries: 1, First: 1, Times: 1, Inside: 2000}},
		{false, Operation{Start: 3200, End: 3300, Attempts: 3}, counts{OK: 1, Attempts: 3, Retries: 2, Times: 1}},
		{false, Operation{Start: 1500, End: 1501, Attempts: 1, Outcome: Failed, Bytes: 7}, counts{Failed: 1, Attempts: 1, Inside: 1}},
		{false, Operation{Start: 1500, End: 1501, Attempts: 1, Outcome: Failed, Unanswered: true},
			counts{Failed: 1, Attempts: 1, First: 1, Times: 1, Inside: 1}},
		{false, Operation{Start: 2500, End: 2600, Attempts: 1, Outcome: Unfinished},
			counts{Unfinished: 1, Attempts: 1, Times: 1, First: 1, Inside: 100}},
		{true, Operation{Start: 500, End: 1000}, counts{}},
		{true, Operation{Start: 500, End: 1001, Bytes: 7}, counts{Carried: 1, Rate: 1, Inside: 1}},
		{true, Operation{Start: 1000, End: 3000}, counts{Carried: 1, Rate: 1, Inside: 2000}},
		{true, Operation{Start: 2999, End: 3001}, counts{Inside: 1}}, {true, Operation{Start: 3000, End: 3001}, counts{}},
		{true, Operation{Start: 500, End: 1200, Outcome: Failed}, counts{Carried: 1, Inside: 200}},
		{true, Operation{Start: 500, End: 1200, Outcome: Unfinished}, counts{Inside: 200}},
	} {
		r := New(Config{Kinds: []Kind{{}}, Groups: 1, Start: 1000, Series: true})
		r.End(3000)
		tt.o.Intended, tt.o.Ready = tt.o.Start, tt.o.Start
		if tt.carried {
			r.Carry(0, &tt.o)
		} else {
			r.Record(0, &tt.o)
		}
		run := runOf(r, Kind{})
		run.Start, run.End = 1000, 3000
		o, inside, bytes := run.counted(0)
		if err := (timed{run: run, kinds: []int{0}}).fill(&o, everyTime); err != nil {
			t.Fatal(err)
		}
		got := counts{OK: o.OK, Failed: o.Failed, Unfinished: o.Unfinished, Bytes: o.Bytes, Attempts: o.Attempts, Retries: o.Retries,
			First: o.FirstAttempt.Count, Times: o.ServiceTime.Count, Carried: o.Carried, Rate: inside, Inside: r.shards[0].inside.Load()}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%d: %s", i, diff)
		}
		group := run.Groups()[0]
		if bytes != inside*tt.o.Bytes || r.Inside() != inside || group.Rate != float64(inside)/2e-6 || group.OK != o.OK || group.Failed != o.Failed ||
			group.Times != o.ServiceTime.Count || r.OK() != o.OK || r.Ended() != o.OK+o.Failed {
			t.Errorf("%d: %d bytes, %d inside, %+v", i, bytes, r.Inside(), group)
		}
	}
}

// Buckets have quantiles and convert to exponential buckets, of a lower scale if there would be too many.
func TestBucketsQuantilesAndExponential(t *testing.T) {
	b := Buckets{Count: 10, List: []Bucket{{2, 4, 2}, {10, 12, 3}, {100, 110, 5}}}
	for q, want := range map[float64]time.Duration{0: 3, 0.1: 3, 0.2: 3, 0.21: 11, 0.5: 11, 0.51: 105, 1: 105, 1.2: 0} {
		if got := b.Quantile(q); got != want {
			t.Errorf("quantile %v: %d", q, got)
		}
	}
	if (Buckets{}).Quantile(0.5) != 0 {
		t.Error("nothing has a median")
	}
	if got := (Bucket{From: 3e9, To: 3e9 + 1}).Middle(); got != 3 {
		t.Errorf("a bucket of 3 s has its middle at %v", got)
	}
	const s, half = int64(1e9), int64(5e8)
	b = Buckets{List: []Bucket{{0, 1, 5}, {half / 2, half/2 + 1, 1}, {s, s + 1, 3}, {3 * half, 3*half + 1, 1}, {2 * s, 2*s + 1, 1}, {4 * s, 4*s + 1, 2}}}
	for _, tt := range []struct {
		scale, most, at int
		counts          map[int]int64
	}{
		{0, 4, 0, map[int]int64{-2: 1, 0: 3, 1: 2, 2: 2}}, {0, 3, -1, map[int]int64{-1: 1, 0: 3, 1: 4}}, {0, 2, -2, map[int]int64{0: 4, 1: 4}},
		{1, 5, 1, map[int]int64{-4: 1, 0: 3, 2: 2, 4: 2}}, {2, 5, 2, map[int]int64{-8: 1, 0: 3, 3: 1, 4: 1, 8: 2}},
		{2, 4, 1, map[int]int64{-4: 1, 0: 3, 2: 2, 4: 2}},
	} {
		at, counts, none := b.Exponential(tt.scale, tt.most)
		if diff := cmp.Diff(tt.counts, counts); diff != "" || at != tt.at || none != 5 {
			t.Errorf("scale %d, %d at most: %d, %d of no time, %s", tt.scale, tt.most, at, none, diff)
		}
	}
	h := newHist(fine)
	for _, ns := range []int64{0, 7, 7, 5000} {
		h.add(ns)
	}
	want := Buckets{Count: 4, SumNS: 5014, List: []Bucket{{0, 1, 1}, {7, 8, 2}, {5000, 5004, 1}}}
	if diff := cmp.Diff(want, merge(h).buckets()); diff != "" {
		t.Error(diff)
	}
}

// A state is charged the time within the window, and the slots of a client share its time.
func TestLedgerChargesOnlyTheWindow(t *testing.T) {
	for _, test := range []struct{ from, to, want int64 }{
		{0, 100, 0}, {0, 101, 1}, {100, 200, 100}, {150, 160, 10}, {199, 300, 1}, {200, 300, 0}, {50, 250, 100}, {160, 150, 0},
	} {
		var l Ledger
		if l.Add(Sending, test.from, test.to, 100, 200); l[Sending] != test.want {
			t.Errorf("%+v: %d", test, l[Sending])
		}
	}
	l, other := Ledger{Waiting: 10, Pausing: 20}, Ledger{Waiting: 5, Idle: 7}
	l.Merge(&other)
	want := map[string]int64{}
	for s, name := range rundoc.States {
		want[name] = map[State]int64{Waiting: 5, Pausing: 6, Idle: 2}[State(s)]
	}
	if diff := cmp.Diff(want, l.document(3, true)); diff != "" {
		t.Error(diff)
	}
	delete(want, rundoc.States[Pausing])
	if diff := cmp.Diff(want, l.document(3, false)); diff != "" {
		t.Error(diff)
	}
	for _, test := range []struct {
		c    Stamps
		want string
	}{
		{Stamps{Used: 19, Missing: 1}, ""}, {Stamps{Used: 18, Missing: 1}, "only 18 of 19 responses have one"},
		{Stamps{Used: 38, Missing: 1, Refused: 1}, ""}, {Stamps{Used: 37, Missing: 1, Refused: 1}, "only 37 of 39 responses have one"},
		{Stamps{}, ""}, {Stamps{Used: 100, Unseen: "switched off"}, "switched off"},
	} {
		if got := test.c.unseen(); got != test.want {
			t.Errorf("%+v: %q", test.c, got)
		}
	}
	var c Stamps
	c.Count(true, false)
	c.Count(true, true)
	c.Count(false, true)
	for range 3 {
		c.Count(false, false)
	}
	c.Add(&Stamps{Used: 10, Missing: 20, Refused: 30})
	if c != (Stamps{Used: 12, Missing: 23, Refused: 31}) {
		t.Errorf("%+v", c)
	}
}

// The document has phases, flows, turns and rates besides the operations.
func TestDocumentHasPhasesFlowsAndTurns(t *testing.T) {
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

// Causes at the end of the window or before belong to its last second.
func TestCausesAtTheEndsOfTheWindow(t *testing.T) {
	r := New(Config{Kinds: []Kind{{}, {}}, Series: true})
	r.Begin(5e9)
	r.Cause(1, "before", 4e9)
	r.Cause(1, "within", 6e9)
	r.End(7e9)
	r.Cause(0, "stroke", 7e9)
	r.Cause(0, "behind", 7e9+1)
	r.Record(0, &Operation{Kind: 1, Attempts: 1, Intended: 5e9, Start: 5e9, End: 6.5e9})
	run := runOf(r, Kind{}, Kind{})
	run.Start, run.End = 5e9, 7e9
	doc, err := run.Document()
	if err != nil {
		t.Fatal(err)
	}
	type causes = []rundoc.Cause
	for i, want := range []causes{{{Cause: "before", Count: 1}}, {{Cause: "stroke", Count: 1}, {Cause: "within", Count: 1}}} {
		if p := doc.Series[i]; !cmp.Equal(causes(p.Causes), want) || p.OK != int64(i) || *p.Offered != int64(1-i) {
			t.Errorf("second %d: %+v", i, p)
		}
	}
	for i, want := range []causes{{{Cause: "behind", Count: 1}, {Cause: "stroke", Count: 1}}, {{Cause: "before", Count: 1}, {Cause: "within", Count: 1}}} {
		if !cmp.Equal(causes(doc.Operations[i].Causes), want) {
			t.Errorf("kind %d: %+v", i, doc.Operations[i].Causes)
		}
	}
	if r.Failures() != 4 {
		t.Errorf("%d attempts failed", r.Failures())
	}
	// Of times that are no series neither is there one of causes, and a mean and a median there are nevertheless.
	r = New(Config{Kinds: []Kind{{}, {}}})
	r.Begin(5)
	r.Cause(0, "a", 6)
	for kind, took := range []int64{100, 200} {
		r.Record(kind, &Operation{Kind: kind, Attempts: 1, End: took})
		r.Record(kind, &Operation{Kind: kind, Attempts: 2, End: 10 * took})
	}
	if r.Mean() != 3300/4 || r.Median() != 200 || r.ServiceTime() != 3300 || r.OK() != 4 {
		t.Errorf("mean %d, median %d, in all %d", r.Mean(), r.Median(), r.ServiceTime())
	}
}
