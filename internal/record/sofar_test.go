package record

import (
	"sync"
	"testing"
)

// soFar is a window of some operations, that is looked at a second after its start.
func soFar(kinds int, list []Operation, inFlight int64) *SoFar {
	s := &SoFar{Clients: 2, Slots: 1, Kinds: make([]Kind, kinds), Connections: NewConnections(), Now: 1e9,
		InFlight: inFlight, Unsent: make([]int64, kinds)}
	s.Window = New(Config{Kinds: s.Kinds, Groups: 1, Open: true, Series: true})
	for i := range list {
		s.Window.Record(i, &list[i])
	}
	return s
}

// Looking takes nothing away: the document of the end has all that was there, whoever looked before it, and whoever
// records while somebody looks is not in the way. (The race detector sees the rest.)
func TestSoFarChangesNothing(t *testing.T) {
	s := soFar(1, nil, 3)
	var writers sync.WaitGroup
	for shard := range 4 {
		writers.Go(func() {
			for range 5000 {
				o := Operation{Attempts: 2, Intended: 1e6, Ready: 1e6, Start: 2e6, End: 7e6, Bytes: 10, Cause: "reset"}
				s.Window.Cause(0, "reset", o.End)
				s.Window.Retry("reset", 5)
				s.Window.Record(shard, &o)
			}
		})
	}
	for range 5 {
		doc, err := s.Document(Times{Response: true})
		if err != nil {
			t.Fatal(err)
		}
		o := &doc.Operations[0]
		if o.OK < 10 || o.OK > 20000+10+3 || o.Scheduled != o.OK || o.ResponseTime.MaxNS > 6e6 {
			t.Errorf("%+v", o)
		}
	}
	writers.Wait()
	run := s.run()
	run.Begun, run.Unsent, run.Connections = []int64{20000}, []int64{0}, s.Connections
	doc, err := run.Document()
	if err != nil {
		t.Fatal(err)
	}
	o := &doc.Operations[0]
	if o.OK != 20000 || o.ResponseTime.Count != 20000 || o.Bytes != 200000 || o.Causes[0].Count != 20000 ||
		doc.Series[0].OK != 20000 {
		t.Errorf("%+v", o)
	}
}

// Ten more operations turn what hangs on ten, and not what does not.
func TestSoFarReportsTheBestCase(t *testing.T) {
	var list []Operation
	for i := range 1000 {
		end := int64(1e6)
		if i < 30 {
			end = 50e6
		}
		list = append(list, Operation{Attempts: 1, End: end, Bytes: 100})
	}
	doc, err := soFar(1, list, 200).Document(Times{Response: true})
	if err != nil {
		t.Fatal(err)
	}
	o := &doc.Operations[0]
	if o.OK != 1210 || o.RatePerS != 1200 || o.BytesPerS != 120000 {
		t.Errorf("%d ok, %v/s, %v B/s", o.OK, o.RatePerS, o.BytesPerS)
	}
	if r := &o.ResponseTime; r.Count != 1210 || *r.P99NS < 49e6 || *r.P95NS > 2e6 || r.MeanNS != 2214876 {
		t.Errorf("%+v", r)
	}
}

// lookedAt is a window of six kinds in the open model, for benchmarks.
func lookedAt() *SoFar {
	var list []Operation
	for i := range 100_000 {
		at := int64(i) * 7919 % 50e6
		list = append(list, Operation{Kind: i % 6, Attempts: 1, Intended: 0, Start: 1000, End: 1e6 + at})
	}
	return soFar(6, list, 100)
}

// BenchmarkLook is one look at a window.
func BenchmarkLook(b *testing.B) {
	s := lookedAt()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Document(Times{Response: true}); err != nil {
			b.Fatal(err)
		}
	}
}
