package throughput

import (
	"io"
	"sync/atomic"
	"time"
)

// A meter counts what one body moves. One goroutine at a time moves it; any may look.
//
// This is the hot path, twice a clock reading and two atomic stores for the first piece, one
// and two for each other. Atomic additions would cost as much again, and are not needed with
// one writer: it keeps its own sums and publishes them.
type meter struct {
	start time.Time // offsets count from here; not changed once the meter is in use

	// The writer's own.
	began bool
	moved int64
	calls int64

	// Published.
	first published
	last  published
	bytes atomic.Int64
	reads atomic.Int64
}

// published is a Stamp that others may load while it is stored.
type published struct{ ns atomic.Int64 }

func (p *published) set(s Stamp) { p.ns.Store(int64(s)) }
func (p *published) get() Stamp  { return Stamp(p.ns.Load()) }

// publishEvery is how many calls may pass before their number is published. Only an attempt
// that is given up in the middle of its body sees a number that is behind.
const publishEvery = 16

// before is called when a piece is asked for.
func (m *meter) before() {
	if !m.began {
		m.began = true
		m.first.set(At(time.Since(m.start)))
	}
}

// after is called when n bytes have moved.
func (m *meter) after(n int, err error) {
	if n > 0 {
		m.moved += int64(n)
		m.calls++
		m.bytes.Store(m.moved)
		m.last.set(Stamp(time.Since(m.start)) + 1)
	}
	if m.calls <= 2 || m.calls%publishEvery == 0 || err != nil {
		m.reads.Store(m.calls)
	}
}

func (m *meter) read(r io.Reader, p []byte) (int, error) {
	m.before()
	n, err := r.Read(p)
	m.after(n, err)
	return n, err
}

// stampBegin stamps the beginning and counts nothing: for a body that the kernel moves.
func (m *meter) stampBegin() { m.before() }

// add counts bytes that the kernel moved.
func (m *meter) add(n int64) {
	if n <= 0 {
		return
	}
	m.moved += n
	m.bytes.Store(m.moved)
	m.last.set(At(time.Since(m.start)))
}
