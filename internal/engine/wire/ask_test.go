package wire

import (
	"errors"
	"io"
	"net"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

// answers answers each byte by the one after it, until the other side ends.
func answers(t *testing.T, c *Conn, theirs net.Conn) {
	var server sync.WaitGroup
	server.Go(func() {
		b := make([]byte, 1)
		for {
			if _, err := io.ReadFull(theirs, b); err != nil {
				return
			}
			b[0]++
			if _, err := theirs.Write(b); err != nil {
				return
			}
		}
	})
	t.Cleanup(func() { _ = c.Close(); server.Wait() })
}

func askable(t *testing.T, do func(t *testing.T, c *Conn, theirs net.Conn)) {
	for name, times := range map[string]*Times{"tcp": NewTimes(time.Now()), "tcp without stamps": nil, "pipe": nil} {
		t.Run(name, func(t *testing.T) {
			network := "tcp"
			if name == "pipe" {
				network = name
			}
			c, theirs := pair(t, network, times)
			do(t, c, theirs)
		})
	}
}

// sockets reports whether it is of a connection of the kernel's.
func sockets(c *Conn) bool { _, is := c.Conn.(*net.TCPConn); return is }

// A response may arrive before the reader waits for it.
func TestNoResponseIsMissed(t *testing.T) {
	askable(t, func(t *testing.T, c *Conn, theirs net.Conn) {
		answers(t, c, theirs)
		said := 0
		b := make([]byte, 10)
		for i := range 2000 {
			c.Ask([]byte{byte(i)}, func() { said++ })
			n, err := c.Read(b)
			if why, _ := c.AskFailed(); n != 1 || err != nil || b[0] != byte(i)+1 || why != nil {
				t.Fatalf("question %d: %d bytes, %d, %v, %v", i, n, b[0], err, why)
			}
		}
		if said != 2000 {
			t.Errorf("%d were said to be sent", said)
		}
	})
}

// TestAskFollowsKeptData asks for more than the kernel takes, behind what it did not take.
func TestAskFollowsKeptData(t *testing.T) {
	c, theirs := pair(t, "tcp", NewTimes(time.Now()))
	data := numbered(24 << 20)
	for i := range 160 {
		if _, err := c.Send(data[i*100<<10:][:100<<10]); err != nil {
			t.Fatal(err)
		}
	}
	var reader sync.WaitGroup
	defer reader.Wait()
	reader.Go(func() {
		got := make([]byte, len(data))
		if _, err := io.ReadFull(theirs, got); err != nil || string(got) != string(data) {
			t.Error("what arrives is not what was sent", err)
		}
		_, _ = theirs.Write([]byte("x"))
	})
	sent := false
	c.Ask(data[160*100<<10:], func() { sent = true })
	if n, err := c.Read(make([]byte, 10)); n != 1 || err != nil || !sent {
		t.Error(n, err, sent)
	}
	if why, partly := c.AskFailed(); why != nil || !partly {
		t.Errorf("it was sent at once: %v, %v", !partly, why)
	}
}

// If the peer has closed the connection, the read after Ask returns the error.
func TestAskReportsAClosedPeer(t *testing.T) {
	askable(t, func(t *testing.T, c *Conn, theirs net.Conn) {
		answers(t, c, theirs)
		c.Ask([]byte("x"), func() {})
		_, _ = c.Read(make([]byte, 1))
		_ = theirs.Close()
		for sockets(c) && unseen == "" && !c.Gone() {
			runtime.Gosched()
		}
		c.Ask([]byte("x"), func() {})
		n, err := c.Read(make([]byte, 1))
		why, partly := c.AskFailed()
		if n != 0 || err == nil || partly && sockets(c) { // of a pipe nobody knows
			t.Error(n, err, partly)
		}
		if sockets(c) && err != io.EOF && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("the error is %v, that of sending %v", err, why)
		}
	})
}

func TestAskOnAClosedConnection(t *testing.T) {
	askable(t, func(t *testing.T, c *Conn, _ net.Conn) {
		_ = c.Close()
		c.Ask([]byte("x"), func() { t.Error("it was said to be sent") })
		n, err := c.Read(make([]byte, 1))
		if n != 0 || err == nil {
			t.Error(n, err)
		}
		// A connection that is stamped finds it closed before it sends.
		if why, partly := c.AskFailed(); !c.kernel.stamps && (why == nil || why != err) || partly && sockets(c) {
			t.Errorf("the error is %v, that of sending %v, partly %v", err, why, partly)
		}
	})
}

// TestCloseEndsARead closes a connection that has asked and waits.
func TestCloseEndsARead(t *testing.T) {
	c, _ := pair(t, "tcp", NewTimes(time.Now()))
	sent := make(chan struct{})
	c.Ask([]byte("x"), func() { close(sent) })
	var closer sync.WaitGroup
	defer closer.Wait()
	closer.Go(func() { <-sent; _ = c.Close() })
	if n, err := c.Read(make([]byte, 1)); n != 0 || !errors.Is(err, net.ErrClosed) {
		t.Error(n, err)
	}
}

func TestAskAllocatesNothing(t *testing.T) {
	c, theirs := pair(t, "tcp", NewTimes(time.Now()))
	answers(t, c, theirs)
	question, answer, sent := []byte("x"), make([]byte, 1), func() {}
	if n := testing.AllocsPerRun(100, func() {
		c.Ask(question, sent)
		_, _ = c.Read(answer)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
