package chat

import (
	"container/heap"
	"sync"
	"time"
)

// alarm wakes one goroutine at a time that can be changed meanwhile.
type alarm interface {
	// set makes wait return after d, instead of what was set before. Any goroutine.
	set(d time.Duration)
	// wait waits for the time that was set and reports true, or false once closed. It may
	// also return early.
	wait() bool
	close()
}

// schedule hands out answers when they are due: those that are due at the same time in the
// order in which they were added.
type schedule struct {
	alarm alarm
	due   func(*answer) // called by run; must not block

	mu    sync.Mutex
	next  uint64
	queue queue
}

func (s *schedule) add(a *answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a.order = s.next
	s.next++
	heap.Push(&s.queue, a)
	if s.queue[0] == a {
		s.alarm.set(time.Until(a.due))
	}
}

// run hands out answers until the alarm is closed.
func (s *schedule) run() {
	var batch []*answer
	for s.alarm.wait() {
		batch = s.pop(batch[:0])
		for _, a := range batch {
			s.due(a)
		}
		clear(batch)
	}
}

// pop takes what is due now and sets the alarm for the rest.
func (s *schedule) pop(batch []*answer) []*answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for len(s.queue) > 0 && !s.queue[0].due.After(now) {
		batch = append(batch, heap.Pop(&s.queue).(*answer))
	}
	if len(s.queue) > 0 {
		s.alarm.set(s.queue[0].due.Sub(now))
	}
	return batch
}

// queue is a heap of answers, the first one due on top.
type queue []*answer

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	if q[i].due.Equal(q[j].due) {
		return q[i].order < q[j].order
	}
	return q[i].due.Before(q[j].due)
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(a any)   { *q = append(*q, a.(*answer)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	a := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return a
}

// timerAlarm is the alarm for systems without a better one, and for tests: the runtime's
// timers may come up to a millisecond late on an idle machine.
type timerAlarm struct {
	timer *time.Timer
	done  chan struct{}
	once  sync.Once
}

func newTimerAlarm() *timerAlarm {
	t := &timerAlarm{timer: time.NewTimer(time.Hour), done: make(chan struct{})}
	t.timer.Stop()
	return t
}

func (t *timerAlarm) set(d time.Duration) { t.timer.Reset(d) }

func (t *timerAlarm) wait() bool {
	select {
	case <-t.timer.C:
		return true
	case <-t.done:
		return false
	}
}

func (t *timerAlarm) close() {
	t.once.Do(func() {
		t.timer.Stop()
		close(t.done)
	})
}
