package engine

import (
	"sync"
	"sync/atomic"
)

// turn is an operation that a slot may perform.
type turn struct {
	index    uint64
	intended int64 // stamp; 0 in the closed model, where it is the actual start
	early    bool  // belongs to the ramp
}

// source hands out operations until its schedule ends. It counts what it scheduled apart
// from anything that the slots and the recorder count.
type source interface {
	// next gives the next operation, or false when there is none left. In the open model it
	// may lie in the future.
	next(now int64) (turn, bool)
	// stop ends the schedule at this stamp: nothing is scheduled from there on.
	stop(stamp int64)
	// exhausted says that the limit of operations is reached.
	exhausted() bool
	// last gives, once the limit is reached, the stamp at which the operation after it would have been due: the
	// schedule of n operations at a rate is as long as n distances, and not n − 1. nil where it has no such end.
	last() <-chan int64
	// queued says whether operations are due that nobody has taken.
	queued() bool
	// giveBack takes back a turn that lies behind the end of the schedule.
	giveBack(t turn)
	// follow schedules a later step of a flow, due at this stamp, or says that it lies behind the end of the schedule.
	// It counts towards no limit: that is of flows.
	follow(index uint64, due int64) (turn, bool)
	// takeBack takes back such a step that did not begin before the schedule ended.
	takeBack(t turn)
	// followed tells how many of finish's operations are such steps.
	followed() (early, scheduled int64)
	// finish, when no slot asks any more, counts as unsent what was due and never handed out,
	// and tells how many operations the schedule held, in the ramp and after it.
	finish() (early, scheduled int64)
}

// closedSource hands out operations as fast as they are asked for.
type closedSource struct {
	first uint64
	limit int64 // of operations
	start int64 // of the window, a stamp
	end   atomic.Int64
	taken atomic.Int64
	early atomic.Int64
	steps stepCount
}

func newClosedSource(first uint64, limit, start int64) *closedSource {
	s := &closedSource{first: first, limit: limit, start: start}
	s.end.Store(never)
	return s
}

func (s *closedSource) next(now int64) (turn, bool) {
	if now >= s.end.Load() {
		return turn{}, false
	}
	n := s.taken.Add(1) - 1
	if n >= s.limit {
		return turn{}, false
	}
	early := now < s.start
	if early {
		s.early.Add(1)
	}
	return turn{index: s.first + uint64(n), early: early}, true
}

func (s *closedSource) stop(stamp int64) { s.end.Store(min(stamp, s.end.Load())) }

func (s *closedSource) exhausted() bool { return s.taken.Load() >= s.limit }

func (s *closedSource) last() <-chan int64 { return nil } // what is done as fast as it can be has no distances

func (s *closedSource) queued() bool { return false }

func (s *closedSource) giveBack(turn) {} // its turns are never in the future

func (s *closedSource) finish() (early, scheduled int64) {
	early = s.early.Load()
	earlySteps, steps := s.steps.both()
	return early + earlySteps, min(s.taken.Load(), s.limit) - early + steps
}

func (s *closedSource) follow(index uint64, due int64) (turn, bool) {
	return s.steps.add(turn{index: index, early: due < s.start}, due < s.end.Load())
}

func (s *closedSource) takeBack(t turn) { s.steps.remove(t) }

func (s *closedSource) followed() (early, scheduled int64) { return s.steps.both() }

// stepCount counts the steps of flows behind their first.
type stepCount struct{ early, later atomic.Int64 }

func (c *stepCount) of(t turn) *atomic.Int64 {
	if t.early {
		return &c.early
	}
	return &c.later
}

func (c *stepCount) add(t turn, inTime bool) (turn, bool) {
	if inTime {
		c.of(t).Add(1)
	}
	return t, inTime
}

func (c *stepCount) remove(t turn) { c.of(t).Add(-1) }

func (c *stepCount) both() (early, later int64) { return c.early.Load(), c.later.Load() }

// openSource hands out operations by the clock. Those that are due and not taken wait in a
// queue; one that comes due when the queue is full is unsent. The queue is worked off by
// whoever asks next, with the arrivals in their order, so its length at each arrival is
// exact although nobody watches the clock for it.
type openSource struct {
	first   uint64
	limit   int64      // of operations
	start   int64      // of the window, a stamp
	begin   int64      // of the arrivals, a stamp
	waiting int        // bound of the queue
	unsent  func(turn) // counts an operation that is never sent
	steps   stepCount

	mu        sync.Mutex
	arrivals  schedule
	end       int64 // nothing is due from this stamp on
	queue     queue
	ahead     int64 // intended start of the next arrival; never when there is none
	drawn     int64
	early     int64
	scheduled int64 // the early ones excluded
	ended     chan int64
}

// open makes the source ready to hand out turns.
func (s *openSource) open() *openSource {
	s.end, s.ended = never, make(chan int64, 1)
	s.draw()
	return s
}

// draw looks at the arrival after the next.
func (s *openSource) draw() {
	s.ahead = never
	if s.drawn >= s.limit {
		if at := s.arrivals.after(); at != never && s.drawn == s.limit {
			s.ended <- s.begin + at // it has room: the limit is reached once
		}
		return
	}
	if at := s.arrivals.next(); at != never {
		s.ahead = s.begin + at
	}
}

// take schedules the next arrival.
func (s *openSource) take() turn {
	t := turn{index: s.first + uint64(s.drawn), intended: s.ahead, early: s.ahead < s.start}
	s.drawn++
	s.count(t, 1)
	s.draw()
	return t
}

func (s *openSource) count(t turn, n int64) {
	if t.early {
		s.early += n
	} else {
		s.scheduled += n
	}
}

// admit lets in what has come due.
func (s *openSource) admit(now int64) {
	for s.ahead <= now && s.ahead < s.end {
		if t := s.take(); s.queue.len() < s.waiting {
			s.queue.push(t)
		} else {
			s.unsent(t)
		}
	}
}

func (s *openSource) next(now int64) (turn, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.admit(now)
	if t, ok := s.queue.pop(); ok {
		return t, true
	}
	if s.ahead >= s.end {
		return turn{}, false
	}
	return s.take(), true
}

// nextDue returns when the first operation that no slot has taken is due; never when there is none left.
func (s *openSource) nextDue() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.queue.len() > 0:
		return s.queue.first().intended
	case s.ahead >= s.end:
		return never
	}
	return s.ahead
}

// overdue takes up to n of the operations that were due at this stamp and that no slot has taken.
func (s *openSource) overdue(stamp int64, n int) (taken []turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.admit(stamp)
	for len(taken) < n && s.queue.len() > 0 && s.queue.first().intended <= stamp {
		t, _ := s.queue.pop()
		taken = append(taken, t)
	}
	return taken
}

// putOff has all that nobody has taken yet be due so much later.
func (s *openSource) putOff(by int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin += by
	if s.ahead != never {
		s.ahead += by
	}
}

func (s *openSource) stop(stamp int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end = min(s.end, stamp)
}

func (s *openSource) exhausted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.drawn >= s.limit
}

func (s *openSource) last() <-chan int64 { return s.ended }

func (s *openSource) queued() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queue.len() > 0
}

func (s *openSource) giveBack(t turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count(t, -1)
}

func (s *openSource) finish() (early, scheduled int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.ahead < s.end {
		s.unsent(s.take())
	}
	for t, ok := s.queue.pop(); ok; t, ok = s.queue.pop() {
		s.unsent(t)
	}
	return s.early + s.steps.early.Load(), s.scheduled + s.steps.later.Load()
}

func (s *openSource) follow(index uint64, due int64) (turn, bool) {
	s.mu.Lock()
	inTime := due < s.end
	s.mu.Unlock()
	return s.steps.add(turn{index: index, intended: due, early: due < s.start}, inTime)
}

func (s *openSource) takeBack(t turn) { s.steps.remove(t) }

func (s *openSource) followed() (early, scheduled int64) { return s.steps.both() }

// queue holds turns in their order, in a ring that grows.
type queue struct {
	ring       []turn
	head, size int
}

func (q *queue) len() int { return q.size }

// first returns the turn that pop would return. The queue must not be empty.
func (q *queue) first() turn { return q.ring[q.head] }

func (q *queue) push(t turn) {
	if q.size == len(q.ring) {
		q.grow()
	}
	q.ring[(q.head+q.size)%len(q.ring)] = t
	q.size++
}

func (q *queue) grow() {
	bigger := make([]turn, max(64, 2*len(q.ring)))
	n := copy(bigger, q.ring[q.head:])
	copy(bigger[n:], q.ring[:q.head])
	q.ring, q.head = bigger, 0
}

func (q *queue) pop() (turn, bool) {
	if q.size == 0 {
		return turn{}, false
	}
	t := q.ring[q.head]
	q.head = (q.head + 1) % len(q.ring)
	q.size--
	return t, true
}
