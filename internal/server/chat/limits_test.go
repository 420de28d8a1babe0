package chat

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

func TestMessagesThatAreTooLong(t *testing.T) {
	s := serve(t, func(c *Config) { c.MaxMessage = 200 })
	c := dial(t, s)
	send(t, c, valid+strings.Repeat(" ", 200-len(valid)))
	if got := name(receive(t, c)); got != "m-1" {
		t.Errorf("reply to %q", got)
	}
	send(t, c, valid+strings.Repeat(" ", 201-len(valid)))
	if got := closeCode(t, c); got != websocket.CloseMessageTooBig {
		t.Errorf("close code %d", got)
	}

	// Far more than fits into the socket's buffers: the close frame has to get through.
	c = dial(t, s)
	send(t, c, strings.Repeat(" ", 16<<20))
	if got := closeCode(t, c); got != websocket.CloseMessageTooBig {
		t.Errorf("close code %d", got)
	}

	// A message may also grow too long by fragments.
	c = dial(t, s)
	w, err := c.NextWriter(websocket.TextMessage)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		_, _ = w.Write(make([]byte, 4096)) // the writer's buffer: each makes a frame
	}
	_ = w.Close()
	if got := closeCode(t, c); got != websocket.CloseMessageTooBig {
		t.Errorf("close code %d", got)
	}
}

func TestMaxConnections(t *testing.T) {
	s := serve(t, func(c *Config) { c.MaxConnections = 2 })
	first := dial(t, s)
	dial(t, s)
	_, resp, err := websocket.DefaultDialer.Dial(s.URL(), nil)
	if err == nil || resp == nil || resp.StatusCode != http.StatusServiceUnavailable {
		t.Fatalf("the third got %v, %v", resp, err)
	}
	body, _ := io.ReadAll(resp.Body)
	if !strings.Contains(string(body), "too many connections") {
		t.Errorf("body %s", body)
	}
	_ = first.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""), time.Time{})
	if got := closeCode(t, first); got != websocket.CloseNormalClosure {
		t.Errorf("close code %d", got)
	}
	_ = first.Close()
	for { // the server takes note of the end in its own time
		c, _, err := websocket.DefaultDialer.Dial(s.URL(), nil)
		if err == nil {
			_ = c.Close()
			break
		}
	}
}

func TestShutdownClosesClientsWith1001(t *testing.T) {
	cfg := Default()
	cfg.Listen, cfg.ShutdownTimeout = "127.0.0.1:0", time.Minute
	cfg.Delay = time.Hour // answers that never come due must not hold it up
	s, err := New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.takeTime()
	ctx, cancel := context.WithCancel(t.Context())
	if err := s.Listen(ctx); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- s.Serve(ctx) }()
	clients := make([]*websocket.Conn, 20)
	for i := range clients {
		clients[i] = dial(t, s)
		send(t, clients[i], valid)
	}
	cancel()
	for i, c := range clients {
		if got := closeCode(t, c); got != websocket.CloseGoingAway {
			t.Errorf("client %d: close code %d", i, got)
		}
		_ = c.Close()
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := s.port.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the port is still open: %v", err)
	}
}
