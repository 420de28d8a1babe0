package chat

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
)

// idle connects a client to a server with this idle time and has it read, in a bubble of synctest:
// nothing takes time there but what waits for it.
func idle(t *testing.T, timeout time.Duration, read func(t *testing.T, c *websocket.Conn, since time.Time)) {
	synctest.Test(t, func(t *testing.T) {
		s := serveInMemory(t, func(c *Config) { c.IdleTimeout = timeout })
		dialer := websocket.Dialer{NetDialContext: func(context.Context, string, string) (net.Conn, error) {
			return s.connect(), nil
		}}
		c, _, err := dialer.Dial(s.URL(), nil)
		if err != nil {
			t.Fatal(err)
		}
		read(t, c, time.Now())
		_ = c.Close()
		if err := s.end(); err != nil {
			t.Error(err)
		}
	})
}

func TestIdleClientsArePingedAndClosed(t *testing.T) {
	const timeout = 40 * time.Second
	idle(t, timeout, func(t *testing.T, c *websocket.Conn, since time.Time) {
		var pings []time.Duration
		c.SetPingHandler(func(string) error { pings = append(pings, time.Since(since)); return nil }) // no pong
		if got := closeCode(t, c); got != websocket.CloseGoingAway {
			t.Errorf("close code %d", got)
		}
		// The sweep looks eight times in the idle time; its first look is the first that it knows of.
		if len(pings) != 1 || pings[0] != timeout/2+timeout/sweeps {
			t.Errorf("pings at %v", pings)
		}
		if took := time.Since(since); took != timeout+timeout/sweeps {
			t.Errorf("closed after %v", took)
		}
	})
}

func TestClientsThatAnswerPingsStay(t *testing.T) {
	const timeout = 40 * time.Second
	idle(t, timeout, func(t *testing.T, c *websocket.Conn, since time.Time) {
		pong, pings := c.PingHandler(), 0
		c.SetPingHandler(func(data string) error {
			if pings++; pings == 10 {
				return c.Close()
			}
			return pong(data)
		})
		_, _, err := c.ReadMessage()
		if took := time.Since(since); pings != 10 || took < 10*timeout/2 {
			t.Errorf("it ended with %v, after %d pings and %v", err, pings, took)
		}
	})
}
