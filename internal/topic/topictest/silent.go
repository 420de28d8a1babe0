package topictest

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
)

// GivesUp makes sure that opening a topic ends with its context, at a server that takes the connection and says
// nothing, whatever the time that a request may take.
func GivesUp(t *testing.T, open func(ctx context.Context, address string) error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var serving sync.WaitGroup
	taken := false
	serving.Go(func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		taken = true
		_, _ = c.Read(make([]byte, 1)) // the client has something to wait for
		cancel()
		_, _ = io.Copy(io.Discard, c)
	})
	err = open(ctx, l.Addr().String())
	_ = l.Close()
	serving.Wait()
	if err == nil || !taken {
		t.Errorf("it is open, or was not tried: %v", err)
	}
}
