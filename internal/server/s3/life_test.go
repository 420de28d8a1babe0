package s3

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/server"
)

// What a server may hold is what was said, or a share of the machine.
func TestWhatMayBeHeld(t *testing.T) {
	for memory, want := range map[int64]int64{0: server.MachineMemory() / 4, 5 << 20: 5 << 20} {
		c := Default()
		c.Memory, c.Full = memory, 7
		s, err := New(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if s.memory.Limit != want || s.data.Limit != 7 || s.URL() != "" || s.catalog.hasBucket("plimsoll") != nil {
			t.Errorf("%d of memory, %d of data", s.memory.Limit, s.data.Limit)
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
	c := Default()
	c.Memory = 1
	if _, err := New(c, nil); code(err) != "InsufficientStorage" {
		t.Errorf("without room for a bucket: %v", err)
	}
	c = Default()
	c.Dir = "/dev/null/x"
	if _, err := New(c, nil); fault.CodeOf(err) != fault.RunFailed || !strings.Contains(fault.HintOf(err), "--dir") {
		t.Errorf("%v, hint %q", err, fault.HintOf(err))
	}
}

// A server that was not bound binds itself, and says where it cannot.
func TestServeListens(t *testing.T) {
	c := Default()
	c.Listen, c.Dir = "127.0.0.1:0", t.TempDir()
	s, err := New(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Serve(ctx); err != nil {
		t.Error(err)
	}
	if s.port.Addr() == nil {
		t.Error("it was never bound")
	}
	if _, err := s.vault.Receive(&zeros{1}); err == nil {
		t.Error("the directory is open yet")
	}
	if _, err := s.catalog.keeper.lock.Stat(); err == nil {
		t.Error("the lock is held yet")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c.Listen, c.Dir = l.Addr().String(), ""
	if s, err = New(c, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(t.Context()); err == nil {
		t.Error("two servers are bound to one address")
	}
}

// One wait alone is enough to have a clock for it.
func TestOneWaitAlone(t *testing.T) {
	s := serve(t, func(c *Config) { open(c); c.StallPart, c.StallFor = 1, time.Microsecond })
	if got := raw(t, s, "PUT", "/plimsoll/k", "text"); got.status != 200 {
		t.Errorf("%+v", got)
	}
	s = serve(t, func(c *Config) { open(c); c.Latency = time.Microsecond })
	if got := raw(t, s, "PUT", "/plimsoll/k", "text"); got.status != 200 {
		t.Errorf("%+v", got)
	}
}

// Connections are shaped where there is a rate, and are nobody's else.
func TestShapedConnections(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{}
	if s.shaped(l) != l {
		t.Error("one without a rate is shaped")
	}
	s.cfg.Bandwidth = 1
	shaped := s.shaped(l)
	if shaped == l {
		t.Error("one with a rate is not")
	}
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	c, err := shaped.Accept()
	if err != nil || c.RemoteAddr().String() != client.LocalAddr().String() {
		t.Fatalf("%v, %v", c, err)
	}
	_ = c.Close()
	_ = l.Close()
	if _, err := shaped.Accept(); err == nil {
		t.Error("a listener that is closed accepts")
	}
}
