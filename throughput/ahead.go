package throughput

import (
	"net"
	"time"
)

// A peeker asks a connection how many bytes have come that nobody has read. One goroutine at a time calls it.
type peeker interface {
	waiting() (int64, error)
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
	asked := a.now()
	n, err := b.peek.waiting()
	if err != nil {
		b.peek = nil
		return
	}
	if n > 0 {
		a.timeline.ResponseAsked = asked
		b.ahead.Store(n)
	}
}

// withHeaders takes the first piece. If it fits into the buffer of net/http, that had read it with the headers.
func (b *responseBody) withHeaders(n int) {
	if ahead := b.ahead.Load(); ahead > 0 && n > 0 && n <= readBuffer {
		b.ahead.Store(ahead + int64(n))
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
