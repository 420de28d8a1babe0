package onlook

import (
	"context"
	"sync"
	"time"
)

// seat is where a watcher sits: nobody who tells it something ever waits for it.
type seat struct {
	show *Show
	w    Watcher
	news chan struct{} // there is something to tell
	quit chan struct{}
	over chan struct{} // closed when the watcher is told nothing any more

	mu   sync.Mutex
	ends []Moment // of which the watcher was not told yet
	look bool     // a run has begun
}

func newSeat(s *Show, w Watcher) *seat {
	return &seat{show: s, w: w, news: make(chan struct{}, 1), quit: make(chan struct{}), over: make(chan struct{})}
}

// begun says that a run has begun.
func (s *seat) begun() {
	s.mu.Lock()
	s.look = true
	s.mu.Unlock()
	s.wake()
}

// ended says that a run is over.
func (s *seat) ended(run Moment) {
	s.mu.Lock()
	if s.ends = append(s.ends, run); len(s.ends) > maxEnds {
		s.ends = s.ends[1:]
	}
	s.mu.Unlock()
	s.wake()
}

func (s *seat) wake() {
	select {
	case s.news <- struct{}{}:
	default: // it will find this, too
	}
}

// run tells the watcher until it leaves.
func (s *seat) run(ctx context.Context, every time.Duration) {
	defer close(s.over)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.w.See(ctx, s.show.Now())
		case <-s.news:
			s.tell(ctx)
		case <-s.quit:
			s.tell(ctx)
			return
		}
	}
}

// tell tells of what has begun and of what is over.
func (s *seat) tell(ctx context.Context) {
	s.mu.Lock()
	ends, look := s.ends, s.look
	s.ends, s.look = nil, false
	s.mu.Unlock()
	for _, run := range ends {
		s.w.Over(ctx, run)
	}
	if look {
		s.w.See(ctx, s.show.Now())
	}
}

func (s *seat) leave(patience context.Context, cut func()) bool {
	close(s.quit)
	select {
	case <-s.over:
		return true
	case <-patience.Done():
		cut()
		<-s.over
		return false
	}
}
