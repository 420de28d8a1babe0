package web

import (
	"context"
	"net/http"
	"sync"
	"time"
)

const (
	// eventTime bounds the writing of an event. Who takes longer for it is not there any more, or reads nothing.
	eventTime = 5 * time.Second
	// aliveEvery is how often a stream that has nothing to say says so: the other end may be gone.
	aliveEvery = 15 * time.Second
)

// Stream is a state that pages listen to. Each is told the newest, and never what that has replaced: whoever says it
// waits for nobody, and a page that is slow costs nothing but its connection.
type Stream struct {
	mu      sync.Mutex // of what follows
	frame   []byte     // the newest state, as it is written; nil: nothing was said yet
	number  int        // of it, from 1 on
	over    bool       // it is the last
	changed chan struct{}
	heard   int // listeners
}

// NewStream makes a stream that says nothing yet.
func NewStream() *Stream { return &Stream{changed: make(chan struct{})} }

// Say tells all that listen, and whoever comes, a line.
func (s *Stream) Say(line []byte) { s.say(line, false) }

// End is Say for the last line: streams end behind it. A nil line says nothing more.
func (s *Stream) End(line []byte) { s.say(line, true) }

func (s *Stream) say(line []byte, last bool) {
	var frame []byte
	if line != nil {
		frame = make([]byte, 0, len(line)+len("data: \n\n"))
		frame = append(append(append(frame, "data: "...), line...), "\n\n"...)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	if s.over = last; frame != nil {
		s.frame = frame
		s.number++
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// Listeners is how many listen.
func (s *Stream) Listeners() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heard
}

// ServeHTTP tells a page all states until the last, or until it is gone.
func (s *Stream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return
	}
	s.come(1)
	defer s.come(-1)
	to := teller{w, http.NewResponseController(w)}
	if to.write([]byte("retry: 2000\n\n")) != nil {
		return
	}
	for told := 0; ; {
		frame, number, over, changed := s.now()
		if number > told {
			if to.write(frame) != nil {
				return
			}
			told = number
		}
		if over || !waits(r.Context(), changed, to) {
			return
		}
	}
}

func (s *Stream) come(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard += n
}

// now is the newest state; changed is closed when there is another.
func (s *Stream) now() (frame []byte, number int, over bool, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.frame, s.number, s.over, s.changed
}

// waits waits for another state; false: who listened is gone.
func waits(ctx context.Context, changed <-chan struct{}, to teller) bool {
	alive := time.NewTicker(aliveEvery)
	defer alive.Stop()
	for {
		select {
		case <-changed:
			return true
		case <-ctx.Done():
			return false
		case <-alive.C:
			if to.write([]byte(":\n\n")) != nil {
				return false
			}
		}
	}
}

// teller writes to a page, each time within a bound.
type teller struct {
	w    http.ResponseWriter
	more *http.ResponseController
}

func (t teller) write(text []byte) error {
	_ = t.more.SetWriteDeadline(time.Now().Add(eventTime)) // one that cannot has none
	if _, err := t.w.Write(text); err != nil {
		return err
	}
	return t.more.Flush()
}
