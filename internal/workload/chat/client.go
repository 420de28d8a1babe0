package chat

import (
	"context"
	"errors"
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
	chat   *Chat
	number uint64
	room   int // that it joins, counted from 0; −1 when rooms are drawn
	slots  []prepared
	reader sync.WaitGroup // reads the connection
	parser *parser        // of the reader

	sending sync.Mutex // held while one message is written; orders the sequence numbers
	clock   stampCache

	down atomic.Pointer[op.Failure] // why there is no connection; nil when there is one

	mu      sync.Mutex // guards what follows, and the changes of down
	pending pending
	conn    *gws.Conn
	cut     *op.Failure // why we cut the connection, until its reader has noticed
}

// prepared is a slot's message.
type prepared struct {
	body []byte // up to what names the attempt
	sent []byte // the whole, as sent last
}

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
	conn, err := c.chat.dial(ctx, c, max(c.room, 0)+1)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down.Load() == ended {
		_ = conn.NetConn().Close()
		return ended
	}
	c.conn, c.cut = conn, nil
	c.pending.renew()
	c.down.Store(nil)
	c.reader.Go(func() { c.read(conn) })
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
	if why := c.send(slot, a); why != nil {
		return why
	}
	why := a.Await()
	if why != nil {
		c.mu.Lock()
		c.pending.release(slot)
		c.mu.Unlock()
	}
	return why
}

func (c *Client) send(slot int, a *op.Attempt) *op.Failure {
	c.sending.Lock()
	defer c.sending.Unlock()
	c.mu.Lock()
	if why := c.down.Load(); why != nil {
		c.mu.Unlock()
		return why
	}
	conn := c.conn
	seq := c.pending.register(slot, a)
	c.mu.Unlock()
	s := &c.slots[slot]
	s.sent = appendEnd(append(s.sent[:0], s.body...), c.number, seq, a.Began(), &c.clock)
	if err := conn.WriteMessage(gws.OpcodeText, s.sent); err != nil {
		// The library has closed the connection, or was about to. Its reader ends with the
		// first cause, which this error need not be, and then all that wait end with it.
		return nil
	}
	a.Sent()
	a.Moved(len(s.sent))
	return nil
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
	conn := c.conn
	if c.cut == nil {
		c.cut = cutOff
		if why == op.ErrUnfinished {
			c.cut = why
		}
	}
	c.mu.Unlock()
	if conn != nil {
		_ = conn.NetConn().Close()
	}
}

// closeTime bounds the farewell to a target that does not read.
const closeTime = time.Second

// Close says goodbye and waits for the reader.
func (c *Client) Close() {
	c.mu.Lock()
	conn := c.conn
	c.conn = nil
	c.down.Store(ended)
	c.mu.Unlock()
	if conn != nil {
		_ = conn.NetConn().SetWriteDeadline(time.Now().Add(closeTime))
		_ = conn.WriteClose(1000, nil)
		_ = conn.NetConn().Close()
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
	if c.conn != conn {
		return // Close has taken leave of it
	}
	why := c.cut
	if why == nil {
		why = lossCause(err)
	}
	c.conn = nil
	c.down.Store(why)
	c.pending.fail(why)
}

// OnPing answers with the same payload (RFC 6455, 5.5.3).
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
