package http2

import (
	"context"
	"errors"
	"net"
	"sync"

	xhttp2 "golang.org/x/net/http2"
)

// What we allow the server, so that it never waits for us: an answer is read as fast as it comes.
const (
	ourStreamWindow = 16 << 20
	ourWindow       = 1 << 30
)

// mostControls bounds what may wait to be written besides requests: a server that asks and does not read is cut off.
const mostControls = 1 << 20

// Sender is a connection that can write without waiting: Send takes what it can at once and keeps the rest for Flush.
type Sender interface {
	Send(p []byte) (all bool, err error)
	Flush() error
}

// Conn is a connection.
type Conn struct {
	net    net.Conn
	sender Sender // the same connection, or nil: each write may wait
	limits Limits

	workers *sync.WaitGroup
	ready   chan struct{} // closed when the server's first settings are there, or never will be

	mu      sync.Mutex // guards what follows; never held while waiting for the network
	out     outbox
	streams map[uint32]*Stream
	next    uint32    // number of the next stream
	places  []*Stream // wait until another stream may be open, in their order
	hungry  []*Stream // have more to send, when it may be sent
	sources int       // streams whose bodies are being read from a Source
	used    int64     // requests so far
	err     error     // why nothing goes on
	away    *GoAway   // the server takes no further requests
	retired bool      // neither do we send any

	// Of the server's settings.
	mostStreams  int64
	mostFrame    int
	streamWindow int64
	window       int64 // that is left for all streams
	settled      bool

	framer *xhttp2.Framer // its writing is guarded, too; its reading is the reader's
	in     inbox          // the reader's own
}

// New makes a Conn of a connection that nobody else reads or writes. sender is the same connection, if it can write
// without waiting. Nothing is sent before Start. Its goroutines are counted in workers: they end when it is closed.
func New(c net.Conn, sender Sender, l Limits, workers *sync.WaitGroup) *Conn {
	conn := &Conn{
		net: c, sender: sender, limits: l, workers: workers, ready: make(chan struct{}), streams: map[uint32]*Stream{},
		next: 1, mostStreams: mostWindow, mostFrame: frameSize, streamWindow: firstWindow, window: firstWindow,
	}
	conn.attach(c)
	return conn
}

// Start sends what a connection begins with, and waits until the server has done so, too.
func (c *Conn) Start(ctx context.Context) error {
	_, _ = c.out.Write([]byte(xhttp2.ClientPreface))
	_ = c.framer.WriteSettings(
		xhttp2.Setting{ID: xhttp2.SettingEnablePush, Val: 0},
		xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize, Val: ourStreamWindow},
		xhttp2.Setting{ID: xhttp2.SettingMaxFrameSize, Val: frameSize},
		xhttp2.Setting{ID: xhttp2.SettingMaxHeaderListSize, Val: uint32(c.limits.Head)})
	_ = c.framer.WriteWindowUpdate(0, ourWindow-firstWindow)
	c.workers.Go(c.read)
	c.mu.Lock()
	c.kick()
	c.mu.Unlock()
	select {
	case <-c.ready:
	case <-ctx.Done():
		c.Close(ctx.Err())
		return ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	return nil
}

// Usable reports whether another request may be sent here; if not, why.
func (c *Conn) Usable() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.usable()
}

func (c *Conn) usable() error {
	switch {
	case c.err != nil:
		return c.err
	case c.out.err != nil:
		return c.out.err
	case c.away != nil:
		return c.away
	case c.retired, c.next > mostWindow-2:
		return ErrSpent
	}
	return nil
}

// Room reports whether another stream may be opened at once.
func (c *Conn) Room() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.usable() == nil && int64(len(c.streams)) < c.mostStreams && len(c.places) == 0
}

// Used is how many requests were sent.
func (c *Conn) Used() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used
}

// Streams is how many requests the server allows to be under way.
func (c *Conn) Streams() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mostStreams
}

// Retire sends no further requests: the connection is closed when those under way are over.
func (c *Conn) Retire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.retired = true
	c.leave()
}

// leave closes a connection that takes no more requests, and has none.
func (c *Conn) leave() {
	if c.err == nil && (c.retired || c.away != nil) && len(c.streams) == 0 && len(c.places) == 0 {
		c.fail(c.usable())
	}
}

// Close closes the connection. Requests under way end with this error.
func (c *Conn) Close(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fail(why)
}

// fail ends the connection.
func (c *Conn) fail(why error) {
	if c.err != nil {
		return
	}
	c.err = why
	c.sayGoodbye(why)
	_ = c.net.Close()
	for _, s := range c.places {
		s.finish(unsent(why))
	}
	for _, s := range c.streams {
		s.finish(why)
	}
	c.places, c.hungry = nil, nil
	clear(c.streams)
	c.settle()
}

// settle says that Start need not wait any longer.
func (c *Conn) settle() {
	if !c.settled {
		c.settled = true
		close(c.ready)
	}
}

// sayGoodbye tells the server why, where that can be done without waiting.
func (c *Conn) sayGoodbye(why error) {
	if c.sender == nil || c.out.busy || c.out.kept || c.out.err != nil {
		return
	}
	code := NoError
	if rule := (*Error)(nil); errors.As(why, &rule) {
		code = rule.code
	}
	_ = c.framer.WriteGoAway(0, xhttp2.ErrCode(code), nil)
	_, _ = c.sender.Send(c.out.b)
}
