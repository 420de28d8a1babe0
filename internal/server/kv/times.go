package kv

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The stages that the server times, by place in an array.
const (
	stageTransit = iota
	stageIdle
	stageBusy
	stageReading
	stageQueued
	stageApply
	stageProcessing
	stageAcknowledge
	stageE2ESent
	stageE2EScheduled
	stageE2EBroker
	stageCount
)

func stageNames() [stageCount]string {
	return [...]string{
		rundoc.StageTransit, rundoc.StageReceiveIdle, rundoc.StageReceiveBusy, rundoc.StageReading, rundoc.StageQueued,
		rundoc.StageApply, rundoc.StageProcessing, rundoc.StageAcknowledge, rundoc.StageE2ESent,
		rundoc.StageE2EScheduled, rundoc.StageE2EBroker,
	}
}

// absent is a duration that is not known.
const absent = -1 << 63

// timing is how long the stages of a batch took, ns; absent where that is not known.
type timing [stageCount]int64

func noTiming() timing {
	var t timing
	for i := range t {
		t[i] = absent
	}
	return t
}

// times are the distributions of a run, or of all runs. They are behind one lock, since it is
// taken once a batch: a thousand times a second, for less than a microsecond.
type times struct {
	mu       sync.Mutex
	stages   [stageCount]kvapi.Distribution
	noClock  int64
	receives int64
	messages int64
	seconds  []kvapi.Second // those that are over, oldest first
	open     [2]second      // the last two: a batch may be entered late
	origin   int64          // when a second begins, on the server's clock
	begun    bool           // origin is set
}

// second is one that still counts.
type second struct {
	kvapi.Second
	e2e *hdrhistogram.Histogram // two digits
}

// maxSeconds bounds the series: after a day its first hours are dropped.
const maxSeconds = 24 * 3600

func newTimes() *times { return &times{} }

// batch enters a batch that was applied at the time at on the server's clock.
func (t *times) batch(at int64, d *timing, clock bool, applied, stale int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, ns := range d {
		if ns != absent {
			t.stages[i].Add(ns)
		}
	}
	if !clock {
		t.noClock++
	}
	// The first batch of a run is due when the publisher's window begins: seconds that are counted
	// from there are those of the window.
	if !t.begun {
		t.origin, t.begun = at-max(0, d[stageE2EScheduled]), true
	}
	s := t.second(at - mod(at-t.origin, int64(time.Second)))
	s.Batches++
	s.Applied += applied
	s.Stale += stale
	if e2e := d[stageE2EScheduled]; e2e != absent {
		_ = s.e2e.RecordValue(max(0, min(e2e, kvapi.Longest)))
		s.E2EMaxNS = max(s.E2EMaxNS, e2e)
	}
}

func mod(a, b int64) int64 { return (a%b + b) % b }

// second is the open second that starts at, or the oldest that is open if that one is closed.
func (t *times) second(start int64) *second {
	last := &t.open[1]
	switch {
	case last.e2e == nil || start > last.StartNS:
		t.close(&t.open[0])
		t.open[0] = *last
		*last = second{Second: kvapi.Second{StartNS: start}, e2e: hdrhistogram.New(1, kvapi.Longest, 2)}
		return last
	case start == last.StartNS || t.open[0].e2e == nil:
		return last
	}
	return &t.open[0]
}

// close adds a second to those that are over.
func (t *times) close(s *second) {
	if s.e2e == nil {
		return
	}
	if len(t.seconds) >= maxSeconds {
		t.seconds = append(t.seconds[:0], t.seconds[maxSeconds/8:]...)
	}
	t.seconds = append(t.seconds, s.finish())
}

// finish gives the second with the percentiles that its sample supports.
func (s *second) finish() kvapi.Second {
	done, n := s.Second, s.e2e.TotalCount()
	if rundoc.Supports(n, 500) {
		done.E2EP50NS = s.e2e.ValueAtPercentile(50)
	}
	if rundoc.Supports(n, 990) {
		done.E2EP99NS = s.e2e.ValueAtPercentile(99)
	}
	return done
}

// receive enters a receive call that returned messages.
func (t *times) receive(messages int, d *timing) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.receives++
	t.messages += int64(messages)
	for i, ns := range d {
		if ns != absent {
			t.stages[i].Add(ns)
		}
	}
}

// acknowledged enters the time from when batches were applied to when the broker knew.
func (t *times) acknowledged(ns int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stages[stageAcknowledge].Add(ns)
}

// sum is what the answers hold. The stages that nothing was entered in are left out.
func (t *times) sum() *kvapi.Times {
	t.mu.Lock()
	var stages [stageCount]kvapi.Distribution
	for i := range t.stages {
		stages[i] = t.stages[i].Clone()
	}
	sum := &kvapi.Times{
		Stages: make(map[string]kvapi.Stage), NoClock: t.noClock, Receives: t.receives, Messages: t.messages,
		Series: append([]kvapi.Second(nil), t.seconds...),
	}
	for i := range t.open {
		if s := &t.open[i]; s.e2e != nil {
			sum.Series = append(sum.Series, s.finish())
		}
	}
	t.mu.Unlock()
	names := stageNames()
	for i := range stages {
		if d := &stages[i]; d.Any() {
			sum.Stages[names[i]] = d.Stage()
		}
	}
	return sum
}
