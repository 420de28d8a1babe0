package store

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/store/flow"
)

// A Silence ends what waits for a server while its connection moves no byte either way. On Linux a byte has moved when
// the other side's kernel has acknowledged it, elsewhere when it was written. It is safe for concurrent use.
type Silence struct {
	limit time.Duration
	late  func()

	mu     sync.Mutex
	timer  *time.Timer
	socket *flow.Socket // nil until there is a connection
	ours   bool         // the server waits for this side
	moved  int64        // bytes of the socket, when it was looked at last
	since  time.Time    // no byte has moved
	over   bool
}

// looks is how often a silence looks at its connection before it ends: it may be longer by one part in so many.
const looks = 10

// NewSilence calls late once, when the connection was silent for limit. It must be stopped.
func NewSilence(limit time.Duration, late func()) *Silence {
	s := &Silence{limit: limit, late: late, since: time.Now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer = time.AfterFunc(limit/looks, s.look)
	return s
}

// look ends the silence, or looks again later.
func (s *Silence) look() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	now, moved := time.Now(), s.socket.Moved()
	if moved != s.moved || s.socket == nil || s.ours {
		s.moved, s.since = moved, now
	}
	left := s.limit - now.Sub(s.since)
	if left <= 0 {
		s.over = true
		s.late()
		return
	}
	s.timer.Reset(min(left, s.limit/looks))
}

// Connected begins to watch a connection. One that was not counted by a flow.Counter is never silent.
func (s *Silence) Connected(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.socket = socketOf(c)
	s.moved, s.since = s.socket.Moved(), time.Now()
}

// Ours says that the server waits for this side; Theirs, that it is the server's turn again.
func (s *Silence) Ours() { s.turn(true) }

// Theirs begins a silence anew.
func (s *Silence) Theirs() { s.turn(false) }

func (s *Silence) turn(ours bool) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ours, s.since = ours, time.Now()
}

// Stop ends the watch.
func (s *Silence) Stop() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	s.timer.Stop()
}

// socketOf finds the socket that counts what a connection carries, below TLS.
func socketOf(c net.Conn) *flow.Socket {
	for c != nil {
		if counted, ok := c.(interface{ Socket() *flow.Socket }); ok {
			return counted.Socket()
		}
		above, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return nil
		}
		c = above.NetConn()
	}
	return nil
}

// Silent is the error of a server that was silent for so long.
func Silent(limit time.Duration) error {
	return &limitError{"no data sent or received for " + limit.String(), "--max-silence"}
}

// LimitHint says which flag allows more time, where it was a limit of ours that ended a request; "" where none did.
func LimitHint(err error) string {
	if late := limitOf(err); late != nil {
		return "raise " + late.flag
	}
	return ""
}

type turnsKey struct{}

// Turns tells the limits of a request whose body is made while it is sent when the server waits for that.
type Turns struct {
	mu      sync.Mutex
	ours    bool
	silence *Silence // of the attempt that goes on; nil for none
}

// WithTurns returns a context whose request's body is made while it is sent.
func WithTurns(ctx context.Context, t *Turns) context.Context {
	return context.WithValue(ctx, turnsKey{}, t)
}

// Ours says that the server waits for the body; Theirs, that it is the server's turn again.
func (t *Turns) Ours() { t.turn(true) }

// Theirs says that there is more of the body, or all.
func (t *Turns) Theirs() { t.turn(false) }

func (t *Turns) turn(ours bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ours = ours
	t.silence.turn(ours)
}

// attach has the turns told to the silence of an attempt.
func (t *Turns) attach(s *Silence) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.silence = s
	s.turn(t.ours)
}
