package record

import (
	"math"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/rundoc"
)

// withoutIntervals compares operations but for what only the end of a run knows.
var withoutIntervals = cmpopts.IgnoreFields(rundoc.Summary{}, "Intervals")

// What was counted of a window in which nothing is recorded any more is what its document has, and looking at it
// changes nothing of that.
func TestCountedEqualsTheDocument(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow under the race detector; make test runs it")
	}
	var list []Operation
	for i := range int64(1000) {
		o := Operation{Kind: int(i % 2), Attempts: 1 + i%2, Intended: 1e6 * i, Ready: 1e6 * i, Start: 1e6*i + 5000,
			End: 1e6*i + 3e6 + i*i, Own: i, FirstEnd: 1e6*i + 1e6, FirstKept: true, Bytes: 100,
			Stages: Stages{true, 1000, 2000, 3000}}
		switch i % 10 {
		case 3:
			o.Outcome, o.Cause = Failed, "reset"
		case 7:
			o.Outcome, o.Unanswered = Unfinished, true
		}
		list = append(list, o)
	}
	s := &SoFar{Clients: 2, Slots: 2, Kinds: []Kind{{Name: "a", Stages: true}, {Name: "b"}}, Connections: NewConnections(),
		Now: 3e9, Unsent: []int64{5, 0}}
	s.Flows = []string{"visit"}
	s.Window = New(Config{Kinds: s.Kinds, Flows: s.Flows, Open: true, Series: true})
	empty, err := s.Counted()
	if err != nil || empty.Series == nil || len(empty.Series) > 0 {
		t.Errorf("before the first second is over there is a series of none: %v, %v", empty, err)
	}
	for i := range list {
		s.Window.Record(i, &list[i])
		s.Window.Stretch(list[i].End)
		s.Window.RecordFlow(i, &Flow{Intended: list[i].Intended, End: list[i].End, Last: list[i].Kind, Outcome: list[i].Outcome})
		if list[i].Cause != "" {
			s.Window.Cause(list[i].Kind, list[i].Cause, list[i].End)
			s.Window.Retry(list[i].Cause, 50)
			s.Window.Reconnect(list[i].Cause, 2, 70)
		}
	}
	s.Connections.Opened(3e6)
	s.Connections.Failed()
	s.Window.AddFlightTime(0, 2e8, 14e8)
	s.Window.AddFlightTime(11e8, 12e8, 9e8)
	s.Window.Collect(12e8)
	var seen *rundoc.Run
	for range 2 {
		var err error
		if seen, err = s.Counted(); err != nil {
			t.Fatal(err)
		}
	}
	sums := s.Sums()
	run := s.run()
	run.Begun, run.Unsent, run.Connections, run.Flows = []int64{500, 500}, s.Unsent, s.Connections, s.Flows
	want, err := run.Document()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Operations, seen.Operations, withoutIntervals, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	holdSums(t, sums, want)
	if diff := cmp.Diff(want.Generator.OwnDelay, seen.Generator.OwnDelay); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want.Retries, seen.Retries); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want.Flows, seen.Flows, withoutIntervals); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want.Connections, seen.Connections, withoutIntervals); diff != "" || len(seen.Connections.Reconnects) != 1 {
		t.Errorf("%s%+v", diff, seen.Connections)
	}
	for i, o := range seen.Operations {
		if o.ResponseTime.Intervals != nil || seen.Flows[0].ResponseTime.Intervals != nil {
			t.Error("there are intervals, which take long")
		}
		if want.Operations[i].ResponseTime.Intervals == nil || want.Flows[0].ResponseTime.Intervals == nil {
			t.Error("the document has no intervals either")
		}
	}
	// One second is over and collected; the other goes on, and is not told yet.
	if diff := cmp.Diff(want.Series[:1], seen.Series); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want.Slices[:1], seen.Slices); diff != "" {
		t.Error(diff)
	}
	if len(seen.Series) != 1 || *seen.Series[0].Offered != 1000 || *seen.Series[0].InFlight != 7 {
		t.Errorf("%+v", seen.Series)
	}
}

// holdSums holds sums against the document of the same window.
func holdSums(t *testing.T, sums *Sums, want *rundoc.Run) {
	t.Helper()
	for i, k := range sums.Kinds {
		o := want.Operations[i]
		for name, b := range map[string]struct {
			Buckets
			rundoc.Summary
		}{"response": {k.Response, o.ResponseTime}, "service": {k.Service, o.ServiceTime}} {
			inBuckets, last := int64(0), int64(-1)
			for _, one := range b.List {
				if inBuckets += one.Count; one.From <= last || one.To <= one.From {
					t.Errorf("%s: the buckets are in no order: %+v behind %d", name, one, last)
				}
				last = one.From
			}
			p99, mean := float64(b.Quantile(.99)), b.SumNS/b.Buckets.Count
			if inBuckets != b.Summary.Count || b.Buckets.Count != b.Summary.Count || mean != b.MeanNS ||
				math.Abs(p99/float64(*b.P95NS)-1) > .2 {
				t.Errorf("%s: %d in buckets, mean %d, p99 %v of %+v", name, inBuckets, mean, p99, b.Summary)
			}
		}
		if k.Operation.OK != o.OK || k.Operation.Failed != o.Failed || k.Operation.Unsent != o.Unsent ||
			k.Operation.Unfinished != o.Unfinished || k.Operation.Scheduled != o.Scheduled {
			t.Errorf("%+v of %+v", k.Operation, o)
		}
	}
	if sums.Own.Count != want.Generator.OwnDelay.Count || sums.Elapsed != 3e9 {
		t.Errorf("%+v", sums.Own)
	}
}

// Whoever records while somebody looks is not in the way, and no count ever falls. (The race detector sees the rest.)
func TestCountedDuringRecording(t *testing.T) {
	s := soFar(1, nil, 0)
	var writers sync.WaitGroup
	for shard := range 4 {
		writers.Go(func() {
			for i := range int64(1000) {
				s.Window.Cause(0, "reset", i*1e6)
				s.Window.Record(shard, &Operation{Attempts: 1, Intended: i * 1e6, Ready: i * 1e6, Start: i * 1e6, End: i*1e6 + 100})
				s.Window.AddFlightTime(i*1e6, i*1e6+100, 300)
				if shard == 0 {
					s.Window.Collect(i * 1e6)
				}
			}
		})
	}
	last := int64(0)
	for range 3 {
		doc, err := s.Counted()
		if err != nil {
			t.Fatal(err)
		}
		o := &doc.Operations[0]
		if o.OK < last || o.OK > 4000 || o.Scheduled != o.OK+o.Failed+o.Unsent+o.Unfinished {
			t.Errorf("%+v", o)
		}
		last = o.OK
	}
	writers.Wait()
}

// BenchmarkSums is a look at bare numbers.
func BenchmarkSums(b *testing.B) {
	s := lookedAt()
	b.ReportAllocs()
	for b.Loop() {
		s.Sums()
	}
}

// BenchmarkCounted is one look at a window of six kinds in the open model, all of it.
func BenchmarkCounted(b *testing.B) {
	s := lookedAt()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Counted(); err != nil {
			b.Fatal(err)
		}
	}
}
