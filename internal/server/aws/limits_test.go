package aws

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// answered sends a request on a connection, and reports whether it was answered.
func answered(conn net.Conn) bool {
	if _, err := io.WriteString(conn, headObject); err != nil {
		return false
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: http.MethodHead})
	return err == nil && resp.Body.Close() == nil
}

// Connections beyond the most that there may be are closed at once, and those that are there are not.
func TestMaxConnections(t *testing.T) {
	server := start(t, func(c *Config) { c.MaxConnections = 2 })
	one, two := dial(t, server), dial(t, server)
	if !answered(one) || !answered(two) {
		t.Fatal("within the bound")
	}
	if answered(dial(t, server)) || !answered(one) || !answered(two) {
		t.Error("a third connection was answered, or another one closed")
	}
}

// A connection is closed when no request ended between two looks, of which its first one does not count.
func TestCloseIdle(t *testing.T) {
	server := start(t, nil)
	busy, idle := dial(t, server), dial(t, server)
	if !answered(busy) || !answered(idle) {
		t.Fatal("not answered")
	}
	server.closeIdle(time.Now())
	if !answered(busy) || !answered(idle) {
		t.Error("a connection was closed at the first look")
	}
	for range 2 {
		server.closeIdle(time.Now())
		if !answered(busy) {
			t.Error("a busy connection was closed")
		}
	}
	if !answered(busy) || answered(idle) {
		t.Error("a busy connection was closed, or an idle one not")
	}
}
