package aws

import (
	"net"
	"sync"
	"time"
)

// wire is a connection below TLS that knows when its bytes came in, and when they went out.
type wire struct {
	net.Conn
	stamps *stamps // nil: the kernel does not stamp
	watch  bool    // whether anybody wants to know

	waiting     bool // for the first bytes of a request
	at, latest  time.Time
	kernel      bool
	latestStamp bool

	writing  sync.Mutex // TLS may write while it reads
	departed time.Time  // the kernel's stamp of the last byte written; zero without one
}

// newWire watches the reads of nc if asked to.
func newWire(nc net.Conn, watch bool) *wire {
	w := &wire{Conn: nc, watch: watch}
	if watch {
		w.stamps = newStamps(nc)
	}
	return w
}

// Read reads, and notes the time.
func (w *wire) Read(p []byte) (n int, err error) {
	if !w.watch {
		return w.Conn.Read(p)
	}
	if w.stamps == nil || len(p) == 0 {
		n, err = w.Conn.Read(p)
		w.latest, w.latestStamp = time.Now(), false
	} else {
		n, w.latest, err = w.stamps.read(p)
		if w.latestStamp = !w.latest.IsZero(); !w.latestStamp {
			w.latest = time.Now()
		}
	}
	if w.waiting && n > 0 {
		w.waiting = false
		w.at, w.kernel = w.latest, w.latestStamp
	}
	return n, err
}

// Write writes, and keeps the time at which the last byte left.
func (w *wire) Write(p []byte) (n int, err error) {
	if w.stamps == nil {
		return w.Conn.Write(p)
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	if n, err = w.Conn.Write(p); n > 0 {
		w.departed = w.stamps.wrote(n)
	}
	return n, err
}

// sent is when the last byte written left, not before the moment at which its writing began; it is called
// after that, by who wrote. It is now where the kernel has not stamped it.
func (w *wire) sent(began time.Time) (at time.Time, kernel bool) {
	w.writing.Lock()
	defer w.writing.Unlock()
	if at := w.departed; !at.IsZero() && !at.Before(began) {
		return at, true
	}
	return time.Now(), false
}

// expect says that the next bytes are a request's first.
func (w *wire) expect() { w.waiting = true }

// first is when the request's first bytes came in. If they were there before they were
// expected, with the end of something else, it is when that came.
func (w *wire) first() (time.Time, bool) {
	if w.waiting {
		w.waiting = false
		return w.latest, w.latestStamp
	}
	return w.at, w.kernel
}
