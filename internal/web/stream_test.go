package web

import (
	"bufio"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/server"
)

const (
	askEvents = "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"
)

// serve serves a stream until end is called, which gives what Serve gave.
func serve(t *testing.T, stream *Stream) (p peertest.Pipes, end func() error) {
	p = make(peertest.Pipes)
	s := &Server{port: server.Port{Listener: p}, given: "localhost:0", local: true}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx, stream, func() { stream.End([]byte(`"over"`)) }) }()
	return p, func() error {
		cancel()
		return <-ended
	}
}

// line is the next line of an answer that is not of its headers or chunks.
func event(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return err.Error()
		}
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "data: ") || strings.HasPrefix(line, ":") ||
			strings.HasPrefix(line, "retry:") {
			return line
		}
	}
}

// Who listens is told the newest, each once, and the last; then the stream ends, and the server with it.
func TestStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stream := NewStream()
		p, end := serve(t, stream)
		c := p.Say(askEvents)
		r := bufio.NewReader(c)
		if got := event(t, r); got != "retry: 2000" {
			t.Errorf("it begins with %q", got)
		}
		stream.Say([]byte(`{"a":1}`))
		if got := event(t, r); got != `data: {"a":1}` {
			t.Errorf("the first is %q", got)
		}
		synctest.Wait()
		for _, line := range []string{"2", "3", "4"} { // while nobody reads
			stream.Say([]byte(line))
			synctest.Wait()
		}
		first, last := event(t, r), event(t, r)
		if first != "data: 2" || last != "data: 4" {
			t.Errorf("whoever reads late has %q and %q", first, last)
		}
		if got := event(t, r); got != ":" {
			t.Errorf("with nothing to say it says %q", got)
		}
		if stream.Listeners() != 1 {
			t.Errorf("%d listen", stream.Listeners())
		}
		var ending sync.WaitGroup
		ending.Go(func() {
			if err := end(); err != nil {
				t.Error(err)
			}
		})
		if got := event(t, r); got != `data: "over"` {
			t.Errorf("the last is %q", got)
		}
		go io.Copy(io.Discard, r)
		ending.Wait()
		_ = c.Close()
		if stream.Listeners() != 0 {
			t.Errorf("%d listen when all is over", stream.Listeners())
		}
	})
}

// Whoever comes late is told what is, and behind the end the last.
func TestStreamLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stream := NewStream()
		stream.Say([]byte("1"))
		stream.End([]byte("2"))
		stream.Say([]byte("3"))
		p, end := serve(t, stream)
		c := p.Say(askEvents)
		r := bufio.NewReader(c)
		if retry, last := event(t, r), event(t, r); retry != "retry: 2000" || last != "data: 2" {
			t.Errorf("%q, %q", retry, last)
		}
		synctest.Wait()
		if stream.Listeners() != 0 {
			t.Error("it still listens")
		}
		_ = c.Close()
		_ = end()
	})
}

// A browser that reads nothing is dropped, and nobody waits for it: neither who says something, nor the end.
func TestStreamIsNotHeldUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stream := NewStream()
		p, end := serve(t, stream)
		c := p.Say(askEvents)
		defer c.Close()
		begun := time.Now()
		for range 1000 {
			stream.Say(make([]byte, 1<<10))
		}
		if time.Since(begun) != 0 {
			t.Errorf("saying took %v", time.Since(begun))
		}
		time.Sleep(6 * time.Second)
		synctest.Wait()
		if stream.Listeners() != 0 {
			t.Error("a dead browser is still there")
		}
		other := p.Say(askEvents)
		defer other.Close()
		synctest.Wait()
		begun = time.Now()
		if err := end(); err != nil {
			t.Error(err)
		}
		if took := time.Since(begun); took != 2*time.Second {
			t.Errorf("the end took %v", took)
		}
	})
}

// A request without an end is cut off, and so is a connection that asks for nothing.
func TestSlowRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, end := serve(t, NewStream())
		for _, request := range []string{"GET / HTTP/1.1\r\nHost: loc", "G", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx"} {
			c := p.Say(request)
			begun := time.Now()
			_, _ = io.Copy(io.Discard, c)
			if took := time.Since(begun); took != 5*time.Second {
				t.Errorf("%q is held for %v", request, took)
			}
			_ = c.Close()
		}
		_ = end()
	})
}
