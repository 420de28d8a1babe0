package ws

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/internal/wsproto"
)

// Client is one user with a connection.
type Client struct {
	t      *Traffic
	number uint64
	room   int // that it joins, counted from 0; −1 when rooms are drawn
	slots  []prepared
	values template.Values // of its messages, but for what is the message's own
	reader sync.WaitGroup  // reads the connection
	jar    jar             // of who connects

	// sending orders the sequence numbers. Without TLS no one waits for the target while holding it.
	sending sync.Mutex
	stamps  template.Stamps

	flushing sync.Mutex // held for the time that a flush bounds the link's writing

	down atomic.Pointer[op.Failure] // why there is no connection; nil when there is one

	mu      sync.Mutex // guards what follows, and the changes of down
	pending pending
	talk    *talk // the present connection; nil: none
}

// prepared is a slot's message.
type prepared struct {
	message *wsproto.Message
	values  template.Values
	mark    []byte
	body    []byte // what all attempts have in common
	sent    []byte // the whole, as sent last
	talk    *talk  // over which
	how     sent

	reaching reaching // of a message that is to reach the receivers
}

// sent is how far the sending of a message has come.
type sent int

const (
	wholly sent = iota
	partly      // the rest is left to flush
	lost        // with the connection, whose reader ends the attempt
)

var (
	notYet = &op.Failure{Cause: "not-connected"}
	ended  = &op.Failure{Cause: "ended"}
	// cutOff ends the connection of a message that was not sent or answered in its time, and what else waits on it.
	cutOff = &op.Failure{Cause: cause.CutOff}
)

// Down says why there is no working connection, or nil.
func (c *Client) Down() *op.Failure { return c.down.Load() }

// Connect establishes a connection in place of a lost one, and opens it as the protocol has it.
func (c *Client) Connect(ctx context.Context) error {
	c.reader.Wait() // of the connection that was lost
	k := c.t.newTalk(c, c.values)
	k.jar = &c.jar
	if err := k.dial(ctx, readBuffer); err != nil {
		return err
	}
	c.mu.Lock()
	if c.down.Load() == ended {
		c.mu.Unlock()
		_ = k.Close()
		return ended
	}
	c.talk = k
	c.mu.Unlock()
	c.reader.Go(k.read)
	why := k.start(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if why == nil && c.talk != k {
		why = c.down.Load() // it was lost at once
	}
	if why != nil {
		_ = k.Close()
		return why
	}
	c.pending.renew(k.wire, k.values.Kept)
	c.down.Store(nil)
	return nil
}

// Prepare makes message number index for a slot.
func (c *Client) Prepare(slot int, index uint64) workload.Operation {
	s := &c.slots[slot]
	d := newDraws(c.t.options.Seed, index)
	kind, room := c.t.kind(&d), c.room
	if room < 0 {
		room = int(d.below(uint64(c.t.options.Rooms)))
	}
	s.message = &c.t.protocol.Messages[kind]
	parts := s.values.Parts
	s.values = c.values
	s.values.Parts, s.values.Index, s.values.Room = parts, index, uint64(room)+1
	s.body = s.message.Send.Head(s.body[:0], &s.values)
	return workload.Operation{Kind: kind, Group: room}
}

// Do sends the slot's message and waits for the reply.
func (c *Client) Do(_ context.Context, slot int, a *op.Attempt) *op.Failure {
	c.sending.Lock()
	why := c.begin(slot, a)
	c.sending.Unlock()
	if why != nil {
		return why
	}
	return c.Await(slot, a)
}

// sender is a client that can send without waiting. TLS may wait for the target when it writes.
type sender struct{ *Client }

// Reserve is false while another slot sends, and without a connection.
func (c sender) Reserve(int) bool { return c.down.Load() == nil && c.sending.TryLock() }

// Send sends of the slot's message what can be sent at once.
func (c sender) Send(slot int, a *op.Attempt) {
	defer c.sending.Unlock()
	if why := c.begin(slot, a); why != nil {
		c.slots[slot].how = lost
		a.Complete(why)
	}
}

// Await sends what is left of the slot's message, and waits for the reply.
func (c *Client) Await(slot int, a *op.Attempt) *op.Failure {
	s := &c.slots[slot]
	c.sending.Lock() // its answer may be read before Send has come back
	how, k := s.how, s.talk
	c.sending.Unlock()
	if how == partly && c.flush(k, a) {
		how = wholly
		a.Sent()
	}
	if how == wholly {
		a.Moved(len(s.sent))
	}
	why := a.Await()
	if why == nil && c.t.receivers == nil {
		return nil
	}
	c.mu.Lock()
	if why != nil {
		c.pending.release(slot)
	} else {
		c.pending.slots[slot].attempt = nil // no answer has ended it
	}
	c.mu.Unlock()
	switch {
	case why == nil || why == nobody:
	case c.t.receivers != nil:
		return c.settleFanOut(s, why)
	case c.t.unnamed && (why.Timeout || why == op.ErrUnfinished):
		c.cutTalk(k, why) // nobody can tell any more whose answer the next one is
	}
	return why
}

// begin sends as much of the slot's message as can be sent at once; with TLS all of it. The caller holds sending.
func (c *Client) begin(slot int, a *op.Attempt) *op.Failure {
	c.mu.Lock()
	if why := c.down.Load(); why != nil {
		c.mu.Unlock()
		return unsent(why)
	}
	k := c.talk
	seq, id := c.pending.register(slot, a)
	c.mu.Unlock()
	s := &c.slots[slot]
	s.talk = k
	if err := c.render(s, seq, id, a); err != nil {
		c.forget(slot)
		return &op.Failure{Cause: notMade, Final: true, Err: err}
	}
	if c.t.receivers != nil && !c.fanOut(s, seq, a) {
		c.forget(slot)
		return nobody
	}
	switch err := k.ws.WriteMessage(c.t.opcode, s.sent); {
	case err != nil:
		// The library has closed the connection, or was about to. Its reader ends with the
		// first cause, which this error need not be, and then all that wait end with it.
		s.how = lost
	case k.kept.Load():
		s.how = partly
	default:
		s.how = wholly
		a.Sent()
	}
	return nil
}

// unsent continues an attempt on a new connection if it found its own lost before anything was sent.
func unsent(why *op.Failure) *op.Failure {
	if why == ended || why == op.ErrUnfinished {
		return why
	}
	return &op.Failure{Cause: why.Cause, Err: why.Err, GoesOn: true}
}

var nobody = &op.Failure{Cause: nobodyThere, Final: true}

// notMade is the cause of a message that cannot be made of its values.
const notMade = "not-made"

// render makes the slot's message as this attempt sends it.
func (c *Client) render(s *prepared, seq, id uint64, a *op.Attempt) (err error) {
	v := &s.values
	v.ID, v.Now, v.Stamps, v.Kept = id, a.Began(), &c.stamps, s.talk.values.Kept
	if c.t.marked {
		s.mark = appendMark(s.mark[:0], c.t.tag, v.Index, c.number, seq)
		v.Mark = s.mark
	}
	s.sent, err = s.message.Send.Tail(append(s.sent[:0], s.body...), v)
	return err
}

// forget takes an attempt that was not sent out of the table.
func (c *Client) forget(slot int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending.slots[slot].attempt = nil
}

// flush sends what is left of an attempt's message, until its deadline: a target that answers what it has not read
// could hold it up for good. If that fails, the connection is lost.
func (c *Client) flush(k *talk, a *op.Attempt) bool {
	c.flushing.Lock() // who flushed before takes the bound away, which must not be this one's
	defer c.flushing.Unlock()
	c.sending.Lock()
	k.kept.Store(false) // what is left from now on is another's to flush, too
	c.sending.Unlock()
	c.bound(k, a.Deadline())
	err := k.wire.Flush()
	c.bound(k, time.Time{})
	switch {
	case err == nil:
		return true
	case errors.Is(err, os.ErrDeadlineExceeded):
		a.Complete(op.ErrTimeout) // which its own timer may not have done yet
		c.end(k, cutOff)
	case !errors.Is(err, net.ErrClosed):
		c.end(k, c.t.loss(err, nil))
	}
	_ = k.Close()
	return false
}

// bound sets the time in which a link must have written, unless Close has set its own.
func (c *Client) bound(k *talk, deadline time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.talk == k {
		_ = k.SetWriteDeadline(deadline)
	}
}

// Cut closes the connection at once. Whatever else waits on it is cut off with the stuck message: its time has not run
// out.
func (c *Client) Cut(why *op.Failure) {
	c.mu.Lock()
	k := c.talk
	c.mu.Unlock()
	c.cutTalk(k, why)
}

// cutTalk is Cut for this connection, which may have been replaced meanwhile. When it returns, Down reports the loss:
// an attempt that begins next must not be sent on the closed connection.
func (c *Client) cutTalk(k *talk, why *op.Failure) {
	if k == nil {
		return
	}
	if why != op.ErrUnfinished {
		why = cutOff
	}
	c.end(k, why)
	_ = k.Close()
}

// end marks a connection as lost, unless another has replaced it, and ends the attempts that wait on it.
func (c *Client) end(k *talk, why *op.Failure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.talk == k {
		c.fail(why)
	}
}

// fail is end for the present connection. The caller holds mu.
func (c *Client) fail(why *op.Failure) {
	c.talk = nil
	c.down.Store(why)
	c.pending.fail(why)
}

// closeTime bounds the farewell to a target that does not read.
const closeTime = time.Second

// Close says goodbye and waits for the reader.
func (c *Client) Close() {
	c.mu.Lock()
	k := c.talk
	c.talk = nil
	c.down.Store(ended)
	c.mu.Unlock()
	if k != nil {
		k.farewell()
	}
	c.reader.Wait()
}

// What the connection's reader tells.

// lost ends the connection, unless this side has closed it.
func (c *Client) lost(k *talk, why *op.Failure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.talk == k {
		c.t.lost.add(why)
		c.fail(why)
	}
}

// answered gives an answer to the message that it belongs to.
func (c *Client) answered(_ *talk, rule *wsproto.Rule, name []byte, refused bool, raw []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending.settleAnswer(rule.Means, name, refused, raw)
}

// opened is what Connect waits for.
func (c *Client) opened() {}

// delivered counts what came of a message that somebody sent: whether all have it is the receivers' part.
func (c *Client) delivered(_ *talk, mark []byte) {
	c.t.deliveries.Add(1)
	if c.t.receivers != nil {
		c.t.receivers.fan.OwnCopy(mark)
	}
}

// unreadable gives what could not be read to the only message that it can be the answer to.
func (c *Client) unreadable(_ *talk, raw []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending.garbage(raw)
}
