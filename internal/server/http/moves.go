package http

import (
	"net/http"
	"time"
)

// moves give a client the idle time anew while it sends a body or takes an answer, so that one that does neither any
// more holds a connection no longer than that. It is done once in a while: setting a deadline costs what a small
// request does.
type moves struct {
	control       *http.ResponseController
	idle          time.Duration
	read, written time.Time // when the time was given last; of the answer, net/http gave it with the headers
}

// few is how many times the idle time is given within itself.
const few = 8

// reads is called before a body is read.
func (m *moves) reads(now time.Time) {
	if now.Sub(m.read) >= m.idle/few {
		m.read = now
		_ = m.control.SetReadDeadline(now.Add(m.idle))
	}
}

// writes is called before some of an answer is written.
func (m *moves) writes(now time.Time) {
	if now.Sub(m.written) >= m.idle/few {
		m.written = now
		_ = m.control.SetWriteDeadline(now.Add(m.idle))
	}
}

// waits is called before an answer is made late.
func (m *moves) waits(now, until time.Time) {
	if until.Sub(now) < m.idle/few {
		return
	}
	if !m.read.IsZero() {
		m.read = until
		_ = m.control.SetReadDeadline(until.Add(m.idle))
	}
	m.written = until
	_ = m.control.SetWriteDeadline(until.Add(m.idle))
}
