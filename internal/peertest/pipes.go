package peertest

import (
	"context"
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

// Addr is a name and no address.
func (p Pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// Dial makes a connection, whatever the address. It waits for Accept.
func (p Pipes) Dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	p <- theirs
	return ours, nil
}
