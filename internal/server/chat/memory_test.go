package chat

import (
	"context"
	"net"
	"sync"
	"testing"
)

// pipes is a listener in memory.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// inMemory is a server whose connections are pipes. They hold no byte: a write to a client that does not read waits.
type inMemory struct {
	*Server
	pipes  *pipes
	cancel context.CancelFunc
	done   chan error
}

// serveInMemory runs a server in a bubble of synctest, until end.
func serveInMemory(t *testing.T, change func(*Config)) *inMemory {
	t.Helper()
	cfg := Default()
	change(&cfg)
	s, err := New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &inMemory{s, &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}, nil, make(chan error)}
	s.port.Listener = m.pipes
	var ctx context.Context
	ctx, m.cancel = context.WithCancel(t.Context())
	go func() { m.done <- s.Serve(ctx) }()
	return m
}

// connect gives the client's end of a new connection.
func (m *inMemory) connect() net.Conn {
	return m.connectBy(func(ours net.Conn) net.Conn { return ours })
}

// connectBy lets the server have its own end by what wrap makes of it.
func (m *inMemory) connectBy(wrap func(net.Conn) net.Conn) net.Conn {
	ours, theirs := net.Pipe()
	m.pipes.conns <- wrap(ours)
	return theirs
}

// end tells the server to end, and waits until it has.
func (m *inMemory) end() error {
	m.cancel()
	return <-m.done
}
