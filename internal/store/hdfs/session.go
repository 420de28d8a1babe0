package hdfs

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/colinmarc/hdfs/v2"
)

// session is a client of the library with all of its connections. One operation uses it at a
// time.
type session struct {
	client *hdfs.Client
	config *config
	life   context.Context // stored context: of its connections, which the library dials when it wants to
	end    context.CancelCauseFunc

	mu     sync.Mutex
	broken bool    // its connection to the namenode is in an unknown state
	fault  error   // the last error of a connection
	remote *remote // the last error that a namenode answered
	pipe   *pipe   // the last connection to a datanode that writes
	dials  int     // to datanodes, since data was moved last
	linked int     // connections to datanodes that were made
}

// errClosed ends the connections of sessions that are closed.
var errClosed = errors.New("the session was closed")

// connect makes a session.
func connect(ctx context.Context, c *config) (*session, error) {
	x := &session{config: c}
	x.life, x.end = context.WithCancelCause(context.WithoutCancel(ctx))
	defer x.bind(ctx)()
	options := c.options
	options.NamenodeDialFunc = x.dialNamenode
	options.DatanodeDialFunc = x.dialDatanode
	client, err := hdfs.NewClient(options)
	if err != nil {
		err = x.explain(err, "connecting")
		x.end(errClosed)
		return nil, err
	}
	x.client = client
	return x, nil
}

// bind ends the session when the context ends before the returned function is called.
func (x *session) bind(ctx context.Context) (release func()) {
	stop := context.AfterFunc(ctx, func() { x.end(context.Cause(ctx)) })
	return func() { stop() }
}

// whole tells whether the session can be used again.
func (x *session) whole() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return !x.broken && x.life.Err() == nil
}

// close ends the session and the library's goroutine that renews leases.
func (x *session) close() {
	x.end(errClosed)
	if x.client != nil {
		_ = x.client.Close()
	}
}

// reset forgets what an operation before left behind.
func (x *session) reset() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.fault, x.remote, x.pipe, x.dials = nil, nil, nil, 0
}

// forget forgets the errors of calls before.
func (x *session) forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.fault, x.remote = nil, nil
}

// noteFault keeps an error of a connection, which the library may not tell.
func (x *session) noteFault(err error, broken bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.fault = err
	x.broken = x.broken || broken
}

func (x *session) answered(r *remote) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.remote = r
}

// maxDials is how many connections to datanodes are made without a byte of data: a datanode
// that sends empty packets would keep the library connecting for ever.
const maxDials = 50

func (x *session) dialDatanode(_ context.Context, network, address string) (net.Conn, error) {
	x.mu.Lock()
	x.dials++
	many := x.dials > maxDials
	x.mu.Unlock()
	if many {
		return nil, errNoData
	}
	l, err := x.dial(network, address)
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	x.linked++
	x.mu.Unlock()
	return &dataLink{link: l}, nil
}

// links is how many connections to datanodes were made, and why the last one ended that did not end well.
func (x *session) links() (made int, fault error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.linked, x.fault
}

var errNoData = errors.New("the datanodes sent no data after repeated attempts")

// moved notes that data was moved.
func (x *session) moved() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.dials = 0
}

func (x *session) dialNamenode(_ context.Context, network, address string) (net.Conn, error) {
	l, err := x.dial(network, address)
	if err != nil {
		return nil, err
	}
	n := &nameLink{link: l}
	if t := x.config.token; t != nil {
		if err := t.login(l); err != nil {
			x.noteFault(err, false)
			_ = l.Close()
			return nil, err
		}
		n.skip = len(preface)
	}
	return n, nil
}

// dial connects, for as long as the session lives.
func (x *session) dial(network, address string) (*link, error) {
	dialer := net.Dialer{Timeout: x.config.connectTimeout}
	conn, err := dialer.DialContext(x.life, network, address)
	if err != nil {
		x.noteFault(err, false)
		return nil, err
	}
	conn = x.config.flow.Watch(conn)
	l := &link{Conn: conn, session: x}
	l.stop = context.AfterFunc(x.life, func() { _ = conn.Close() })
	return l, nil
}

// link is a connection with deadlines, which is closed when its session ends.
type link struct {
	net.Conn
	session *session
	stop    func() bool
}

func (l *link) Read(p []byte) (int, error) {
	_ = l.Conn.SetReadDeadline(l.deadline())
	return l.Conn.Read(p)
}

func (l *link) Write(p []byte) (int, error) {
	_ = l.Conn.SetWriteDeadline(l.deadline())
	return l.Conn.Write(p)
}

func (l *link) deadline() time.Time {
	return time.Now().Add(l.session.config.timeout)
}

func (l *link) Close() error {
	l.stop()
	return l.Conn.Close()
}

// The library's own deadlines are of no use: each read and write has one.
func (l *link) SetDeadline(time.Time) error      { return nil }
func (l *link) SetReadDeadline(time.Time) error  { return nil }
func (l *link) SetWriteDeadline(time.Time) error { return nil }
