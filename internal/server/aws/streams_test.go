package aws

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/wake"
)

// queued is an end of a pipe whose writes do not wait to be read, as a socket's do not.
type queued struct {
	net.Conn
	out   chan []byte
	ended chan struct{}
	once  sync.Once
}

func queue(c net.Conn) *queued {
	q := &queued{Conn: c, out: make(chan []byte, 1000), ended: make(chan struct{})}
	go func() {
		for {
			select {
			case p := <-q.out:
				_, _ = c.Write(p) // it fails when the other end was closed
			case <-q.ended:
				return
			}
		}
	}()
	return q
}

func (q *queued) Write(p []byte) (int, error) {
	select {
	case q.out <- bytes.Clone(p):
		return len(p), nil
	case <-q.ended:
		return 0, net.ErrClosed
	}
}

func (q *queued) Close() error {
	q.once.Do(func() { close(q.ended) })
	return q.Conn.Close()
}

// Requests on one HTTP/2 connection wait at the same time, not one after the other, and each
// waits.
func TestLatencyOfStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const latency, requests = 50 * time.Millisecond, 40
		var seen []Exchange
		cfg := Default()
		cfg.Latency = latency
		cfg.Observe = func(e Exchange) { seen = append(seen, e) } // under the lock of the one connection
		s, err := New(cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.alarms = wake.NewPortable()
		defer s.alarms.Close()
		var serving sync.WaitGroup
		transport := &http.Transport{Protocols: new(http.Protocols)}
		transport.Protocols.SetUnencryptedHTTP2(true)
		transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			serving.Go(func() {
				c := newConn(s, queue(ours), 1)
				defer c.wire.Close()
				serveHTTP2(c)
			})
			return queue(theirs), nil
		}
		client := &http.Client{Transport: transport}
		ask := func() {
			response, err := client.Head("http://responder/bucket/key")
			if err == nil {
				err = response.Body.Close()
			}
			if err != nil {
				t.Error(err)
			}
		}
		ask() // makes the connection
		begun := time.Now()
		var asking sync.WaitGroup
		for range requests {
			asking.Go(ask)
		}
		asking.Wait()
		if took := time.Since(begun); took != latency {
			t.Errorf("%d requests at a time took %v: they waited for each other, or for nothing", requests, took)
		}
		transport.CloseIdleConnections()
		serving.Wait()
		if len(seen) != 1+requests {
			t.Errorf("%d requests were seen", len(seen))
		}
		for _, e := range seen {
			if e.Sent.Sub(e.Received) != latency {
				t.Errorf("answered after %v", e.Sent.Sub(e.Received))
			}
		}
	})
}
