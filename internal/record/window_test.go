package record

import (
	"errors"
	"math"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/instrument"
	"github.com/plimsoll/plimsoll/rundoc"
)

const ms = int64(1e6)

// TestOperationsOfTheWindow has a window from 1 s to 3 s, and operations on all sides of it.
func TestOperationsOfTheWindow(t *testing.T) {
	kinds := []Kind{{Name: "a"}}
	r := New(Config{Kinds: kinds, Groups: 1, Open: true, Start: 1000 * ms, Series: true})
	r.End(3000 * ms)
	op := func(intended, start, end, bytes int64, o Outcome) *Operation {
		return &Operation{
			Intended: intended * ms, Ready: intended * ms, Start: start * ms, End: end * ms, FirstEnd: end * ms,
			Bytes: bytes, Attempts: 1, Outcome: o,
		}
	}
	r.Record(0, op(1100, 1200, 1600, 100, OK)) // in the window
	r.Record(0, op(2700, 2800, 3400, 10, OK))  // ends in the drain
	r.Carry(0, op(700, 800, 1400, 1000, OK))   // carried in
	r.Carry(0, op(400, 500, 3500, 1, OK))      // carried through
	r.Carry(0, op(100, 200, 900, 1, OK))       // ended before the window did begin
	r.Carry(0, op(600, 900, 2000, 1, Failed))  // carried in, and refused
	r.Carry(0, op(600, 900, 2900, 1, Unfinished))
	r.Record(0, op(2850, 2900, 2950, 0, Unfinished))
	failed := op(1400, 1500, 2500, 0, Failed)
	failed.Attempts, failed.FirstEnd, failed.FirstKept, failed.Unanswered = 2, 1900*ms, true, true
	r.Record(0, failed)

	run := Run{
		Clients: 1, Slots: 1, Kinds: kinds, Window: r, Start: 1000 * ms, End: 3000 * ms,
		Begun: []int64{4}, Unsent: []int64{0}, Connections: NewConnections(),
	}
	doc, err := run.Document()
	if err != nil {
		t.Fatal(err)
	}
	o := doc.Operations[0]
	if o.OK != 2 || o.Failed != 1 || o.Unfinished != 1 || o.Carried != 2 || o.Bytes != 110 || o.Attempts != 5 ||
		o.Retries != 1 {
		t.Errorf("%+v", o)
	}
	if o.RatePerS != 1 || o.BytesPerS != 550 || r.Inside() != 2 {
		t.Errorf("%v a second, %v bytes a second, %d inside", o.RatePerS, o.BytesPerS, r.Inside())
	}
	if o.ServiceTime.Count != 4 || o.FirstAttempt.Count != 4 || o.ServiceTime.MaxNS != 1000*ms ||
		o.FirstAttempt.MaxNS != 600*ms {
		t.Errorf("service time %+v, first attempt %+v", o.ServiceTime, o.FirstAttempt)
	}
	// Each operation's time between 1 s and 3 s: 400, 200, 400, 2000, 1000, 1900, 50 and 1000 ms.
	if want := 6.95 / 2; math.Abs(doc.Little.InFlightPredicted-want) > 1e-9 {
		t.Errorf("%v in flight, want %v", doc.Little.InFlightPredicted, want)
	}
	g := run.Groups()[0]
	if g.Rate != 1 || g.OK != 2 || g.Failed != 1 || g.Mean != (500+700+100+1100)*ms/4 {
		t.Errorf("group %+v", g)
	}
	type point struct{ OK, Failed, Bytes int64 }
	var got []point
	for _, p := range doc.Series {
		got = append(got, point{p.OK, p.Failed, p.Bytes})
	}
	want := []point{{2, 0, 1100}, {0, 2, 0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestEndOfWindowBelongsToTheLastSecond ends operations exactly at the window's end.
func TestEndOfWindowBelongsToTheLastSecond(t *testing.T) {
	s := newSeries(1, Config{})
	s.record(0, &Operation{Intended: 1.4e9, End: 1.5e9})
	s.record(0, &Operation{End: 2e9, Bytes: 7})
	s.record(0, &Operation{End: 2e9, Outcome: Failed})
	s.finish(2e9)
	points := s.points.list
	if len(points) != 2 || points[1].OK != 2 || points[1].P99 > 0.11e9 || points[1].Failed != 1 || points[1].Bytes != 7 {
		t.Errorf("%+v", points)
	}
}

// TestSharesArePerSlotAndProcessor divides by the slots of a client, and by the processors.
func TestSharesArePerSlotAndProcessor(t *testing.T) {
	r := New(Config{Series: true})
	r.Retry("busy", 100)
	r.Retry("busy", 300)
	r.Reconnect("reset", 1, 50)
	r.Reconnect("reset", 0, 30)
	run := Run{
		Clients: 1, Slots: 2, Window: r, End: 1e9, Connections: NewConnections(),
		Reading: instrument.Reading{User: time.Second, System: time.Second, Elapsed: 2 * time.Second, CPUs: 4,
			MachineBusy: 3, MachineTotal: 4, MachineCPUs: 4096},
		Ledger: Ledger{Awaiting: 2e9},
	}
	doc, err := run.Document()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]rundoc.CauseTime{{Cause: "busy", Count: 2, TimeNS: 200}}, doc.Retries); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]rundoc.CauseTime{{Cause: "reset", Count: 1, TimeNS: 40}},
		doc.Connections.Reconnects); diff != "" {
		t.Error(diff)
	}
	if doc.Host.CPUs != 4096 {
		t.Errorf("a machine of %d CPUs", doc.Host.CPUs)
	}
	if g := doc.Generator; g.CPUShare != .25 || g.CPUs != 4 || g.MachineShare != .75 ||
		doc.Ledger.States[rundoc.StateAwaiting] != 1e9 {
		t.Errorf("generator %+v, ledger %v", g, doc.Ledger.States)
	}
}

// once is a file whose first write fails, and that would take all others.
type once struct {
	memory
	writes int
}

func (o *once) Write(p []byte) (int, error) {
	if o.writes++; o.writes == 1 {
		return 0, syscall.EIO
	}
	return len(p), nil
}

// TestNoWritesAfterAFailure writes no more to it: rows behind a hole are worth nothing.
func TestNoWritesAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := &once{}
		s := NewSamples(file, "header\n", row, func(error) {})
		b := s.Buffer()
		for range 500 {
			b.Add(&Sample{})
			time.Sleep(10 * time.Millisecond)
		}
		written, lost, err := s.Close()
		if file.writes != 1 || written != 0 || lost != 500 || !errors.Is(err, syscall.EIO) {
			t.Errorf("%d writes, %d rows written, %d lost, %v", file.writes, written, lost, err)
		}
	})
}

// TestRowsAfterAFailureAreCountedAsLost has rows so long that a write falls into the middle
// of a batch, and fails there.
func TestRowsAfterAFailureAreCountedAsLost(t *testing.T) {
	long := func(b []byte, _ *Sample) []byte { return append(b, make([]byte, 1024)...) }
	m := &memory{room: 100}
	s := NewSamples(m, "header\n", long, func(error) {})
	b := s.Buffer()
	for range batchSize {
		b.Add(&Sample{})
	}
	if written, lost, err := s.Close(); written != 0 || lost != batchSize || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%d rows written, %d lost, %v", written, lost, err)
	}
}

// TestCloseDoesNotWaitForABlockedFile ends although a write never does.
func TestCloseDoesNotWaitForABlockedFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{room: 1 << 30, block: make(chan struct{})}
		go func() { m.block <- struct{}{} }() // the header gets through
		s := NewSamples(m, "header\n", row, func(error) {})
		s.Buffer().Add(&Sample{})
		began := time.Now()
		if _, _, err := s.Close(); err != errStuck || time.Since(began) != closePatience || !m.closed {
			t.Errorf("%v after %v, closed %v", err, time.Since(began), m.closed)
		}
		close(m.block)
	})
}
