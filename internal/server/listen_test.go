package server

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
)

func TestListen(t *testing.T) {
	for _, address := range []string{":0", "127.0.0.1:0"} {
		l, err := Listen(t.Context(), net.ListenConfig{}, address)
		if err != nil {
			t.Fatal(err)
		}
		port := l.Addr().(*net.TCPAddr).Port
		if got, want := Address(l), fmt.Sprintf("127.0.0.1:%d", port); got != want {
			t.Errorf("of %s a client is told %s, want %s", address, got, want)
		}
		taken := Address(l)
		_, err = Listen(t.Context(), net.ListenConfig{}, taken)
		if err == nil || !strings.HasPrefix(err.Error(), "cannot listen on "+taken+": ") || fault.CodeOf(err) != fault.RunFailed {
			t.Errorf("on a port that is taken: %v", err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestMachineMemory(t *testing.T) {
	if n := MachineMemory(); n < 1<<20 {
		t.Errorf("the machine has %d bytes", n)
	}
}
