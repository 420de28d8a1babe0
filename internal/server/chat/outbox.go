package chat

import (
	"slices"
	"sync"
	"time"
)

// errand is something to do for a client at a time: to send a reply, or to drop the
// connection.
type errand struct {
	due time.Time
	to  *outbox

	reply   *reply  // nil when the connection is to be dropped
	fault   int     // of the decision
	cut     float64 // of the decision
	ordered bool    // counts among the answers that keep their order
	parked  bool    // held back for a later one to overtake; guarded by to.mu
	undone  bool    // was overtaken, and sent by other means; guarded by to.mu
}

// outbox holds a connection's answers that cannot be written at once. Answers leave it in
// the order of the messages, but for those that a fault takes out of it: they pass through
// the schedule until they are due, then through ready, and are written by one goroutine at
// a time.
type outbox struct {
	conn *conn
	s    *sender

	mu       sync.Mutex
	room     sync.Cond // signalled when bytes has shrunk or the connection ends
	bytes    int       // of all replies inside
	waiting  int       // ordered answers in the schedule
	lastDue  time.Time // of the ordered answers
	held     []*errand // waiting for the next ordered answer
	ready    []*errand
	flushing bool
}

// maxOutbox bounds the bytes that wait for one connection; beyond it, its messages are not
// read until some have gone out.
const maxOutbox = 8 << 20

func newOutbox(c *conn, s *sender) *outbox {
	o := &outbox{conn: c, s: s}
	o.room.L = &o.mu
	return o
}

// submit takes an ordered answer: it goes out at its time, or when the last one goes if that
// is later. It goes out now, in the caller's goroutine, if nothing is in its way.
func (o *outbox) submit(a *errand, now time.Time) {
	o.mu.Lock()
	o.admit(a)
	a.ordered = true
	if a.due.Before(o.lastDue) {
		a.due = o.lastDue
	}
	a.due = o.s.afterStall(a.due)
	o.lastDue = a.due
	overtaken := o.held
	o.held = nil
	direct := !a.due.After(now) && o.waiting == 0 && !o.flushing && len(o.ready) == 0
	if direct {
		o.ready = append(o.ready, a)
	} else {
		o.waiting++
		o.s.schedule(a)
	}
	for _, h := range overtaken {
		// h itself stays in the schedule, with nothing left to do.
		h.undone = true
		again := &errand{due: a.due, to: o, reply: h.reply, fault: reorder, cut: h.cut, ordered: true}
		if direct {
			o.ready = append(o.ready, again)
		} else {
			o.waiting++
			o.s.schedule(again)
		}
	}
	if direct {
		o.flushing = true
	}
	o.mu.Unlock()
	if direct {
		o.flush()
	}
}

// postpone takes an answer that goes out at its time whatever the others do.
func (o *outbox) postpone(a *errand) {
	o.mu.Lock()
	o.admit(a)
	o.mu.Unlock()
	a.due = o.s.afterStall(a.due)
	o.s.schedule(a)
}

// park takes an answer that waits for the next ordered one, and after patience for no more.
func (o *outbox) park(a *errand, patience time.Duration) {
	a.parked = true
	o.mu.Lock()
	defer o.mu.Unlock()
	o.admit(a)
	a.due = o.s.afterStall(a.due.Add(patience))
	o.held = append(o.held, a)
	o.s.schedule(a)
}

// admit counts an answer in, when there is room for it.
func (o *outbox) admit(a *errand) {
	if a.reply == nil {
		return
	}
	for o.bytes > maxOutbox && !o.conn.ending.Load() {
		o.room.Wait()
	}
	o.bytes += len(a.reply.buf)
}

// wake lets a reader go that waits for room.
func (o *outbox) wake() {
	o.mu.Lock() // or a reader that has just looked, and not yet waits, would miss it
	defer o.mu.Unlock()
	o.room.Broadcast()
}

// fallDue takes an answer that is due. It reports whether there is now something to flush and
// nobody at it; the caller then has to call flush.
func (o *outbox) fallDue(a *errand) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if a.ordered {
		o.waiting--
	}
	if a.undone {
		return false
	}
	if a.parked {
		o.held = slices.DeleteFunc(o.held, func(h *errand) bool { return h == a })
		a.fault = heldInVain
	}
	o.ready = append(o.ready, a)
	if o.flushing {
		return false
	}
	o.flushing = true
	return true
}

// flush writes what is ready until nothing is. Only the goroutine that set flushing calls it.
func (o *outbox) flush() {
	for {
		o.mu.Lock()
		batch := o.ready
		o.ready = nil
		if len(batch) == 0 {
			o.flushing = false
			o.mu.Unlock()
			return
		}
		o.mu.Unlock()
		size := 0
		for _, a := range batch {
			if a.reply != nil {
				size += len(a.reply.buf) // before perform gives the reply back
			}
			o.s.perform(o.conn, a)
		}
		o.mu.Lock()
		o.bytes -= size
		o.mu.Unlock()
		o.room.Broadcast()
	}
}
