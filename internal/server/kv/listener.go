package kv

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/server/kv/store"
	"github.com/plimsoll/plimsoll/internal/topic"
)

// listener is one goroutine that receives and applies.
type listener struct {
	s       *Server
	rows    []delta.Row
	work    []*work         // of one receive call
	again   []topic.Message // that another listener works on
	acks    []topic.Message
	began   atomic.Int64           // of the receive call that goes on, on the clock
	failing atomic.Pointer[string] // why the last receive call that ended failed; nil: it did not
}

// work is a batch that was claimed and applied, on its way to be acknowledged.
type work struct {
	p             *publisher
	h             delta.Header
	payload       []byte
	message       topic.Message
	arrived       time.Time
	taken, ready  time.Time
	applied       int64
	stale         int64
	acknowledging bool
}

// The waits after receive calls that failed.
const (
	firstBackoff = 20 * time.Millisecond
	lastBackoff  = 2 * time.Second
)

// listen receives until ctx is done.
func (l *listener) listen(ctx context.Context, sub topic.Subscription) {
	pauses, failures := backoff.Between{First: firstBackoff, Last: lastBackoff}, 0
	for ctx.Err() == nil {
		l.began.Store(l.s.clock.Now())
		received, err := sub.Receive(ctx)
		if ctx.Err() != nil && len(received.Messages) == 0 {
			return
		}
		if err != nil {
			l.s.receiveFailed(l, err)
			if !pauses.Wait(ctx, failures) {
				return
			}
			failures++
			continue
		}
		failures = 0
		l.s.receives(l)
		// What has been received is worked off even when the server is told to end.
		l.handle(context.WithoutCancel(ctx), sub, &received)
	}
}

// cannot says why the listener cannot receive, or "". A call that failed is made again, and goes on
// until something comes; when it has gone on for longer than the few requests that it begins with, it
// is as good as one that succeeded.
func (l *listener) cannot() string {
	why := l.failing.Load()
	if why == nil || time.Duration(l.s.clock.Now()-l.began.Load()) > 3*l.s.cfg.Timeout {
		return ""
	}
	return *why
}

// handle applies what one receive call has returned, and acknowledges it.
func (l *listener) handle(ctx context.Context, sub topic.Subscription, r *topic.Received) {
	l.work, l.again, l.acks = l.work[:0], l.again[:0], l.acks[:0]
	for i := range r.Messages {
		l.take(&r.Messages[i], r, (*publisher).claim)
	}
	l.s.timeReceive(r, l.work)
	l.settle()
	l.acknowledge(ctx, sub)
	// Nothing is claimed now, so there may be waiting for others.
	for _, m := range l.again {
		l.work, l.acks = l.work[:0], l.acks[:0]
		l.take(&m, r, (*publisher).await)
		l.settle()
		l.acknowledge(ctx, sub)
	}
	clear(l.work[:cap(l.work)]) // the messages' memory is not held until the next call returns
	clear(l.again[:cap(l.again)])
	clear(l.acks[:cap(l.acks)])
}

// take decodes a message, claims its batch, and applies it.
func (l *listener) take(m *topic.Message, r *topic.Received, claim func(*publisher, uint64, int) (claim, error)) {
	w := &work{message: *m, payload: m.Payload, arrived: m.Arrived, taken: time.Now()}
	if w.arrived.IsZero() {
		w.arrived = r.Ended
	}
	var err error
	w.h, l.rows, err = decode(m.Payload, l.rows)
	if err != nil {
		l.s.unreadable(err)
		if !m.Others || !errors.Is(err, delta.ErrForeign) { // what somebody else waits for is left
			l.acks = append(l.acks, *m)
		}
		return
	}
	w.p = l.s.registry.use(w.h.Publisher)
	switch c, err := claim(w.p, w.h.Sequence, len(l.rows)); c {
	case claimed:
		l.apply(w)
		return
	case duplicate:
		l.s.metrics.duplicates.Inc()
		l.acks = append(l.acks, *m)
	case busy:
		l.again = append(l.again, *m)
	case refused:
		l.s.unreadable(err)
		l.acks = append(l.acks, *m)
	}
	l.s.registry.release(w.p)
}

// errNoRun is of a message whose rows would tie with those of files.
var errNoRun = errors.New("its run is 0, which is reserved for files")

// decode reads a message that the store can take. The rows' memory is kept for the next one.
func decode(payload []byte, rows []delta.Row) (delta.Header, []delta.Row, error) {
	h, decoded, err := delta.Decode(payload, rows)
	if err != nil {
		return h, rows, err
	}
	if h.Publisher.Run == 0 {
		return h, decoded, errNoRun
	}
	return h, decoded, store.Check(decoded)
}

// apply applies a batch that was claimed.
func (l *listener) apply(w *work) {
	if d := l.s.cfg.ApplyDelay; d > 0 {
		time.Sleep(time.Until(w.arrived.Add(d))) // a fault that was asked for
	}
	a, err := l.s.store.Apply(batchOf(w.p, w.h.Sequence), l.rows)
	if err != nil {
		l.s.refuse(w.p.run, err)
		w.p.settle(w.h.Sequence, false, a.Applied, 0)
		l.s.registry.release(w.p)
		return
	}
	w.ready = time.Now()
	w.applied, w.stale = a.Applied, a.Stale
	l.work = append(l.work, w)
}

// settle writes the batches to the journal and enters them among the sequences.
func (l *listener) settle() {
	if len(l.work) == 0 {
		return
	}
	err := l.s.journal.append(l.work)
	for _, w := range l.work {
		if err == nil {
			l.s.timeBatch(w) // before it counts: who waits for the last batch asks for its times then
			w.acknowledging = !l.s.skipped()
		} else {
			l.s.refuse(w.p.run, err)
		}
		w.p.settle(w.h.Sequence, err == nil, w.applied, w.stale)
		l.s.registry.release(w.p)
	}
	if err != nil {
		l.work = l.work[:0]
		return
	}
	l.s.recovered()
}

// acknowledge tells the broker of all messages that need not come again.
func (l *listener) acknowledge(ctx context.Context, sub topic.Subscription) {
	for _, w := range l.work {
		if w.acknowledging {
			l.acks = append(l.acks, w.message)
		}
	}
	if len(l.acks) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, l.s.cfg.Timeout)
	defer cancel()
	if err := sub.Ack(ctx, l.acks); err != nil {
		l.s.ackFailed(err) // they come again, and are duplicates then
		return
	}
	known := time.Now()
	for _, w := range l.work {
		if w.acknowledging {
			l.s.timeAcknowledge(w, known)
		}
	}
}
