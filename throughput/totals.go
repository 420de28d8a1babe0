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

	// Of the requests with a body that were sent whole and not from a copy: their bytes, and
	// two times. WriteIO is the time inside the calls that do I/O (Timeline.WriteIO), which a slow
	// source and a slow answer are not in, and which ends when the operating system has the last byte.
	// WriteWall is the time from the first piece to the last by the clock on the wall, the source's
	// included, until the body was drained where that is known and until it was written elsewhere.
	WriteBytes         int64
	WriteIO, WriteWall time.Duration

	// Of the responses with a body that were read to their end: ReadIO is the time inside their Reads
	// (Timeline.ReadIO), ReadWall that from the first byte to the last, the caller's own included.
	ReadBytes        int64
	ReadIO, ReadWall time.Duration
}

// WriteThroughputIO is bytes per second of time inside I/O, over all uploads: two that run side by
// side for a second are two seconds. It is the measure of the AWS SDK for Java v1, and an upper bound of
// the network's rate: the end of each body is still in a queue. Absent without time.
func (s Sums) WriteThroughputIO() (float64, bool) { return rate(s.WriteBytes, s.WriteIO, true) }

// WriteThroughputWall is bytes per second from the first piece to the last. Its error is that of the
// attempts' own stamps; the attempts that are below the resolution are in it, so it says most where
// bodies are large. Absent without time.
func (s Sums) WriteThroughputWall() (float64, bool) { return rate(s.WriteBytes, s.WriteWall, true) }

// ReadThroughputIO is bytes per second of time inside Read, over all downloads. What was in a buffer
// when it was asked for took next to no time.
func (s Sums) ReadThroughputIO() (float64, bool) { return rate(s.ReadBytes, s.ReadIO, true) }

// ReadThroughputWall is bytes per second from the first byte to the last: a caller that reads slowly
// lowers it.
func (s Sums) ReadThroughputWall() (float64, bool) { return rate(s.ReadBytes, s.ReadWall, true) }

func (s *Sums) add(t *Timeline) {
	s.Attempts++
	if t.Err != nil {
		s.Failed++
	}
	if spent, ok := t.writeWall(); ok {
		inIO, _ := t.WriteIO()
		s.WriteBytes += t.RequestBytes
		s.WriteIO += inIO
		s.WriteWall += spent
	}
	if inIO, ok := t.ReadIO(); ok {
		spent, _ := t.LastResponseByte.since(t.FirstResponseByte)
		s.ReadBytes += t.ResponseBytes
		s.ReadIO += inIO
		s.ReadWall += spent
	}
}

// WriteIO is the time that the body of a request spent in the calls that do I/O: from when its first
// piece was there until it was written, without the time in its reads, which is its source's.
//
//	RequestWritten − FirstBodyRead − SourceTime
//
// What is in the socket's queue at the end is not waited for. The kernel's sending of a file
// is I/O. Absent without RequestWritten, and for a copy.
func (t *Timeline) WriteIO() (time.Duration, bool) {
	if t == nil || t.Copied {
		return 0, false
	}
	window, ok := t.RequestWritten.since(t.FirstBodyRead)
	return max(window-t.SourceTime, 0), ok
}

// ReadIO is the time that the body of a response spent inside its Reads, until the last piece,
// without what the caller does between them:
//
//	LastResponseByte − FirstResponseByte − ReaderTime
//
// Absent for a response that was not read to its end, or has no body.
func (t *Timeline) ReadIO() (time.Duration, bool) {
	if t == nil || !t.ResponseEnded || t.ResponseBytes == 0 {
		return 0, false
	}
	window, ok := t.LastResponseByte.since(t.FirstResponseByte)
	return max(window-t.ReaderTime, 0), ok
}

// writeWall is how long an upload took, if it counts for the totals.
func (t *Timeline) writeWall() (time.Duration, bool) {
	if !t.HasBody || t.Copied || !t.sentWhole() || t.RequestBytes == 0 {
		return 0, false
	}
	until := t.RequestWritten
	if t.Drained.Happened() {
		until = t.Drained
	}
	return until.since(t.FirstBodyRead)
}

// Totals is an Observer that adds attempts up and reports each time another stretch of time has been
// spent inside I/O, reading and writing together, ten seconds say: a rate that has seen enough
// to be one, however many small requests that took. Waiting for a source, for an answer to begin or
// for a caller does not bring a report nearer. Make it with NewTotals.
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
		o.add(func(s *Sums) { s.ReadBytes += p.Bytes; s.ReadIO += p.InIO; s.ReadWall += spent })
	}
}

// AddWrite adds what moved through a Writer that is done with.
func (o *Totals) AddWrite(p Progress) {
	if spent, ok := p.Last.since(p.First); ok && o != nil {
		o.add(func(s *Sums) { s.WriteBytes += p.Bytes; s.WriteIO += p.InIO; s.WriteWall += spent })
	}
}

func (o *Totals) add(to func(*Sums)) {
	o.mu.Lock()
	to(&o.since)
	to(&o.all)
	due := o.report != nil && o.every > 0 && o.since.WriteIO+o.since.ReadIO >= o.every
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
