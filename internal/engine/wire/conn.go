package wire

import (
	"net"
	"sync/atomic"
	"syscall"
)

// Conn is a connection that knows when its data came.
type Conn struct {
	net.Conn
	times  *Times
	counts *counts
	last   atomic.Int64 // stamp of the last read, or 0
	kernel kernel       // its calls, where there are such
	out    outlet
	ask    asking // of who reads
}

// Wrap makes a Conn of a connection that nobody reads or writes otherwise. Without times, or if it is no TCP
// connection, it is not stamped.
func Wrap(c net.Conn, t *Times) *Conn {
	w := &Conn{Conn: c, times: t}
	if t != nil {
		w.counts = t.shard()
	}
	switch s := c.(type) {
	case *net.TCPConn:
		w.kernel.open(s, t)
	case *net.UnixConn:
		w.kernel.open(s, nil) // the kernel stamps nothing there
	}
	return w
}

// Received is the stamp of the run's clock at which the kernel got the last segment of what was read last; 0 when
// that is not known.
func (c *Conn) Received() int64 { return c.last.Load() }

// Read reads, and notes when what it reads was received.
func (c *Conn) Read(p []byte) (int, error) {
	var n int
	var wall int64
	var err error
	stamped := c.kernel.stamps && len(p) > 0
	if c.ask.p != nil && !stamped {
		if err := c.sendAsked(); err != nil {
			return 0, err
		}
	}
	if stamped {
		n, wall, err = c.kernel.receive(p, c)
	} else {
		n, err = c.Conn.Read(p)
	}
	if n > 0 && c.times != nil {
		c.note(wall)
	}
	return n, err
}

// note takes the kernel's stamp of a read; 0 when it had none.
func (c *Conn) note(wall int64) {
	if wall == 0 {
		c.counts.missing.Add(1)
		c.last.Store(0)
		return
	}
	stamp, ok := c.times.stamp(wall)
	if !ok {
		c.counts.refused.Add(1)
		stamp = 0
	} else {
		c.counts.used.Add(1)
	}
	c.last.Store(stamp)
}

// Gone reports whether the other side has closed the connection, or sent what nobody has read. It does not wait. Where
// that is not known it is false.
func (c *Conn) Gone() bool { return c.kernel.gone() }

// Untaken reports, of a connection whose other side has ended it (not by a reset, which leaves it open), whether its
// system has taken nothing of the last n bytes that were written. Where that is not known it is false.
func (c *Conn) Untaken(n int) bool { return c.kernel.untaken(n) }

// NetConn is the connection below.
func (c *Conn) NetConn() net.Conn { return c.Conn }

// SyscallConn gives the socket of a connection that has one.
func (c *Conn) SyscallConn() (syscall.RawConn, error) {
	if s, ok := c.Conn.(syscall.Conn); ok {
		return s.SyscallConn()
	}
	return nil, syscall.EINVAL
}

// CloseWrite ends what is sent, where the connection can do that: after Flush, if something was kept.
func (c *Conn) CloseWrite() error {
	if h, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return h.CloseWrite()
	}
	return syscall.EINVAL
}
