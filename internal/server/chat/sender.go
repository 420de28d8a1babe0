package chat

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/wake"
)

// sender carries out what the faults ask for. A server without faults has none.
type sender struct {
	responder *responder
	faults    Faults
	alarms    *wake.Scheduler

	number  atomic.Uint64             // of the next message's decision
	first   atomic.Pointer[time.Time] // when the first message came
	flushes sync.WaitGroup
}

func newSender(f Faults, by *responder, alarms *wake.Scheduler) *sender {
	return &sender{faults: f, responder: by, alarms: alarms}
}

// schedule lets an answer come when it is due. Answers that are due at the same time come in the
// order of these calls.
func (s *sender) schedule(a *errand) { s.alarms.At(a.due, func() { s.startWriting(a) }) }

// startWriting starts the writing of an answer that is due. A client that doesn't read must not hold
// up the others, so each connection's writing has a goroutine, which ends with it.
func (s *sender) startWriting(a *errand) {
	if a.to.fallDue(a) {
		s.flushes.Go(a.to.flush)
	}
}

// stop drops the answers that have not come. All connections must have ended before it.
func (s *sender) stop() {
	s.alarms.Close()
	s.flushes.Wait()
}

// decide takes the next decision.
func (s *sender) decide(received time.Time) decision {
	if s.faults.StallFor > 0 && s.first.Load() == nil {
		s.first.CompareAndSwap(nil, &received)
	}
	return s.faults.decide(s.number.Add(1) - 1)
}

// send takes the reply to a message, ready but for what the decision does to it.
func (s *sender) send(o *outbox, r *reply, d decision, received time.Time) {
	a := &errand{to: o, due: received.Add(d.delay), reply: r, fault: d.fault, cut: d.cut}
	switch d.fault {
	case silent:
		s.responder.metrics.faults[silent].Inc()
		s.responder.replies.put(r)
		return
	case drop:
		s.responder.replies.put(r)
		a.reply = nil
	case garbage:
		r.spoil()
	case late:
		a.due = a.due.Add(s.faults.LateBy)
		o.postpone(a)
		return
	case reorder:
		o.park(a, reorderPatience)
		return
	}
	o.submit(a, received)
}

// afterStall is t, or the end of the stall if t falls into it.
func (s *sender) afterStall(t time.Time) time.Time {
	first := s.first.Load()
	if first == nil {
		return t
	}
	begin := first.Add(s.faults.StallAfter)
	if end := begin.Add(s.faults.StallFor); !t.Before(begin) && t.Before(end) {
		return end
	}
	return t
}

// perform writes an answer, or does what is to be done instead, and counts it.
func (s *sender) perform(c *conn, a *errand) {
	if a.reply == nil {
		if !c.ending.Load() {
			s.responder.metrics.faults[drop].Inc() // first, so that whoever sees the end finds it counted
			c.end()
		}
		return
	}
	defer s.responder.replies.put(a.reply)
	if c.ending.Load() {
		return
	}
	if a.fault != none {
		s.responder.metrics.faults[a.fault].Inc()
	}
	s.write(c, a)
	if a.fault == duplicate {
		s.write(c, a)
	}
}

func (s *sender) write(c *conn, a *errand) {
	a.reply.stamp(time.Now(), &s.responder.clock)
	var err error
	if size := s.faults.Fragment; size > 0 && len(a.reply.payload()) > size {
		r := s.responder.replies.get()
		defer s.responder.replies.put(r)
		r.buf = a.reply.appendFragments(r.buf[:0], size)
		err = c.writeCut(r.buf, int(a.cut*float64(len(r.buf))))
	} else {
		err = c.answer(a.reply)
	}
	if err == nil {
		s.responder.metrics.sent.Add(float64(len(a.reply.payload())))
	}
}
