package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/store/flow"
)

// talk has a client with these limits speak to a server that does this to each connection.
func talk(t *testing.T, c Config, serve func(net.Conn, *http.Request)) *http.Client {
	var serving sync.WaitGroup
	t.Cleanup(serving.Wait)
	client := NewClient(&c, func(h *http.Transport) {
		h.DialContext = func(context.Context, string, string) (net.Conn, error) {
			here, there := net.Pipe()
			serving.Go(func() {
				defer there.Close()
				if req, err := http.ReadRequest(bufio.NewReader(there)); err == nil {
					serve(there, req)
				}
			})
			return here, nil
		}
	})
	t.Cleanup(client.CloseIdleConnections)
	return client
}

const minute = time.Minute

// synctest: its servers run inside a bubble.
func TestSilentServerIsNotWaitedFor(t *testing.T) {
	for name, test := range map[string]struct {
		serve func(net.Conn, *http.Request)
		want  string // of the error; "" for none
	}{
		"no answer": {func(c net.Conn, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = c.Read(make([]byte, 1))
		}, "no data sent or received for 1m0s"},
		"the body is not read": {func(c net.Conn, _ *http.Request) {
			time.Sleep(time.Hour)
		}, "no data sent or received for 1m0s"},
		"an answer that comes slowly": {func(c net.Conn, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			for _, b := range "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" {
				time.Sleep(50 * time.Second)
				fmt.Fprint(c, string(b))
			}
		}, ""},
		"an answer that stops": {func(c net.Conn, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no")
			_, _ = c.Read(make([]byte, 1))
		}, "no data sent or received for 1m0s"},
		"an answer to an upload without an end": {func(c net.Conn, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			for {
				time.Sleep(time.Second)
				if _, err := fmt.Fprint(c, "1\r\nx\r\n"); err != nil {
					return
				}
			}
		}, "the response did not complete within 1m0s of its status line"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := talk(t, Config{Silence: minute}, test.serve)
				method := http.MethodPut
				if name == "an answer that stops" {
					method = http.MethodGet
				}
				req, err := http.NewRequestWithContext(t.Context(), method, "http://h/x",
					strings.NewReader(strings.Repeat("x", 10_000)))
				if err != nil {
					t.Fatal(err)
				}
				begun := time.Now()
				resp, err := client.Do(req)
				if err == nil {
					_, err = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
				}
				took := time.Since(begun)
				switch {
				case test.want == "" && err == nil:
				case test.want == "" || err == nil || !strings.Contains(err.Error(), test.want):
					t.Errorf("%v, want %q", err, test.want)
				case CauseOf(err) != Timeout || LimitHint(err) != "raise --max-silence":
					t.Errorf("%s, hint %q", CauseOf(err), LimitHint(err))
				case took < minute || took > minute*12/10:
					t.Errorf("given up after %v", took)
				}
			})
		})
	}
}

// A reader that pauses, and a body that is still being made, are no silence of the server's.
func TestPausesOfThisSideAreNoSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := talk(t, Config{Silence: minute}, func(c net.Conn, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		})
		var turns Turns
		body, making := io.Pipe()
		go func() { // goroutine: ends with the body
			turns.Ours()
			time.Sleep(time.Hour)
			turns.Theirs()
			_ = making.Close()
		}()
		req, err := http.NewRequestWithContext(WithTurns(t.Context(), &turns), http.MethodPut, "http://h/x", body)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		time.Sleep(50 * time.Second)
		if b, err := io.ReadAll(resp.Body); string(b) != "ok" || err != nil {
			t.Errorf("%q, %v", b, err)
		}
	})
}

func TestSilenceIsOfOneConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		counter := &flow.Counter{}
		here, there := net.Pipe()
		other, far := net.Pipe()
		defer func() { _ = errors.Join(here.Close(), there.Close(), other.Close(), far.Close()) }()
		busy, still := counter.Watch(other), counter.Watch(here)
		go func() { _, _ = io.Copy(io.Discard, far) }() // goroutine: ends with the pipe
		late := make(chan time.Duration, 1)
		begun := time.Now()
		s := NewSilence(minute, func() { late <- time.Since(begun) })
		defer s.Stop()
		s.Connected(still)
		for range 20 {
			time.Sleep(5 * time.Second)
			_, _ = busy.Write([]byte{1})
		}
		if got := <-late; got < minute || got > minute*11/10 {
			t.Errorf("silent for %v", got)
		}
	})
}
