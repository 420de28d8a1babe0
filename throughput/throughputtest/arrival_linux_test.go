package throughputtest

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"
)

// A stampedListener tells of each of its connections when the last piece of data came to this machine, by the
// kernel's stamps: a reader's goroutine wakes up late where the processors are busy, and the kernel's stamp does not.
type stampedListener struct {
	net.Listener
	piece int // as much is read together
}

func (l stampedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	raw, err := c.(*net.TCPConn).SyscallConn()
	if err != nil {
		return nil, err
	}
	err = raw.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1)
	})
	return &stampedConn{Conn: c, raw: raw, piece: l.piece}, err
}

// A stampedConn is read by one goroutine at a time.
type stampedConn struct {
	net.Conn
	raw   syscall.RawConn
	piece int
	last  atomic.Int64 // nanoseconds of the wall clock
}

func (c *stampedConn) Read(p []byte) (n int, err error) {
	if len(p) == 0 {
		return c.Conn.Read(p)
	}
	// What came last of several segments need not be last in the stream, where one was lost and sent again, and the
	// kernel tells the stamp of the last that it gives.
	p = p[:min(len(p), c.piece)]
	var control [64]byte
	var controlled int
	waited := c.raw.Read(func(fd uintptr) bool {
		n, controlled, _, _, err = syscall.Recvmsg(int(fd), p, control[:], 0)
		return err != syscall.EAGAIN
	})
	if waited != nil {
		return 0, waited
	}
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, io.EOF
	}
	if at, ok := stampOf(control[:controlled]); ok {
		c.last.Store(max(at, c.last.Load()))
	}
	return n, nil
}

// stampOf reads the one message that was asked for: its length, level and type, and a timespec.
func stampOf(control []byte) (int64, bool) {
	const head = 16
	order := binary.NativeEndian
	if len(control) < head+16 || order.Uint32(control[12:]) != syscall.SO_TIMESTAMPNS {
		return 0, false
	}
	seconds, ns := order.Uint64(control[head:]), order.Uint64(control[head+8:])
	return int64(seconds)*int64(time.Second) + int64(ns), true
}

// arrived is when the last piece came.
func (c *stampedConn) arrived() time.Time { return time.Unix(0, c.last.Load()) }

type connKey struct{}

// withConn lets a handler find its connection.
func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

func connOf(r *http.Request) *stampedConn {
	c, _ := r.Context().Value(connKey{}).(net.Conn)
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	return c.(*stampedConn)
}
