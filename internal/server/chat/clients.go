package chat

import "sync"

// clients are the WebSocket connections that are open.
type clients struct {
	metrics *metrics
	running sync.WaitGroup // as many as reserved

	mu       sync.Mutex
	reserved int // open or in the handshake
	closing  bool
	open     map[*conn]struct{}
}

// reserve makes room for one more, or says why there is none.
func (s *clients) reserve(limit int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return "the server is shutting down"
	}
	if limit > 0 && s.reserved >= limit {
		return "too many connections: the server takes no more for now"
	}
	s.reserved++
	s.running.Add(1)
	return ""
}

// release gives back what reserve took.
func (s *clients) release() {
	s.mu.Lock()
	s.reserved--
	s.mu.Unlock()
	s.running.Done()
}

// start runs a connection in a goroutine of its own, so that the handshake's memory is freed.
// One that comes after close has begun is closed before it is served.
func (s *clients) start(c *conn, serve func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[c] = struct{}{}
	s.metrics.open.Inc()
	late := s.closing
	go func() {
		defer s.leave(c)
		if late {
			c.closeWith(closeGoingAway, shutdownReason)
		}
		serve()
	}()
}

func (s *clients) leave(c *conn) {
	s.mu.Lock()
	delete(s.open, c)
	s.metrics.open.Dec()
	s.mu.Unlock()
	s.release()
}

// close refuses further connections and calls f with every open one.
func (s *clients) close(f func(*conn)) {
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	s.each(f)
}

// each calls f with every open connection. f may block: the list is a copy.
func (s *clients) each(f func(*conn)) {
	s.mu.Lock()
	list := make([]*conn, 0, len(s.open))
	for c := range s.open {
		list = append(list, c)
	}
	s.mu.Unlock()
	for _, c := range list {
		f(c)
	}
}
