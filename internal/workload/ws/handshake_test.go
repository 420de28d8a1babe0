package ws_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/runtest"
)

// TestEndlessHandshakeIsBounded: what a server sends in answer to the handshake is read up to a bound.
func TestEndlessHandshakeIsBounded(t *testing.T) {
	for name, c := range map[string]struct{ begin, more string }{
		"one line":       {"HTTP/1.1 101 Switching Protocols\r\nX-Long: ", strings.Repeat("x", 64<<10)},
		"many lines":     {"HTTP/1.1 101 Switching Protocols\r\n", strings.Repeat("X-More: yes\r\n", 1000)},
		"the first line": {"HTTP/1.1 ", strings.Repeat("9", 64<<10)},
	} {
		t.Run(name, func(t *testing.T) {
			client := newClient(t, scripted(t, func(conn net.Conn, in *bufio.Reader) {
				if _, err := http.ReadRequest(in); err != nil {
					return
				}
				_, err := conn.Write([]byte(c.begin))
				more := []byte(c.more)
				for sent := 0; sent < 64<<20 && err == nil; sent += len(more) { // a client without a bound takes it all
					_, err = conn.Write(more)
				}
			}), 1, 0)
			defer client.Close()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := client.Connect(t.Context())
			runtime.ReadMemStats(&after)
			var failure *op.Failure
			if !errors.As(err, &failure) || failure.Cause != "handshake" ||
				!strings.Contains(fmt.Sprint(failure.Err), "larger than 64 KiB") {
				t.Errorf("connecting ended with %.200s", fmt.Sprint(err))
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 2<<20 {
				t.Errorf("%d KiB were allocated for one handshake", used>>10)
			}
		})
	}
}

// TestLongHandshakeIsAccepted: headers below the bound are no harm, and it does not count what comes after.
func TestLongHandshakeIsAccepted(t *testing.T) {
	client := newClient(t, scripted(t, func(conn net.Conn, in *bufio.Reader) {
		shakeWith(conn, in, "X-Long: "+strings.Repeat("x", 40<<10)+"\r\n")
		for range 100 {
			if _, err := conn.Write([]byte("\x81\x7e\x20\x00" + "{}" + strings.Repeat(" ", 8<<10-2))); err != nil {
				return
			}
		}
		if _, err := in.ReadByte(); err == nil {
			_, _ = io.WriteString(conn, "\x81\x12"+`{"status":"error"}`)
		}
		_, _ = io.Copy(io.Discard, in) // until the client leaves
	}), 1, 0)
	defer client.Close()
	if err := client.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if why := perform(t, client, 0, runtest.Patience); why == nil || why.Cause != "rejected" {
		t.Errorf("ended with %v", why)
	}
}
