package throughput

import (
	"net"
	"time"
)

// A peeker asks a connection how many bytes have come that nobody has read. One goroutine at a time calls it.
type peeker interface {
	waiting() (int64, error)
	// silent is for how long, at least and at most, nothing has come.
	silent() (least, most time.Duration, err error)
	// received is how many bytes have come on the connection; false where nobody counts.
	received() (int64, bool)
}

const (
	// aheadFrom is from what length of a response on its connection is asked: of less, what can have come
	// before the caller could read is no rate, and asking takes three allocations.
	aheadFrom = 64 << 10
	// readBuffer is that of net/http, from which the first piece of a body comes.
	readBuffer = 4 << 10
	// askAfter is for how long a caller is away, in pauses that are none by themselves, before the connection
	// is asked what has come meanwhile. That takes 0.6 µs.
	askAfter = 100 * time.Microsecond
	// asks is how often to ask what has come, until no processor was missing between the stamp and the answer.
	asks = 3
)

// peek returns what can ask a connection, or nil.
func (s system) peek(c net.Conn) peeker {
	switch {
	case s.peeker != nil:
		return s.peeker(c)
	case s.prober != nil:
		return nil
	}
	return newPeeker(c)
}

// lookAhead asks what of the response has come already: who waits for a processor sees its first byte late, and
// what came meanwhile has no part in the time that the rest takes. HTTP/2 takes what comes before anybody reads it,
// and is not asked. The caller holds the lock.
func (a *attempt) lookAhead(b *responseBody) {
	if a.conn == nil || a.place != nil || b.length >= 0 && b.length < aheadFrom || a.timeline.Uncompressed {
		return
	}
	if b.peek = a.exchange.transport.system.peek(a.conn); b.peek == nil {
		return
	}
	if b.length < 0 {
		if b.came, b.counts = b.peek.received(); b.counts {
			n, _ := b.peek.waiting()
			b.came -= n // which the response may begin with
		}
	}
	for range asks {
		asked := a.now()
		n, err := b.peek.waiting()
		if err != nil {
			b.peek = nil
			return
		}
		if n > 0 {
			a.timeline.ResponseAsked = asked
			b.began, _ = asked.Offset()
			b.ahead.Store(n)
		}
		if a.now()-asked <= Stamp(stampError) {
			return
		}
	}
}

// withHeaders takes the first piece. If it fits into the buffer of net/http, that had read it with the headers. Who
// reads a Conn says so.
func (b *responseBody) withHeaders(n int) {
	if b.from == nil {
		return
	}
	if ahead := b.ahead.Load(); ahead > 0 && n > 0 && n <= readBuffer {
		b.ahead.Store(ahead + int64(n))
	}
}

// had takes what of the body was read with the head. What is more than net/http reads with it is not of the rate, as
// nobody knows how long it took. The caller holds the attempt's lock.
func (b *responseBody) had(n int64) {
	m := &b.received
	m.before()
	m.after(int(n), nil)
	t := &b.attempt.timeline
	if n > readBuffer && !t.ResponseAsked.Happened() {
		t.ResponseAsked = b.attempt.responseRead
		b.began, _ = t.ResponseAsked.Offset()
	}
	if n > readBuffer || b.ahead.Load() > 0 {
		b.ahead.Store(b.ahead.Load() + n)
	}
}

// buffered is how much of a response may have been read from its connection when its head was: the largest buffer in
// use, and a record of TLS.
const buffered = 64<<10 + record

// decompressed reports, at the end, whether more was read than was declared, or than came on the connection.
func (b *responseBody) decompressed() bool {
	if b.length >= 0 {
		return b.received.moved > b.length
	}
	if b.peek == nil || !b.counts {
		return false
	}
	now, ok := b.peek.received()
	return ok && b.received.moved > now-b.came+buffered
}

// lookBack judges how late the caller saw the last byte: who waits for a processor finds more when it gets one, and
// that had come at some time since the wait began. At the rate before, what was found explains some of that time.
// The connection tells more. What was counted as a pause is told of as such.
func (b *responseBody) lookBack() {
	last, _ := b.received.last.get().Offset()
	var late time.Duration
	if b.waited > 0 { // who never waits is the limit by itself
		late = last - max(b.waited, b.began)
	}
	if so, took := b.before-b.ahead.Load(), b.waited-b.began; so > 0 && took > 0 {
		late -= time.Duration(float64(b.received.moved-b.before) * float64(took) / float64(so))
	}
	if b.peek != nil {
		least, most, err := b.peek.silent()
		// Later than that, the next answer may have come.
		if passed := time.Since(b.received.start) - last; err == nil && passed <= stampError {
			late = max(min(late, most-passed), least-passed)
		}
	}
	if late -= time.Duration(b.paused.Load()); late > stampError {
		b.late.Store(int64(late))
	}
}

// behind takes a pause of the caller, and reports whether it was counted: where pauses, however short, have become
// long together, and so much has come that the network may have stopped, they are one.
func (b *responseBody) behind(pause time.Duration) bool {
	if b.away += pause; b.away < askAfter || b.peek == nil {
		return false
	}
	away := b.away
	b.away = 0
	n, err := b.peek.waiting()
	if err != nil {
		b.peek = nil
	}
	if n <= bridged {
		return false
	}
	b.paused.Store(b.paused.Load() + int64(away))
	return true
}
