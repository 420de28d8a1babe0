package updates

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/workload"
)

// Client is a publisher with a connection of its own.
type Client struct {
	w      *Updates
	name   uint32 // in its messages
	number int    // among the clients
	slots  []slot

	down atomic.Pointer[op.Failure] // why there is no connection; nil when there is one

	mu      sync.Mutex // guards what follows
	to      topic.Publisher
	log     sequences
	unsure  []uint64
	refused []uint64 // those of unsure that the broker refused in each attempt
}

// slot is a batch that is prepared or on its way.
type slot struct {
	scratch
	index   uint64
	message []byte
	seek    delta.Row   // one of its rows, by which a read finds the batch; its Key is nil when there is none
	wrong   *op.Failure // why there is no message

	// The batch gets its sequence with the first attempt, and keeps it: a server then knows a
	// second delivery from another batch.
	numbered bool
	sequence uint64
	acked    bool // by the broker, whatever the engine thought of the time that it took
	doubtful bool // an attempt failed in a way that does not exclude that the broker took the batch
}

// scratch is the memory of the rows of a batch.
type scratch struct {
	rows []delta.Row
	buf  []byte
}

var (
	notYet = &op.Failure{Cause: "not-connected"}
	ended  = &op.Failure{Cause: "ended", Final: true}
)

// Down says why there is no working connection, or nil.
func (c *Client) Down() *op.Failure { return c.down.Load() }

// Connect makes a publisher in place of a lost one.
func (c *Client) Connect(ctx context.Context) error {
	c.hangUp()
	p, err := c.w.Topic.Publisher(ctx)
	if err != nil {
		why := failure(ctx, err)
		c.w.failures.add(why)
		return why
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down.Load() == ended {
		_ = p.Close()
		return ended
	}
	c.to = p
	c.down.Store(nil)
	return nil
}

// hangUp closes the connection, if there is one.
func (c *Client) hangUp() {
	c.mu.Lock()
	p := c.to
	c.to = nil
	c.mu.Unlock()
	if p != nil {
		_ = p.Close()
	}
}

// Prepare encodes batch number index, but for what only the attempt knows.
func (c *Client) Prepare(n int, index uint64) workload.Operation {
	s := &c.slots[n]
	c.leave(s)
	s.index, s.numbered, s.acked, s.doubtful, s.wrong = index, false, false, false, nil
	rows, err := c.w.Data.rows(index, &s.scratch)
	s.seek = delta.Row{}
	if c.w.Board != nil {
		s.seek = lastUpdate(rows)
	}
	if err == nil {
		h := delta.Header{
			Codec: c.w.codec, Warmup: index >= delta.WarmupIndex, Clock: c.w.ClockID,
			Publisher: delta.Publisher{Run: c.w.Run, Number: c.name},
		}
		s.message, err = delta.Append(s.message[:0], &h, rows)
	}
	if err != nil {
		s.wrong = &op.Failure{Cause: "data", Final: true, Err: err}
	}
	return workload.Operation{}
}

// lastUpdate is the last row that is no delete: once a read finds it, it finds those before it. Without one it is the
// zero row.
func lastUpdate(rows []delta.Row) delta.Row {
	for i := len(rows) - 1; i >= 0; i-- {
		if rows[i].Kind == delta.Update {
			return rows[i]
		}
	}
	return delta.Row{}
}

// leave notes what became of the slot's batch, when no attempt follows.
func (c *Client) leave(s *slot) {
	if !s.numbered || s.acked {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unsure = append(c.unsure, s.sequence)
	if !s.doubtful {
		c.refused = append(c.refused, s.sequence)
	}
}

// Do publishes the slot's batch, and returns when the broker has acknowledged it. The time that
// it may take is the transport's to watch, which has the same bound.
func (c *Client) Do(ctx context.Context, n int, a *op.Attempt) *op.Failure {
	s := &c.slots[n]
	if s.wrong != nil {
		return s.wrong
	}
	first := !s.numbered
	to, why := c.assignSequence(s)
	if why != nil {
		return why
	}
	if first && s.seek.Key != nil {
		c.w.Board.Sent(s.seek.Key, s.seek.Value, s.seek.Type == delta.String && utf8.Valid(s.seek.Value),
			s.index < delta.WarmupIndex, c.w.Clock.At(a.Intended()))
	}
	delta.Stamp(s.message, s.sequence, c.w.Clock.At(a.Intended()), c.w.Clock.At(a.Began()))
	// From here on the batch is the client library's, which returns with the acknowledgement: how
	// long it took to hand the bytes to the network cannot be told apart from the wait.
	a.Sent()
	if err := to.Publish(ctx, s.message); err != nil {
		why := failure(ctx, err)
		s.doubtful = s.doubtful || !topic.NotTaken(why.Cause)
		c.w.failures.add(why)
		c.lose(to, why)
		return why
	}
	s.acked = true
	if c.w.Log != nil {
		c.w.Log.Acknowledged(c.number, s.sequence)
	}
	a.Moved(len(s.message))
	return nil
}

// assignSequence gives the slot's batch its sequence, if it has none, and the publisher to use.
func (c *Client) assignSequence(s *slot) (topic.Publisher, *op.Failure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.to == nil {
		return nil, c.down.Load()
	}
	if !s.numbered {
		s.sequence, s.numbered = c.log.add(s.index), true
		if c.w.Data.ordered() {
			s.sequence = s.index
		}
		if c.w.Log != nil {
			c.w.Log.Sent(c.number, s.index)
		}
	}
	return c.to, nil
}

// lose notes that a connection cannot be used any more, if the failure says so and it is still
// the one that is used.
func (c *Client) lose(p topic.Publisher, why *op.Failure) {
	switch why.Cause {
	case topic.CauseClosed, topic.CauseRefused, topic.CauseUnreachable:
	default:
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.to == p {
		c.down.CompareAndSwap(nil, why)
	}
}

// failure is an error of a transport as the engine takes it.
func failure(ctx context.Context, err error) *op.Failure {
	if ctx.Err() != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return &op.Failure{Cause: topic.CauseTimeout, Timeout: true, Err: err}
		}
		return op.ErrUnfinished
	}
	cause := topic.CauseOf(err)
	var known *topic.Error
	return &op.Failure{
		Cause: cause, Timeout: cause == topic.CauseTimeout, Err: err,
		Final: errors.As(err, &known) && known.Final,
	}
}

// Cut has nothing to do: no attempt lasts before it is sent.
func (c *Client) Cut(*op.Failure) {}

// Close ends the client. No slot publishes any more.
func (c *Client) Close() {
	c.down.Store(ended)
	for i := range c.slots {
		c.leave(&c.slots[i])
		c.slots[i] = slot{} // its memory is not needed for the proof
	}
	c.hangUp()
}
