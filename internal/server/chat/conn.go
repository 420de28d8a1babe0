package chat

import (
	"encoding/binary"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lxzan/gws"
)

// linger is how long a connection whose sending half is closed waits for the other side to
// close too. Until then what still arrives is read and thrown away: closing a socket with
// unread bytes sends a reset, and a reset may destroy what was sent before it, a close frame
// say.
const linger = 2 * time.Second

// lastBytes bounds what is thrown away meanwhile when the server ends: thousands of clients who send without reading
// would have it read gigabytes first.
const lastBytes = 64 << 10

// conn is a client's connection as the WebSocket library sees it. Everything written goes
// through it, whole frames at a time, so that the library's frames and the server's own do
// not mix.
type conn struct {
	net.Conn
	linger, closeWrite time.Duration
	left               func() // gives its place up

	early     []byte // read together with the handshake; the reading goroutine's
	answering bool   // a message was read, and its answer is made; the reading goroutine's

	active atomic.Bool // something arrived since the idle sweep last looked
	idle   idleState   // the sweep's

	writing sync.Mutex
	ending  atomic.Bool // nothing more is written, and what is read is thrown away
	last    atomic.Bool // the server ends

	out *outbox // nil when the server has no faults

	box *mailbox // of deliveries; nil without --broadcast

	compressing *gws.Conn // writes the answers of a connection that is compressed; else nil
}

// answer writes an answer as one frame.
func (c *conn) answer(r *reply) error {
	if c.compressing != nil {
		return c.compressing.WriteMessage(gws.Opcode(r.op), r.payload())
	}
	_, err := c.Write(r.frame())
	return err
}

// deliver writes a delivery as one frame.
func (c *conn) deliver(d *delivery) error {
	if c.compressing != nil {
		return c.compressing.WriteMessage(gws.OpcodeText, d.payload)
	}
	_, err := c.Write(d.frame)
	return err
}

// Read reads, until this side has ended the connection.
func (c *conn) Read(p []byte) (int, error) {
	if c.ending.Load() {
		return 0, io.EOF
	}
	if len(c.early) > 0 {
		n := copy(p, c.early)
		c.early = c.early[n:]
		return n, nil
	}
	n, err := c.Conn.Read(p)
	if n > 0 && !c.active.Load() { // a load is cheaper than a store that others watch
		c.active.Store(true)
	}
	return n, err
}

// Write writes whole frames. A failure ends the connection: part of a frame may be out.
func (c *conn) Write(p []byte) (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.writeLocked(p)
}

// writeCut writes whole frames in two TCP writes, so that the other side is likely to see
// the stream broken at an arbitrary byte.
func (c *conn) writeCut(p []byte, at int) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if at > 0 {
		if _, err := c.writeLocked(p[:at]); err != nil {
			return err
		}
	}
	_, err := c.writeLocked(p[at:])
	return err
}

func (c *conn) writeLocked(p []byte) (int, error) {
	if c.ending.Load() {
		return 0, net.ErrClosed
	}
	n, err := c.Conn.Write(p)
	if err != nil {
		c.end()
	}
	return n, err
}

// Close is what the library calls after a close frame. The connection is not closed at once
// but lingers; see end and finish.
func (c *conn) Close() error {
	c.end()
	return nil
}

// end closes the sending half: the other side reads what was written, and then the end of
// the stream. Any goroutine may call it, several times.
func (c *conn) end() {
	if !c.ending.CompareAndSwap(false, true) {
		return
	}
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	// This also wakes a Read that waits.
	_ = c.Conn.SetReadDeadline(time.Now().Add(c.linger))
	if c.out != nil {
		c.out.wake()
	}
}

// finish ends the connection, waits a bounded time for the other side's end, and closes. The
// goroutine that read the connection calls it, when it has stopped reading.
func (c *conn) finish() {
	c.end()
	if c.last.Load() {
		_, _ = io.CopyN(io.Discard, c.Conn, lastBytes)
	} else {
		_, _ = io.Copy(io.Discard, c.Conn)
	}
	_ = c.Conn.Close()
	if c.left != nil {
		c.left()
	}
}

// closeWrite bounds the writing of a close frame or a ping to a client that does not read.
const closeWrite = 500 * time.Millisecond

// closeWith sends a close frame and ends the connection.
func (c *conn) closeWith(code uint16, reason string) {
	frame := appendHeader(nil, opClose|finalFrame, 2+len(reason))
	frame = binary.BigEndian.AppendUint16(frame, code)
	frame = append(frame, reason...)
	// A goroutine that is stuck in Write must let go too.
	_ = c.SetWriteDeadline(time.Now().Add(c.closeWrite))
	c.writing.Lock()
	_ = c.SetWriteDeadline(time.Now().Add(c.closeWrite)) // a ping that went on has lifted the one before
	_, _ = c.writeLocked(frame)
	c.writing.Unlock()
	c.end()
}

// ping asks for a sign of life. It does nothing while a write goes on: a client that takes
// bytes is not the idle one, and one that doesn't would hold up the sweep.
func (c *conn) ping() {
	if !c.writing.TryLock() {
		return
	}
	defer c.writing.Unlock()
	_ = c.SetWriteDeadline(time.Now().Add(c.closeWrite))
	_, _ = c.writeLocked(appendHeader(nil, opPing|finalFrame, 0))
	if !c.ending.Load() {
		_ = c.SetWriteDeadline(time.Time{})
	}
}

// idleState is what the idle sweep remembers of a connection.
type idleState struct {
	since time.Time // no sign of life after that
	ping  time.Time // when one was asked for; zero: not yet
}

// idleStep is what the sweep has to do.
type idleStep int

const (
	idleWait idleStep = iota
	idlePing
	idleClose
)

// look takes note of whether the client has shown a sign of life since the last look. The
// time of that is known only to be before now. Nobody is closed who has not had half of the
// timeout to answer a ping, however long this process itself was held up.
func (s *idleState) look(now time.Time, active bool, timeout time.Duration) idleStep {
	switch {
	case active || s.since.IsZero():
		*s = idleState{since: now}
	case s.ping.IsZero():
		if now.Sub(s.since) >= timeout/2 {
			s.ping = now
			return idlePing
		}
	case now.Sub(s.ping) >= timeout/2:
		return idleClose
	}
	return idleWait
}
