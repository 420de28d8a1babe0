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
	"unsafe"
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
	read  atomic.Int64 // when the reader had it
	holes uint32       // packets so far that came before others that are before them in the stream
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
	c.read.Store(time.Now().UnixNano())
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

// arrived is when the last piece came, at the earliest and at the latest. Where a packet was lost, the kernel joins the
// one that was sent instead to those that came before it, and keeps the stamp of these: then it is between that and when
// the reader had it all, who may have waited for a processor.
func (c *stampedConn) arrived() (earliest, latest time.Time) {
	earliest = time.Unix(0, c.last.Load())
	if holes := c.outOfOrder(); holes != c.holes {
		c.holes = holes
		return earliest, time.Unix(0, c.read.Load())
	}
	return earliest, earliest
}

// outOfOrder is tcpi_rcv_ooopack, which the standard library's struct does not have.
func (c *stampedConn) outOfOrder() uint32 {
	const offset = 224
	var info [offset + 4]byte
	size := uint32(len(info))
	_ = c.raw.Control(func(fd uintptr) {
		_, _, _ = syscall.Syscall6(syscall.SYS_GETSOCKOPT, fd, syscall.IPPROTO_TCP, syscall.TCP_INFO,
			uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	})
	return binary.NativeEndian.Uint32(info[offset:])
}

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
