package chat

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobwas/ws"
)

const handshake = "GET /chat/1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
	"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

// say sends what a client says. A pipe takes it only when the server reads it.
func say(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Error(err)
	}
}

// enter makes a handshake, and reads its answer but nothing else.
func enter(t *testing.T, c net.Conn) {
	t.Helper()
	say(t, c, handshake)
	resp, err := http.ReadResponse(bufio.NewReaderSize(c, 16), nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("handshake: %v, %v", resp, err)
	}
}

// TestShutdownDoesNotWaitForClientsThatDoNotRead: hundreds of them, in the states of a connection before the server writes an
// answer to a message. The time is that of the bubble, so that a wait of one after the other would show.
func TestShutdownDoesNotWaitForClientsThatDoNotRead(t *testing.T) {
	const clients = 200
	for _, state := range []struct {
		name   string
		change func(*Config)
		reach  func(t *testing.T, c net.Conn)
		open   int64 // clients that have a place
		least  time.Duration
	}{
		{"silent", nil, enter, clients, closeWrite + linger},
		{"an answer is never due", func(c *Config) { c.Delay = time.Hour }, func(t *testing.T, c net.Conn) {
			enter(t, c)
			say(t, c, string(masked(ws.OpText, valid)))
		}, clients, closeWrite + linger},
		{"in the handshake", nil, func(t *testing.T, c net.Conn) { say(t, c, handshake) }, clients, 0},
		{"an HTTP answer is written", nil, func(t *testing.T, c net.Conn) {
			say(t, c, "GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
		}, 0, 0},
		{"half of the headers", nil, func(t *testing.T, c net.Conn) { say(t, c, handshake[:40]) }, 0, 0},
		{"nothing said", nil, func(*testing.T, net.Conn) {}, 0, 0},
	} {
		for _, bound := range []time.Duration{time.Second, 20 * time.Second} {
			t.Run(state.name+" "+bound.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := serveInMemory(t, func(c *Config) {
						if c.ShutdownTimeout = bound; state.change != nil {
							state.change(c)
						}
					})
					for range clients {
						c := s.connect()
						defer c.Close()
						state.reach(t, c)
					}
					synctest.Wait()
					if n := s.clients.Open(); n != state.open {
						t.Errorf("%d have a place, want %d", n, state.open)
					}
					told := time.Now()
					if err := s.end(); err != nil {
						t.Error(err)
					}
					if took := time.Since(told); took > bound || took < min(bound, state.least) {
						t.Errorf("the end took %v; it is bounded by %v", took, bound)
					}
				})
			})
		}
	}
}
