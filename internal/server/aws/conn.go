package aws

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/server"
	"github.com/plimsoll/plimsoll/internal/server/peer"
)

const (
	maxHead  = 64 << 10  // of a request's line and headers
	maxKept  = 32 << 10  // of a request's body, for finding names in it; the rest is thrown away
	scratch  = 256 << 10 // for what is thrown away
	firstBuf = 8 << 10
)

// conn is a connection. All but progress, seen, begun and ending belongs to its goroutine.
type conn struct {
	server   *Server
	guest    *server.Guest
	id       uint64
	wire     *wire    // below TLS
	stream   net.Conn // what carries HTTP: wire, or TLS on it
	progress atomic.Uint64
	seen     uint64       // of progress, at closeIdle's last look; its own
	begun    atomic.Int64 // when the headers began that are still to end; ns of the wall clock, 0: none did
	ending   atomic.Bool
	host     []byte // the last one that was looked at

	buf       []byte
	r, w      int // what is in buf and belongs to no request yet
	discarded []byte
	kept      []byte // of a chunked body
	out       []byte
	request   request
	clock     httpDate
	delay     server.Delay
	agents    agents
	peer      *peer.Process // nil: not known
}

func newConn(s *Server, nc net.Conn, id uint64) *conn {
	c := &conn{server: s, id: id, guest: new(server.Guest)}
	c.begun.Store(time.Now().UnixNano())
	c.wire = newWire(nc, s.cfg.Observe != nil)
	c.stream = c.wire
	c.progress.Store(1)
	return c
}

// end lets the connection end after what it has received in full. Any goroutine may call it.
func (c *conn) end() {
	c.ending.Store(true)
	_ = c.wire.SetReadDeadline(time.Unix(1, 0))
}

// serve runs the connection.
func (c *conn) serve() {
	if c.server.cfg.Observe != nil {
		c.peer = c.server.peers.Of(c.wire.Conn)
		defer c.peer.Release()
	}
	if c.server.tls != nil {
		over := tls.Server(c.wire, c.server.tls)
		// closeIdle bounds the handshake, as it does everything.
		if err := over.HandshakeContext(context.Background()); err != nil {
			c.tellPlainClient(err)
			return
		}
		c.stream = over
		defer func() { _ = over.Close() }()
		if over.ConnectionState().NegotiatedProtocol == "h2" {
			serveHTTP2(c)
			return
		}
	}
	c.buf = make([]byte, firstBuf)
	for !c.ending.Load() && c.serveRequest() {
	}
}

// tellPlainClient tells a client that speaks HTTP where TLS is spoken so, in the words of net/http.
func (c *conn) tellPlainClient(err error) {
	var record tls.RecordHeaderError
	if !errors.As(err, &record) || record.Conn == nil || !letter(record.RecordHeader[0]) {
		return
	}
	const answer = "Client sent an HTTP request to an HTTPS server.\n"
	_, _ = io.WriteString(c.wire,
		"HTTP/1.1 400 Bad Request\r\nContent-Length: "+strconv.Itoa(len(answer))+"\r\nConnection: close\r\n\r\n"+answer)
	c.linger()
}

// lingering bounds how long is still read of a client that was told that it is wrong.
const lingering = time.Second

// linger lets the client read the answer: to close a connection of which something was not read cuts
// off what the other side has not read, either.
func (c *conn) linger() {
	if tcp, ok := c.wire.Conn.(*net.TCPConn); ok && tcp.CloseWrite() == nil &&
		tcp.SetReadDeadline(time.Now().Add(c.server.lingering)) == nil {
		_, _ = io.CopyN(io.Discard, tcp, maxHead)
	}
}

// letter reports whether a request can begin with b: all methods are words. A TLS client begins
// with 22.
func letter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// errRequest is what was wrong with a request that cannot be answered as any service would.
var errRequest = errors.New("not a valid HTTP/1.1 request")

// serveRequest reads one request and answers it; false is the end of the connection.
func (c *conn) serveRequest() bool {
	q := &c.request
	q.reset()
	received, kernel, err := c.readHead()
	if err == nil {
		err = c.readBody()
	}
	if err != nil {
		if errors.Is(err, errRequest) {
			_, _ = c.stream.Write([]byte("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
		}
		return false
	}
	if c.misdirected(q.host) {
		_, _ = c.stream.Write([]byte("HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
		return false
	}
	if q.foreign {
		_, _ = c.stream.Write([]byte("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
		return false
	}
	now := time.Now()
	c.guest.Begin()
	defer func() { c.guest.End(now) }()
	op := c.server.router.route(q)
	answer := op.reply(q)
	if c.server.cfg.Latency > 0 {
		c.peer.Read()
		if !c.delay.Until(now.Add(c.server.cfg.Latency), c.server.alarms, c.server.cut, nil) {
			return false
		}
		now = time.Now()
	}
	closing := q.close || c.ending.Load()
	c.out = answer.appendHTTP1(c.out[:0], c.clock.at(now), q.head, closing)
	c.progress.Add(1) // before the client has the answer: whoever has one was seen
	client := c.client()
	answering := time.Now()
	if _, err := c.stream.Write(c.out); err != nil {
		return false
	}
	if c.server.cfg.Observe != nil {
		sent, stamped := c.wire.sent(answering)
		c.server.cfg.Observe(Exchange{
			Service: op.service, Operation: op.name, Conn: c.id, Received: received, Answering: answering,
			Sent: sent, SentKernel: stamped, Peer: client,
			ReceivedKernel: kernel, Status: answer.status, RequestBytes: q.bytes,
			Protocol: q.protocol, Agent: c.agents.name(q.agent),
		})
	}
	return !closing
}

// misdirected reports whether a request means another host. Most name the same one as the last.
func (c *conn) misdirected(host []byte) bool {
	if !c.server.local || bytes.Equal(host, c.host) {
		return false
	}
	if server.Misdirected(string(host), c.server.cfg.Listen) {
		return true
	}
	c.host = append(c.host[:0], host...)
	return false
}

// client is what is known of the client's process as its answer begins. What it waited for a processor while it waited
// for a slow answer, too, is no part of what its call took: of that, all was read when the request came.
func (c *conn) client() peer.Reading {
	if c.server.cfg.Latency > 0 {
		return c.peer.Again()
	}
	return c.peer.Read()
}

// fill reads more into buf, making room for it.
func (c *conn) fill() error {
	if c.w == len(c.buf) {
		if c.r > 0 {
			copy(c.buf, c.buf[c.r:c.w])
			c.w -= c.r
			c.r = 0
		} else {
			c.buf = append(c.buf, make([]byte, len(c.buf))...)
		}
	}
	n, err := c.stream.Read(c.buf[c.w:])
	c.w += n
	if n > 0 {
		return nil
	}
	return err
}

// readHead waits for a request, and reads its line and headers.
func (c *conn) readHead() (received time.Time, kernel bool, err error) {
	c.wire.expect()
	if c.r == c.w {
		c.r, c.w = 0, 0
		if err := c.fill(); err != nil {
			return received, false, err
		}
	} else {
		// The client did not wait for the last answer. Its bytes are here already; they belong
		// at the buffer's beginning, since the request's parts are parts of the buffer.
		copy(c.buf, c.buf[c.r:c.w])
		c.w -= c.r
		c.r = 0
	}
	received, kernel = c.wire.first()
	if !letter(c.buf[0]) {
		return received, kernel, errRequest // at once: no end of a head may ever come
	}
	searched := 0
	for {
		if end := bytes.Index(c.buf[searched:c.w], []byte("\r\n\r\n")); end >= 0 {
			head := c.buf[:searched+end+2]
			c.r = searched + end + 4
			c.request.bytes = int64(c.r)
			if !c.request.parse(head) {
				return received, kernel, errRequest
			}
			if c.begun.Load() != 0 {
				c.begun.Store(0)
			}
			return received, kernel, nil
		}
		if c.w >= maxHead {
			return received, kernel, errRequest
		}
		searched = max(0, c.w-3)
		if c.begun.Load() == 0 {
			c.begun.Store(time.Now().UnixNano())
		}
		if err := c.fill(); err != nil {
			return received, kernel, err
		}
	}
}

// readBody reads the body: its first part is kept, for the names in it.
func (c *conn) readBody() error {
	q := &c.request
	if q.expects && (q.chunked || int64(c.w-c.r) < q.length) {
		if _, err := io.WriteString(c.stream, "HTTP/1.1 100 Continue\r\n\r\n"); err != nil {
			return err
		}
	}
	if q.chunked {
		return c.readChunked()
	}
	q.bytes += q.length
	keep := int(min(q.length, maxKept))
	// The head stays where it is: the buffer grows at its end only, and what was parsed keeps
	// pointing into the old one, which does not change any more.
	for c.w-c.r < keep {
		if c.w == len(c.buf) {
			c.buf = append(c.buf, make([]byte, keep)...)
		}
		n, err := c.stream.Read(c.buf[c.w:])
		c.w += n
		if n == 0 && err != nil {
			return err
		}
	}
	q.body = c.buf[c.r : c.r+keep]
	here := min(int64(c.w-c.r), q.length)
	c.r += int(here)
	return c.discard(q.length - here)
}

// discard throws away what is still to come of a body. Nothing of it is in buf.
func (c *conn) discard(n int64) error {
	if n > 0 && c.discarded == nil {
		c.discarded = make([]byte, scratch)
	}
	for n > 0 {
		got, err := c.stream.Read(c.discarded[:min(n, scratch)])
		n -= int64(got)
		if got == 0 && err != nil {
			return err
		}
		c.progress.Add(1) // a long body is not silence
	}
	return nil
}

// httpDate is the text of a Date header, made anew once a second.
type httpDate struct {
	second int64
	text   []byte
}

func (d *httpDate) at(t time.Time) []byte {
	if now := t.Unix(); now != d.second {
		d.second = now
		d.text = t.UTC().AppendFormat(d.text[:0], "Mon, 02 Jan 2006 15:04:05 GMT")
	}
	return d.text
}
