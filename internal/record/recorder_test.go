package record

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// TestShardsAgreeWhateverTheOrder is metamorphic: who records what, and when, changes nothing.
func TestShardsAgreeWhateverTheOrder(t *testing.T) {
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

// TestDocumentAgainstAPlainCount counts the same operations the slow way.
func TestDocumentAgainstAPlainCount(t *testing.T) {
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

// TestSeriesKeepsWhatComesLate records into seconds that were collected, and far ahead.
func TestSeriesKeepsWhatComesLate(t *testing.T) {
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
