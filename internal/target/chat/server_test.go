package chat

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve runs a server with these settings until the test ends, and gives its address.
func serve(t *testing.T, change func(*Config)) *Server {
	t.Helper()
	cfg := Default()
	cfg.Listen = "127.0.0.1:0"
	cfg.ShutdownTimeout = 10 * time.Second
	if change != nil {
		change(&cfg)
	}
	s, err := New(cfg, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return s
}

// dial connects a foreign client.
func dial(t *testing.T, s *Server) *websocket.Conn {
	t.Helper()
	c, _, err := websocket.DefaultDialer.Dial(s.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func send(t *testing.T, c *websocket.Conn, text string) {
	t.Helper()
	if err := c.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func receive(t *testing.T, c *websocket.Conn) []byte {
	t.Helper()
	_, data, err := c.ReadMessage()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// closeCode reads to the end of a connection and gives the close frame's code; 1006 is the
// end of the stream without one. A reset, which the server has to avoid, fails the test.
func closeCode(t *testing.T, c *websocket.Conn) int {
	t.Helper()
	for {
		_, _, err := c.ReadMessage()
		if closed := (*websocket.CloseError)(nil); errors.As(err, &closed) {
			return closed.Code
		}
		if err != nil {
			t.Fatalf("the connection ended with %v", err)
		}
	}
}

const valid = `{"messageId":"m-1","userId":17,"username":"user17","message":"hello","timestamp":"2025-01-31T12:00:00Z","messageType":"TEXT"}`

func TestSmoke(t *testing.T) {
	s := serve(t, nil)
	c := dial(t, s)
	for _, m := range []string{valid, `{}`, `{"userId":1`, "", "[]", `{"a":1}x`, "\"\xff\"", `{"a":tru}`, `{"messageId":"7","a":nul}`} {
		send(t, c, m)
		t.Logf("%s", receive(t, c))
	}
}
