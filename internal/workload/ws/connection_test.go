package ws_test

import (
	"bufio"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	server "github.com/plimsoll/plimsoll/internal/server/chat"
	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/internal/workload/ws"
)

// scripted runs a server whose connections do what serve says. Its listener, and so the
// addresses of its connections, end with the test.
func scripted(t *testing.T, serve func(net.Conn, *bufio.Reader)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	t.Cleanup(func() {
		_ = l.Close()
		serving.Wait()
	})
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer conn.Close()
				serve(conn, bufio.NewReader(conn))
			})
		}
	})
	return "ws://" + l.Addr().String() + "/"
}

// shake does the server's part of the handshake.
func shake(conn net.Conn, in *bufio.Reader) { shakeWith(conn, in, "") }

// shakeWith sends more headers, too.
func shakeWith(conn net.Conn, in *bufio.Reader, headers string) {
	r, err := http.ReadRequest(in)
	if err != nil {
		return
	}
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Accept: %s\r\n%s\r\n",
		base64.StdEncoding.EncodeToString(sum[:]), headers)
}

// newClient makes a client of a target.
func newClient(t *testing.T, target string, slots, size int) workload.Client {
	t.Helper()
	w, err := ws.New(ws.Options{Protocol: ws.ChatOf(t, size), Label: "type", Rooms: 3}, target, "test")
	if err != nil {
		t.Fatal(err)
	}
	return w.NewClient(0, slots)
}

// perform makes one attempt, as the engine does.
func perform(t *testing.T, c workload.Client, slot int, timeout time.Duration) *op.Failure {
	t.Helper()
	clock := op.NewClock()
	ctl := op.NewControl(clock, timeout, func(*op.Failure) {})
	defer ctl.Stop()
	c.Prepare(slot, uint64(slot))
	ctl.Begin(clock.Now())
	return ctl.End(c.Do(t.Context(), slot, &ctl.Attempt))
}

// TestCutEndsOnlyItsConnection cuts the connection of a message that waits for its answer, and
// then has the next message end in another way.
func TestCutEndsOnlyItsConnection(t *testing.T) {
	for _, c := range []struct {
		why, sibling *op.Failure
		answer       string // over the next connection
		cause        string
	}{
		{op.ErrTimeout, &op.Failure{Cause: "cut-off"}, "\x88\x02\x03\xf3", "closed-by-peer:1011"},
		{op.ErrUnfinished, op.ErrUnfinished, "\x81\x12" + `{"status":"error"}`, "rejected"},
	} {
		t.Run(c.why.Cause, func(t *testing.T) {
			received := make(chan struct{}, 2)
			first := make(chan struct{}, 1)
			first <- struct{}{}
			client := newClient(t, scripted(t, func(conn net.Conn, in *bufio.Reader) {
				shake(conn, in)
				if _, err := in.ReadByte(); err != nil {
					return
				}
				received <- struct{}{}
				select {
				case <-first: // of the connections: silent until it is cut
				default:
					_, _ = conn.Write([]byte(c.answer))
				}
				_, _ = io.Copy(io.Discard, in)
			}), 2, 0)
			defer client.Close()
			if err := client.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			var sibling *op.Failure
			var waiting sync.WaitGroup
			waiting.Go(func() { sibling = perform(t, client, 0, time.Minute) })
			<-received
			client.Cut(c.why)
			waiting.Wait()
			if sibling == nil || sibling.Cause != c.sibling.Cause || sibling.Timeout ||
				sibling.Final != c.sibling.Final {
				t.Errorf("the sibling ended with %v", sibling)
			}
			if err := client.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			if why := perform(t, client, 1, time.Minute); why == nil || why.Cause != c.cause {
				t.Errorf("after the cut and a reconnect: %v", why)
			}
		})
	}
}

// TestCloseWithAServerThatDoesNotRead has a message in the middle of its sending.
func TestCloseWithAServerThatDoesNotRead(t *testing.T) {
	received, release := make(chan struct{}), make(chan struct{})
	client := newClient(t, scripted(t, func(conn net.Conn, in *bufio.Reader) {
		shake(conn, in)
		_, _ = in.ReadByte()
		close(received)
		<-release
	}), 1, 15<<20) // more than the system's buffers hold, and less than the library refuses
	defer close(release)
	if err := client.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	var sending sync.WaitGroup
	clock := op.NewClock()
	ctl := op.NewControl(clock, time.Minute, func(*op.Failure) {})
	defer ctl.Stop()
	client.Prepare(0, 0)
	ctl.Begin(clock.Now())
	sending.Go(func() { ctl.End(client.Do(t.Context(), 0, &ctl.Attempt)) })
	<-received
	client.Close() // the test's own deadline is what ends a failure
	ctl.Interrupt()
	sending.Wait()
}

// TestMissingHandshakeTimesOut connects to a server that accepts and says nothing.
func TestMissingHandshakeTimesOut(t *testing.T) {
	client := newClient(t, scripted(t, func(_ net.Conn, in *bufio.Reader) { _, _ = io.Copy(io.Discard, in) }), 1, 0)
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	why := op.AsFailure(client.Connect(ctx))
	if why.Cause != "connect-timeout" || !why.Timeout {
		t.Errorf("%v, timeout %v", why, why.Timeout)
	}
}

// TestBytesAgreeWithServerCounts holds them against the target's own count.
func TestBytesAgreeWithServerCounts(t *testing.T) {
	target := serve(t, server.Faults{})
	_, o, _ := sends(t, target, 500, nil)
	m := metrics(t, target)
	if got := m[`plimsoll_chat_bytes_total{direction="received"}`]; o.OK != 500 || o.Bytes == 0 || o.Bytes != got {
		t.Errorf("%d bytes moved, the server received %d", o.Bytes, got)
	}
}

// TestPingsAreAnswered has a server that answers a message only when its ping was answered.
func TestPingsAreAnswered(t *testing.T) {
	client := newClient(t, scripted(t, func(conn net.Conn, in *bufio.Reader) {
		shake(conn, in)
		for opcode, asked := byte(0), false; opcode != pong; asked = true {
			var payload string
			var err error
			if opcode, payload, err = frame(in); err != nil {
				return
			}
			if opcode == pong && payload != "hi" {
				t.Errorf("the answer to the ping has %q", payload)
			}
			if !asked {
				_, _ = io.WriteString(conn, "\x89\x02hi")
			}
		}
		_, _ = io.WriteString(conn, "\x81\x12"+`{"status":"error"}`)
		_, _ = io.Copy(io.Discard, in)
	}), 1, 0)
	defer client.Close()
	if err := client.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if why := perform(t, client, 0, time.Minute); why == nil || why.Cause != "rejected" {
		t.Errorf("after a ping: %v", why)
	}
}

const pong = 10

// frame reads a frame of a client (RFC 6455, 5.2).
func frame(in *bufio.Reader) (opcode byte, payload string, err error) {
	var head [2]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return 0, "", err
	}
	length := int(head[1] & 0x7f)
	if more := map[int]int{126: 2, 127: 8}[length]; more > 0 {
		var long [8]byte
		if _, err := io.ReadFull(in, long[8-more:]); err != nil {
			return 0, "", err
		}
		length = int(binary.BigEndian.Uint64(long[:]))
	}
	b := make([]byte, 4+length)
	if _, err := io.ReadFull(in, b); err != nil {
		return 0, "", err
	}
	for i := range b[4:] {
		b[4+i] ^= b[i%4]
	}
	return head[0] & 0xf, string(b[4:]), nil
}
