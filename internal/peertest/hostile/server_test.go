package hostile_test

import (
	"errors"
	"io"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/peertest/hostile"
)

// Each mode does something to one who asks, ends when it is told to, and has a name of its own.
func TestServers(t *testing.T) {
	names := map[string]bool{}
	for _, m := range hostile.Modes() {
		if names[m.Name] {
			t.Errorf("two modes have the name %s", m.Name)
		}
		names[m.Name] = true
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			s, err := hostile.Listen(m)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			c, err := net.Dial("tcp", s.Address())
			if err != nil { // some close so soon that there was no connection yet
				if m.Level == hostile.Raw {
					return
				}
				t.Fatal(err)
			}
			defer c.Close()
			_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\nSec-WebSocket-Key: a\r\n\r\nPING\r\n")
			for patience := time.Now().Add(time.Minute); s.Met() == 0 && time.Now().Before(patience); {
				runtime.Gosched()
			}
			_ = c.SetReadDeadline(time.Now().Add(20 * time.Millisecond)) // some modes never close
			if _, err := io.CopyN(io.Discard, c, 1<<20); errors.Is(err, net.ErrClosed) {
				t.Error(err)
			}
			if s.Met() != 1 {
				t.Errorf("it met %d connections, want 1", s.Met())
			}
		})
	}
	if len(names) < 40 {
		t.Errorf("there are %d modes, want 40 at least", len(names))
	}
}
