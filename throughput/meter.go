package throughput

import (
	"io"
	"sync/atomic"
	"time"
)

// A meter counts what one body moves. One goroutine at a time moves it; any may look.
//
// This is the hot path: two clock readings and two atomic stores for each piece, a few more for
// the first. Atomic additions would cost as much again, and are not needed with one writer: it
// keeps its own sums and publishes them.
type meter struct {
	start time.Time // offsets count from here; not changed once the meter is in use

	// The mover's own.
	calls  int64
	moved  int64
	begun  time.Duration // of the last call
	ended  time.Duration
	inside time.Duration // the calls after the one with the first piece, up to that with the last

	// Published.
	asked  published // the first piece was asked for
	first  published // it was there
	last   published // so was the last one
	bytes  atomic.Int64
	reads  atomic.Int64
	within atomic.Int64 // what is inside; behind by up to insideLag
	beyond atomic.Int64 // calls after the last piece: what was asked for in vain
}

// published is a Stamp that others may load while it is stored.
type published struct{ ns atomic.Int64 }

func (p *published) set(s Stamp) { p.ns.Store(int64(s)) }
func (p *published) get() Stamp  { return Stamp(p.ns.Load()) }

const (
	// publishEvery is how many calls may pass before their number is published. Only an attempt
	// that is given up in the middle of its body sees a number that is behind.
	publishEvery = 16
	// insideLag is how much time inside of calls may pass before it is published.
	insideLag = 10 * time.Microsecond
)

// before is called when a piece is asked for, or given.
func (m *meter) before() {
	m.begun = time.Since(m.start)
	if m.calls == 0 && !m.asked.get().Happened() {
		m.asked.set(At(m.begun))
	}
}

// after is called when n bytes have moved. What was waited for the first of them was before the
// body existed; what is waited after the last is known to have been in vain only then.
func (m *meter) after(n int, err error) {
	m.ended = time.Since(m.start)
	spent := m.ended - m.begun
	switch {
	case n > 0:
		if m.calls == 0 {
			m.first.set(At(m.ended))
		} else {
			m.inside += spent + time.Duration(m.beyond.Load())
			m.beyond.Store(0)
		}
		m.moved += int64(n)
		m.calls++
		m.bytes.Store(m.moved)
		m.last.set(At(m.ended))
	case m.calls > 0:
		m.beyond.Store(m.beyond.Load() + int64(spent))
	}
	if err != nil {
		m.publish()
		return
	}
	if m.inside-time.Duration(m.within.Load()) > insideLag {
		m.within.Store(int64(m.inside))
	}
	if m.calls <= 2 || m.calls%publishEvery == 0 {
		m.reads.Store(m.calls)
	}
}

// publish is for the end, and for what broke.
func (m *meter) publish() {
	m.within.Store(int64(m.inside))
	m.reads.Store(m.calls)
}

// refused takes back bytes of the last piece, which could not be given on.
func (m *meter) refused(n int) {
	m.moved -= int64(n)
	m.bytes.Store(m.moved)
}

func (m *meter) read(r io.Reader, p []byte) (int, error) {
	m.before()
	n, err := r.Read(p)
	m.after(n, err)
	return n, err
}

// waited is the time inside of the calls since the first piece was there: those until the last
// piece, and those after it.
func (m *meter) waited() (until, beyond time.Duration) {
	return time.Duration(m.within.Load()), time.Duration(m.beyond.Load())
}

// stampBegin stamps the beginning and counts nothing: for a body that the kernel moves.
func (m *meter) stampBegin() {
	now := At(time.Since(m.start))
	if m.calls == 0 && !m.asked.get().Happened() {
		m.asked.set(now)
	}
	if !m.first.get().Happened() {
		m.first.set(now)
	}
}

// add counts bytes that the kernel moved.
func (m *meter) add(n int64) {
	if n <= 0 {
		return
	}
	m.moved += n
	m.bytes.Store(m.moved)
	m.last.set(At(time.Since(m.start)))
}
