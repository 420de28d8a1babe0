package server

import (
	"net"
	"sync"
)

// Few is a listener that accepts so many connections at a time; who comes when all are taken is sent away. Whoever
// connects again and again then takes no more of the files that the process may open.
func Few(l net.Listener, most int) net.Listener { return &few{Listener: l, open: NewBound(most)} }

type few struct {
	net.Listener
	open *Bound
}

// Accept waits for a connection that has a place.
func (f *few) Accept() (net.Conn, error) {
	for {
		c, err := f.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if f.open.Enter() {
			return &counted{Conn: c, leave: sync.OnceFunc(f.open.Leave)}, nil
		}
		_ = c.Close()
	}
}

// counted gives its place back when it is closed.
type counted struct {
	net.Conn
	leave func()
}

// Close closes the connection.
func (c *counted) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
