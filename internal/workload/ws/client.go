package ws

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lxzan/gws"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/workload"
)

// Client is one user with a connection.
type Client struct {
	chat   *Traffic
	number uint64
	room   int // that it joins, counted from 0; −1 when rooms are drawn
	slots  []prepared
	reader sync.WaitGroup // reads the connection
	parser *parser        // of the reader

	// sending orders the sequence numbers. Without TLS no one waits for the target while holding it.
	sending sync.Mutex
	clock   stampCache

	flushing sync.Mutex // held for the time that a flush bounds the link's writing

	down atomic.Pointer[op.Failure] // why there is no connection; nil when there is one

	mu      sync.Mutex // guards what follows, and the changes of down
	pending pending
	link    *link
	cut     *op.Failure // why we cut the connection, until its reader has noticed
}

// prepared is a slot's message.
type prepared struct {
	body []byte // up to what names the attempt
	sent []byte // the whole, as sent last
	link *link  // over which
	how  sent
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
	// cutOff is how the connection of a message ends that could not be sent in its time.
	cutOff = &op.Failure{Cause: "cut-off"}
)

// Down says why there is no working connection, or nil.
func (c *Client) Down() *op.Failure { return c.down.Load() }

// Connect establishes a connection in place of a lost one.
func (c *Client) Connect(ctx context.Context) error {
	c.reader.Wait() // of the connection that was lost
	l, err := c.chat.dial(ctx, c, max(c.room, 0)+1)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down.Load() == ended {
		_ = l.Close()
		return ended
	}
	c.link, c.cut = l, nil
	c.pending.renew(l.wire)
	c.down.Store(nil)
	c.reader.Go(func() { c.read(l.ws) })
	return nil
}

// errPanic stands for bytes that made the library panic, which a hostile length of a frame
// does (gws v1.8.9).
var errPanic = errors.New("the WebSocket library could not bear what the server sent")

// read reads a connection until it is lost.
func (c *Client) read(conn *gws.Conn) {
	defer func() {
		if recover() != nil {
			_ = conn.NetConn().Close()
			c.OnClose(conn, errPanic)
		}
	}()
	conn.ReadLoop()
}

// Prepare makes message number index for a slot.
func (c *Client) Prepare(slot int, index uint64) workload.Operation {
	s := &c.slots[slot]
	body, kind, room := c.chat.messages.append(s.body[:0], index, c.room)
	s.body = body
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
	how, l := s.how, s.link
	c.sending.Unlock()
	if how == partly && c.flush(l, a.Deadline()) {
		how = wholly
		a.Sent()
	}
	if how == wholly {
		a.Moved(len(s.sent))
	}
	why := a.Await()
	if why != nil {
		c.mu.Lock()
		c.pending.release(slot)
		c.mu.Unlock()
	}
	return why
}

// begin sends as much of the slot's message as can be sent at once; with TLS all of it. The caller holds sending.
func (c *Client) begin(slot int, a *op.Attempt) *op.Failure {
	c.mu.Lock()
	if why := c.down.Load(); why != nil {
		c.mu.Unlock()
		return why
	}
	l := c.link
	seq := c.pending.register(slot, a)
	c.mu.Unlock()
	s := &c.slots[slot]
	s.link = l
	s.sent = appendEnd(append(s.sent[:0], s.body...), c.number, seq, a.Began(), &c.clock)
	switch err := l.ws.WriteMessage(gws.OpcodeText, s.sent); {
	case err != nil:
		// The library has closed the connection, or was about to. Its reader ends with the
		// first cause, which this error need not be, and then all that wait end with it.
		s.how = lost
	case l.kept.Load():
		s.how = partly
	default:
		s.how = wholly
		a.Sent()
	}
	return nil
}

// flush sends what is left, until the deadline: a target that answers what it has not read could hold it up for good.
// When it cannot, the connection is lost.
func (c *Client) flush(l *link, deadline time.Time) bool {
	c.flushing.Lock() // who flushed before takes the bound away, which must not be this one's
	defer c.flushing.Unlock()
	c.sending.Lock()
	l.kept.Store(false) // what is left from now on is another's to flush, too
	c.sending.Unlock()
	c.bound(l, deadline)
	err := l.wire.Flush()
	c.bound(l, time.Time{})
	if err == nil {
		return true
	}
	c.mu.Lock()
	if c.link == l && c.cut == nil && !errors.Is(err, net.ErrClosed) {
		c.cut = lossCause(err)
	}
	c.mu.Unlock()
	_ = l.Close()
	return false
}

// bound sets the time in which a link must have written, unless Close has set its own.
func (c *Client) bound(l *link, deadline time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link == l {
		_ = l.SetWriteDeadline(deadline)
	}
}

// lossCause names why an established connection was lost.
func lossCause(err error) *op.Failure {
	var closed *gws.CloseError
	if errors.As(err, &closed) {
		return &op.Failure{Cause: cause.OfClose(closed.Code), Err: err}
	}
	if why := cause.OfLostWebSocket(err); why != "" {
		return &op.Failure{Cause: why, Err: err}
	}
	if why, ok := networkCause(err); ok {
		return &op.Failure{Cause: why, Err: err}
	}
	return &op.Failure{Cause: cause.Protocol, Err: err}
}

// Cut closes the connection without more ado. What else waits on it is cut off with the
// stuck message: its time has not run out.
func (c *Client) Cut(why *op.Failure) {
	c.mu.Lock()
	l := c.link
	if c.cut == nil {
		c.cut = cutOff
		if why == op.ErrUnfinished {
			c.cut = why
		}
	}
	c.mu.Unlock()
	if l != nil {
		_ = l.Close()
	}
}

// closeTime bounds the farewell to a target that does not read.
const closeTime = time.Second

// Close says goodbye and waits for the reader.
func (c *Client) Close() {
	c.mu.Lock()
	l := c.link
	c.link = nil
	c.down.Store(ended)
	c.mu.Unlock()
	if l != nil {
		_ = l.SetWriteDeadline(time.Now().Add(closeTime))
		_ = l.wire.Flush()
		_ = l.ws.WriteClose(1000, nil)
		_ = l.Close()
	}
	c.reader.Wait()
}

// The events of the connection, on its reader's goroutine.

// OnOpen does nothing: the connection is used as soon as Connect has it.
func (c *Client) OnOpen(*gws.Conn) {}

// OnClose notes the loss of the connection, and ends what waits on it with the reason.
func (c *Client) OnClose(conn *gws.Conn, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link == nil || c.link.ws != conn {
		return // Close has taken leave of it
	}
	why := c.cut
	if why == nil {
		why = lossCause(err)
	}
	c.link = nil
	c.down.Store(why)
	c.pending.fail(why)
}

// OnPing answers with the same payload (RFC 6455, 5.5.3). What the kernel does not take at once goes out with the
// next message: the reader must not wait for a target that may wait for it.
func (c *Client) OnPing(conn *gws.Conn, payload []byte) { _ = conn.WritePong(payload) }

// OnPong does nothing: the client sends no pings.
func (c *Client) OnPong(*gws.Conn, []byte) {}

// OnMessage gives the reply to the message that it answers.
func (c *Client) OnMessage(_ *gws.Conn, m *gws.Message) {
	r, err := c.parser.parse(m.Bytes())
	c.mu.Lock()
	if err != nil {
		c.pending.garbage(m.Bytes())
	} else {
		c.pending.settleReply(r, m.Bytes())
	}
	c.mu.Unlock()
	_ = m.Close()
}
