package s3

import (
	"context"
	"net"
	"testing"
)

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
