package wire

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

// pair connects two ends over loopback, over a Unix socket, or over a pipe, which is no socket.
func pair(t testing.TB, network string, times *Times) (ours *Conn, theirs net.Conn) {
	t.Helper()
	var raw net.Conn
	if network == "pipe" {
		raw, theirs = net.Pipe()
	} else {
		address := "127.0.0.1:0"
		if network == "unix" {
			address = filepath.Join(t.TempDir(), "s")
		}
		l, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if raw, err = net.Dial(network, l.Addr().String()); err != nil {
			t.Fatal(err)
		}
		if theirs, err = l.Accept(); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _, _ = raw.Close(), theirs.Close() })
	return Wrap(raw, times), theirs
}

// numbered is data of which each place can be told from its neighbours.
func numbered(n int) []byte {
	b := make([]byte, n)
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(b)
	return b
}

// TestSendKeepsTheRest sends more than fits into the socket buffers while nobody reads, and then calls Write, Flush and
// Send concurrently. The data must arrive complete and in order.
func TestSendKeepsTheRest(t *testing.T) {
	for _, network := range []string{"tcp", "unix", "pipe"} {
		t.Run(network, func(t *testing.T) {
			c, theirs := pair(t, network, nil)
			data := numbered(16 << 20)
			rest, whole := data, true
			send := func(n int) {
				all, err := c.Send(rest[:n])
				if err != nil {
					t.Error(err)
				}
				rest, whole = rest[n:], whole && all
			}
			for range 100 {
				send(100 << 10)
			}
			if whole {
				t.Fatal("the kernel took 10 MB that no one reads")
			}
			written := rest[:3<<20]
			rest = rest[len(written):]
			var writers sync.WaitGroup
			defer writers.Wait()
			writers.Go(func() {
				if n, err := c.Write(written); n != len(written) || err != nil {
					t.Error(n, err)
				}
			})
			for !c.out.isBusy() { // until the Write has its place in the order
				runtime.Gosched()
			}
			for len(rest) > 0 {
				send(min(len(rest), 70_001))
			}
			writers.Go(func() {
				if err := c.Flush(); err != nil {
					t.Error(err)
				}
			})
			got := make([]byte, len(data))
			if _, err := io.ReadFull(theirs, got); err != nil || !bytes.Equal(got, data) {
				t.Fatalf("what arrives is not what was sent: %v", err)
			}
			writers.Wait()
			if network == "pipe" {
				return
			}
			if all, err := c.Send([]byte("more")); !all || err != nil {
				t.Errorf("with room again: %v, %v", all, err)
			}
			if cap(c.out.kept) > roomy {
				t.Errorf("%d bytes of memory are held for nothing", cap(c.out.kept))
			}
		})
	}
}

func (o *outlet) isBusy() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.busy
}

// TestFailedFlushKeepsTheData flushes with an expired deadline, and then successfully.
func TestFailedFlushKeepsTheData(t *testing.T) {
	c, theirs := pair(t, "tcp", nil)
	data := numbered(8 << 20)
	if all, err := c.Send(data); all || err != nil {
		t.Fatal(all, err)
	}
	_ = c.SetWriteDeadline(time.Now().Add(-time.Second))
	if err := c.Flush(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal(err)
	}
	if n, err := c.Write([]byte("x")); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a write behind it: %d, %v", n, err)
	}
	_ = c.SetWriteDeadline(time.Time{})
	var reader sync.WaitGroup
	got := make([]byte, len(data))
	reader.Go(func() {
		if _, err := io.ReadFull(theirs, got); err != nil {
			t.Error(err)
		}
	})
	if err := c.Flush(); err != nil {
		t.Error(err)
	}
	reader.Wait()
	if !bytes.Equal(got, data) {
		t.Error("what arrives is not what was sent")
	}
}

func TestSendAllocatesNothing(t *testing.T) {
	c, theirs := pair(t, "tcp", nil)
	var reader sync.WaitGroup
	defer reader.Wait()
	reader.Go(func() { _, _ = io.Copy(io.Discard, theirs) })
	defer c.Close()
	p := make([]byte, 300)
	if n := testing.AllocsPerRun(100, func() { _, _ = c.Send(p) }); n != 0 {
		t.Errorf("Send: %v allocations", n)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = c.Write(p) }); n != 0 {
		t.Errorf("Write: %v allocations", n)
	}
}

func TestSendReportsALostConnection(t *testing.T) {
	c, theirs := pair(t, "tcp", nil)
	_ = theirs.(*net.TCPConn).SetLinger(0)
	_ = theirs.Close()
	_, err := c.Read(make([]byte, 1)) // the reset has come
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Fatal(err)
	}
	_, sent := c.Send([]byte("x"))
	_ = c.Close()
	flushed := sent
	if sent == nil { // a system on which Send leaves all to Flush
		flushed = c.Flush()
	}
	if flushed == nil {
		t.Error("neither Send nor Flush says that the connection is gone")
	}
}

func TestConnForwardsOptionalMethods(t *testing.T) {
	c, theirs := pair(t, "tcp", nil)
	if raw, err := c.SyscallConn(); raw == nil || err != nil {
		t.Error(raw, err)
	}
	if _, ok := c.NetConn().(*net.TCPConn); !ok {
		t.Errorf("below is a %T", c.NetConn())
	}
	if err := c.CloseWrite(); err != nil {
		t.Error(err)
	}
	if n, err := theirs.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("the other end, after CloseWrite: %d, %v", n, err)
	}
	if n, err := theirs.Write([]byte("x")); n != 1 || err != nil {
		t.Errorf("the other end cannot write any more: %v", err)
	}
	if n, err := c.Read(make([]byte, 2)); n != 1 || err != nil {
		t.Errorf("what it wrote does not arrive: %d, %v", n, err)
	}
	pipe, _ := pair(t, "pipe", nil)
	if _, err := pipe.SyscallConn(); err == nil {
		t.Error("a pipe has a socket")
	}
	if err := pipe.CloseWrite(); err == nil {
		t.Error("a pipe can be half closed")
	}
}

// TestUnixSocketsSendAtOnce: as TCP does, and without stamps, which the kernel does not make there.
func TestUnixSocketsSendAtOnce(t *testing.T) {
	c, theirs := pair(t, "unix", NewTimes(time.Now()))
	if all, err := c.Send([]byte("hi")); err != nil || all != (unseen == "") {
		t.Errorf("sent at once: %v, %v", all, err)
	}
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 2)
	if _, err := io.ReadFull(theirs, b); err != nil || string(b) != "hi" {
		t.Errorf("%q, %v", b, err)
	}
	_, _ = theirs.Write([]byte("x"))
	if n, err := c.Read(b); n != 1 || err != nil || c.Received() != 0 {
		t.Errorf("read %d bytes, %v, stamped %d", n, err, c.Received())
	}
	_ = theirs.Close()
	if _, err := c.Read(b); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}
