package peertest

import (
	"context"
	"io"
	"net"
)

// Pipes is a network inside a test's bubble of time, where nothing is late and every connection is
// used again: on a real one, a call may take longer than its timeout for reasons of the machine, and
// net/http gives a connection up when the goroutine that wrote the request is not back in 50 ms. It
// is the listener; Dial connects to it.
type Pipes chan net.Conn

// Accept returns the next connection.
func (p Pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

// Close ends Accept. http.Server calls it once.
func (p Pipes) Close() error {
	close(p)
	return nil
}

// Addr is an address of this machine alone, to which nobody can connect otherwise.
func (p Pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080} }

// Dial makes a connection, whatever the address. It waits for Accept.
func (p Pipes) Dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	p <- theirs
	return ours, nil
}

// Say makes a connection and says something on it. It waits until all of that is read, or nobody reads any more.
func (p Pipes) Say(said string) net.Conn {
	ours, _ := p.Dial(context.Background(), "", "") // never fails
	if said != "" {                                 // to write nothing would wait for a reader
		_, _ = io.WriteString(ours, said)
	}
	return ours
}
