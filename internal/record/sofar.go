package record

import (
	"math"
	"time"

	"github.com/plimsoll/plimsoll/internal/instrument"
	"github.com/plimsoll/plimsoll/rundoc"
)

// SoFar is what a window that is still open has come to. It reads the recorder's counters beside those who write them:
// nothing is locked but what a failed attempt locks anyway, and nothing is copied unless it is asked for. An operation
// that ends meanwhile may be in a count and not yet in a time.
type SoFar struct {
	Clients, Slots int
	Kinds          []Kind
	Flows          []string
	Window         *Recorder
	Connections    *Connections
	Started        time.Time // of the run
	Start, Now     int64     // of the window, and when it was looked at; stamps
	InFlight       int64     // operations that have begun and not ended
	Unsent         []int64   // by kind

	Phases  []Phase            // until now, and the one that goes on
	Reading instrument.Reading // of the window, as far as it is cheap to read
}

// benefit is how many operations more than there were each kind is given, so that what a few may undo is no miss yet.
const benefit = 10

// Document is a document with the operations and the connections alone, which says the best that the window may yet
// turn out to be, so that what it misses is missed. Of each kind there are ten operations more than there were, and its
// part of what is in flight, and all of those are as ok and as quick as the quickest; the rate counts what is in
// flight as if it ended now. Its scheduled operations are those that ended and those that will never be sent; what
// waits to be sent is in no count. Of the times it has those that are asked for, each of which is work. There
// is no ledger but for the length, no series, no verdict and no detail.
func (s *SoFar) Document(ask Times) (*rundoc.Run, error) {
	doc := &rundoc.Run{
		Schema: rundoc.Schema, Started: s.Started, Ended: s.Started.Add(time.Duration(s.Now)),
		Ledger: rundoc.Ledger{Clients: s.Clients, WindowNS: s.Now - s.Start},
	}
	run := s.run()
	ended := s.Window.Ended()
	for kind := range s.Kinds {
		o, err := s.operation(run, kind, ended, ask)
		if err != nil {
			return nil, err
		}
		doc.Operations = append(doc.Operations, o)
	}
	s.Window.mu.Lock()
	doc.Retries = causeTimes(s.Window.retries, s.Slots)
	doc.Connections.Reconnects = causeTimes(s.Window.reconnects, s.Slots)
	s.Window.mu.Unlock()
	return doc, s.Connections.soFar(&doc.Connections)
}

// Groups sums up the secondary breakdown so far.
func (s *SoFar) Groups() []Group { return s.run().Groups() }

// run is the part of a run that sums are made of.
func (s *SoFar) run() *Run {
	return &Run{Clients: s.Clients, Slots: s.Slots, Kinds: s.Kinds, Window: s.Window, Start: s.Start, End: s.Now}
}

// operation is a kind, with what may come to it; ended is how many operations of all kinds are over.
func (s *SoFar) operation(run *Run, kind int, ended int64, ask Times) (rundoc.Operation, error) {
	o, inside, insideBytes := run.counted(kind)
	s.Window.mu.Lock()
	o.Causes = counts(s.Window.causes[kind])
	s.Window.mu.Unlock()
	flying := s.share(o.OK+o.Failed, ended)
	o.RatePerS = perSecond(inside+flying, s.Now-s.Start)
	switch {
	case o.OK > 0:
		o.BytesPerS = perSecond(insideBytes, s.Now-s.Start) * float64(o.OK+flying) / float64(o.OK)
	case flying > 0:
		o.BytesPerS = math.Inf(1) // nobody knows how much is on its way
	}
	o.OK += flying + benefit
	o.Unsent = s.Unsent[kind]
	o.Scheduled = o.OK + o.Failed + o.Unsent
	o.Unfinished = 0
	return o, timed{run: run, kinds: []int{kind}, more: flying + benefit}.fill(&o, ask)
}

// share is the part of what is in flight that one kind has: as much of it as of what ended, and one more.
func (s *SoFar) share(ofKind, ended int64) int64 {
	if s.InFlight == 0 {
		return 0
	}
	if ended == 0 {
		return s.InFlight
	}
	return min(s.InFlight, int64(float64(s.InFlight)*float64(ofKind)/float64(ended))+1)
}

// Tally is what a window has come to, as it was counted: nothing is added for what may still come.
type Tally struct {
	OK, Failed, Count int64
	Sum               float64 // of the times, ns
	Times             []int64 // by bin
}

// Tally counts the operations of the kinds that are of interest, and their response or service times by bin: bin is
// that of a time, of so many.
func (s *SoFar) Tally(ask Times, of func(Kind) bool, bins int, bin func(ns int64) int) Tally {
	run := s.run()
	t := Tally{Times: make([]int64, bins)}
	var hs []*hist
	for kind := range s.Kinds {
		if !of(s.Kinds[kind]) {
			continue
		}
		o, _, _ := run.counted(kind)
		t.OK, t.Failed = t.OK+o.OK, t.Failed+o.Failed+s.Unsent[kind]
		for i := range s.Window.shards {
			k := &s.Window.shards[i].kinds[kind]
			if ask.Response && s.Window.open {
				hs = append(hs, k.response)
			} else {
				hs = append(hs, k.single, k.retried)
			}
		}
	}
	m := merge(hs...)
	for i, n := range m.counts {
		if n != 0 {
			t.Times[bin((m.p.low(i)+m.p.low(i+1))/2)] += n
		}
	}
	t.Count, t.Sum = m.n, float64(m.sum)
	return t
}
