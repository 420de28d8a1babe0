package hostile

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"sync"
	"time"
)

// Client is a hostile client: a way to treat a server, whatever that speaks.
type Client struct {
	Name string
	// Closes is the code with which a server that speaks WebSocket ends the connection; 0: as it likes.
	Closes int
	// Crowds says that it takes all the places that there are. It is for a server that has no other hostile clients: a
	// place that one of those gives up late would be there for an honest one.
	Crowds bool
	// Run does it, and returns. What it opened stays open.
	Run func(a *Attack)
}

// Clients are all of them.
func Clients() []Client {
	all := append(slow(), lies()...)
	all = append(all, targets()...)
	all = append(all, frames()...)
	all = append(all, streams()...)
	all = append(all, greetings()...)
	return append(all, crowds()...)
}

// Place is the server that is attacked.
type Place struct {
	Address string // host:port
	Path    string // where there is an answer; of a server that speaks WebSocket, where it does
	Large   string // where there is a large one, if there is
	Many    int    // connections of those modes that open many
	TLS     bool   // it speaks TLS, and what is said is said within it, but for those modes that are about TLS itself
}

// Attack is one client at work. It is for one goroutine; End may be called of any.
type Attack struct {
	Place
	Upgraded bool // it was taken for a WebSocket whose end it waited for
	Closed   int  // the code of the server's close frame then; 0: there was none

	Greeted int // connections on which TLS came about

	ctx  context.Context // stored context: the attack's own, which ends with End
	stop context.CancelFunc

	mu    sync.Mutex
	open  []net.Conn
	ended bool
}

// Begin begins an attack, that ends with ctx or End.
func Begin(ctx context.Context, at Place) *Attack {
	a := &Attack{Place: at}
	a.ctx, a.stop = context.WithCancel(ctx)
	return a
}

// End closes all that is open.
func (a *Attack) End() {
	a.stop()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = true
	for _, c := range a.open {
		_ = c.Close()
	}
	a.open = nil
}

const (
	// patience bounds each thing that an attack does: most servers have had enough long before.
	patience = 2 * time.Second
	// glance is how long is waited for an answer that need not come.
	glance = 50 * time.Millisecond
)

// conn is a connection: the socket, or TLS above it.
type conn struct {
	net.Conn
	socket *net.TCPConn
}

// CloseWrite says that no more will come.
func (c *conn) CloseWrite() error { return c.Conn.(interface{ CloseWrite() error }).CloseWrite() }

// dial connects, and greets where the server speaks TLS; nil where the server takes nobody, which is its right.
func (a *Attack) dial() *conn { return a.dialFor("http/1.1") }

// dialFor is dial for one protocol.
func (a *Attack) dialFor(protocol string) *conn {
	c := a.dialBare()
	if c == nil || !a.TLS {
		return c
	}
	// Whose certificate it is, is not the question.
	above := tls.Client(c.socket, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol}})
	_ = c.SetDeadline(time.Now().Add(patience))
	if err := above.HandshakeContext(a.ctx); err != nil {
		return nil
	}
	_ = c.SetDeadline(time.Time{})
	a.Greeted++
	return &conn{above, c.socket}
}

// dialBare connects, and says nothing.
func (a *Attack) dialBare() *conn {
	d := net.Dialer{Timeout: patience}
	c, err := d.DialContext(a.ctx, "tcp", a.Address)
	if err != nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		_ = c.Close()
		return nil
	}
	a.open = append(a.open, c)
	return &conn{c, c.(*net.TCPConn)}
}

// say writes on a connection, as far as the server lets it, and reports whether it took all.
func (a *Attack) say(c *conn, text string) bool {
	if c == nil || a.ctx.Err() != nil {
		return false
	}
	_ = c.SetWriteDeadline(time.Now().Add(patience))
	_, err := io.WriteString(c, text)
	return err == nil
}

// flood writes the same again and again: so many bytes, or until the server takes no more for a moment.
func (a *Attack) flood(c *conn, text string, bytes int) {
	for sent := 0; sent < bytes && len(text) > 0 && c != nil && a.ctx.Err() == nil; sent += len(text) {
		_ = c.SetWriteDeadline(time.Now().Add(4 * glance))
		if _, err := io.WriteString(c, text); err != nil {
			return
		}
	}
}

// read reads what comes within a time, up to so many bytes.
func (a *Attack) read(c *conn, most int, within time.Duration) []byte {
	if c == nil {
		return nil
	}
	_ = c.SetReadDeadline(time.Now().Add(within))
	said := make([]byte, most)
	n, _ := io.ReadFull(c, said)
	return said[:n]
}

// each opens a connection for each text, and says it.
func (a *Attack) each(texts ...string) {
	for _, text := range texts {
		a.say(a.dial(), text)
	}
}

// reset closes a connection so that the other side sees a reset.
func reset(c *conn) {
	if c != nil {
		_ = c.socket.SetLinger(0)
		_ = c.socket.Close()
	}
}
