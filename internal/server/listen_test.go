package server

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
)

func TestBind(t *testing.T) {
	var unbound Port
	if unbound.Bound() || unbound.Address() != "" || unbound.URL("http", "/a") != "" {
		t.Errorf("who does not listen is found at %q", unbound.URL("http", "/a"))
	}
	for _, address := range []string{":0", "127.0.0.1:0"} {
		var p, second Port
		if err := p.Bind(t.Context(), net.ListenConfig{}, address); err != nil {
			t.Fatal(err)
		}
		port := p.Addr().(*net.TCPAddr).Port
		if got, want := p.URL("ws", "/a"), fmt.Sprintf("ws://127.0.0.1:%d/a", port); got != want {
			t.Errorf("of %s a client is told %s, want %s", address, got, want)
		}
		taken := p.Address()
		err := second.Bind(t.Context(), net.ListenConfig{}, taken)
		if err == nil || !strings.HasPrefix(err.Error(), "cannot listen on "+taken+": ") ||
			fault.CodeOf(err) != fault.RunFailed || second.Bound() {
			t.Errorf("on a port that is taken: %v", err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestMachineMemory(t *testing.T) {
	if n := MachineMemory(); n < 1<<20 {
		t.Errorf("the machine has %d bytes", n)
	}
}
