package throughput

import (
	"context"
	"sync"
	"time"
)

// Sums are totals over many attempts.
type Sums struct {
	Attempts int64
	Failed   int64 // with an error

	// Of the requests with a body that were sent whole: the time in which their bodies moved,
	// until they were drained where that is known and until they were written elsewhere.
	WriteBytes int64
	WriteTime  time.Duration

	// Of the responses that were read to their end: the time from the first byte to the last.
	ReadBytes int64
	ReadTime  time.Duration
}

// WriteThroughput is the mean rate of the uploads, in bytes per second of I/O: two that run
// side by side for a second are two seconds. Its error is that of the attempts' own stamps;
// the attempts that are below the resolution are in it, so it says most where bodies are
// large. Absent without time.
func (s Sums) WriteThroughput() (float64, bool) { return rate(s.WriteBytes, s.WriteTime, true) }

// ReadThroughput is the mean rate of the downloads, in bytes per second of I/O.
func (s Sums) ReadThroughput() (float64, bool) { return rate(s.ReadBytes, s.ReadTime, true) }

func (s *Sums) add(t *Timeline) {
	s.Attempts++
	if t.Err != nil {
		s.Failed++
	}
	if bytes, spent, ok := t.writeIO(); ok {
		s.WriteBytes += bytes
		s.WriteTime += spent
	}
	if spent, ok := t.LastResponseByte.since(t.FirstResponseByte); ok && t.ResponseEnded && t.ResponseBytes > 0 {
		s.ReadBytes += t.ResponseBytes
		s.ReadTime += spent
	}
}

// writeIO is what an upload adds to the totals.
func (t *Timeline) writeIO() (bytes int64, spent time.Duration, ok bool) {
	if !t.HasBody || !t.sentWhole() || t.RequestBytes == 0 {
		return 0, 0, false
	}
	until := t.RequestWritten
	if t.Drained.Happened() {
		until = t.Drained
	}
	spent, ok = until.since(t.FirstBodyRead)
	return t.RequestBytes, spent, ok
}

// Totals is an Observer that adds attempts up and reports each time another Every of I/O
// has been spent, reading and writing together: a rate that has seen enough to be one,
// however many small requests that took. Make it with NewTotals.
type Totals struct {
	every  time.Duration
	report func(Sums)

	mu    sync.Mutex
	since Sums // since the last report
	all   Sums
}

// NewTotals returns Totals that call report with the sums since the report before. A report
// comes from the goroutine that ended an attempt, and several can come at the same time.
// Without report, or with every not above 0, they only add up.
func NewTotals(every time.Duration, report func(Sums)) *Totals {
	return &Totals{every: every, report: report}
}

// Observe adds an attempt.
func (o *Totals) Observe(_ context.Context, t *Timeline) {
	if o != nil && t != nil {
		o.add(func(s *Sums) { s.add(t) })
	}
}

// AddRead adds what moved through a Reader that is done with.
func (o *Totals) AddRead(p Progress) {
	if spent, ok := p.Last.since(p.First); ok && o != nil {
		o.add(func(s *Sums) { s.ReadBytes += p.Bytes; s.ReadTime += spent })
	}
}

// AddWrite adds what moved through a Writer that is done with.
func (o *Totals) AddWrite(p Progress) {
	if spent, ok := p.Last.since(p.First); ok && o != nil {
		o.add(func(s *Sums) { s.WriteBytes += p.Bytes; s.WriteTime += spent })
	}
}

func (o *Totals) add(to func(*Sums)) {
	o.mu.Lock()
	to(&o.since)
	to(&o.all)
	due := o.report != nil && o.every > 0 && o.since.WriteTime+o.since.ReadTime >= o.every
	sums := o.since
	if due {
		o.since = Sums{}
	}
	o.mu.Unlock()
	if due {
		o.report(sums)
	}
}

// All returns the sums from the beginning.
func (o *Totals) All() Sums {
	if o == nil {
		return Sums{}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all
}

// Flush reports what has not been reported, if anything has been observed since.
func (o *Totals) Flush() {
	if o == nil {
		return
	}
	o.mu.Lock()
	sums := o.since
	o.since = Sums{}
	o.mu.Unlock()
	if o.report != nil && sums != (Sums{}) {
		o.report(sums)
	}
}
