package overhead

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// slow is a connection whose writes take a time of their own.
type slow struct {
	net.Conn
	write time.Duration
}

// Write returns late.
//
// synctest: called only inside a bubble.
func (s slow) Write(p []byte) (int, error) {
	n, err := s.Conn.Write(p)
	time.Sleep(s.write)
	return n, err
}

// TestWireStampsWritesAndFirstByte has a server and a network whose times are known. The
// request without a body is the one of which net/http calls the hook too early.
func TestWireStampsWritesAndFirstByte(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		name, body, answer string
		wait, round        time.Duration
	}{
		// A write takes 3 ms; headers and body are one each. The server thinks for 10 ms.
		{"no body", "", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 7 * ms, 10 * ms},
		{"a body", "body", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 10 * ms, 16 * ms},
		{"an answer with a body", "", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n|bo|dy", 7 * ms, 20 * ms},
		{"an informational response", "",
			"HTTP/1.1 103 Early Hints\r\n\r\n|HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 12 * ms, 15 * ms},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, server := net.Pipe()
				defer server.Close()
				go func() {
					defer client.Close()
					req, err := http.ReadRequest(bufio.NewReader(server))
					if err != nil {
						t.Error(err)
						return
					}
					if test.body != "" {
						if _, err := io.ReadFull(req.Body, make([]byte, len(test.body))); err != nil {
							t.Error(err)
						}
						time.Sleep(3 * ms) // the write of the body is over
					}
					time.Sleep(10 * ms)
					for i, piece := range strings.Split(test.answer, "|") {
						if i > 0 {
							time.Sleep(5 * ms)
						}
						_, _ = io.WriteString(server, piece)
					}
					_, _ = io.Copy(io.Discard, server)
				}()
				base := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn,
					error) {
					return slow{client, 3 * ms}, nil
				}}
				defer base.CloseIdleConnections()
				w := newWire(base, false, time.Now().Add(-time.Hour))
				seen := request(t, w, "http://server/", test.body)
				wait, round := seen.times()
				if diff := cmp.Diff([]time.Duration{test.wait, test.round}, []time.Duration{wait, round}); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// request sends a request by a wire, as the SDK does: with a body of a type that net/http does not know.
func request(t *testing.T, w *wire, url, body string) *stamps {
	t.Helper()
	s := w.renew()
	req, err := http.NewRequestWithContext(w.observe(t.Context(), s), http.MethodPost, url, nil)
	if body != "" {
		req.Body, req.ContentLength = struct{ io.ReadCloser }{io.NopCloser(strings.NewReader(body))}, int64(len(body))
	}
	if err != nil {
		t.Fatal(err)
	}
	resp, err := w.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Error(err)
	}
	_ = resp.Body.Close()
	if !s.settled() {
		t.Fatal("not settled")
	}
	return s
}

// TestWireStampsOverTLS sees that the moments come in their order in each protocol, and from within the
// server: the request was written before the server had it all, or hardly after.
func TestWireStampsOverTLS(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprint("HTTP/2 ", http2), func(t *testing.T) {
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = io.WriteString(w, r.Proto)
			}))
			server.EnableHTTP2 = http2
			server.StartTLS()
			defer server.Close()
			base := server.Client().Transport.(*http.Transport)
			dialer := &net.Dialer{}
			base.DialContext = dialer.DialContext
			w := newWire(base, http2, time.Now().Add(-time.Hour))
			var before *stamps
			for range 5 {
				s := request(t, w, server.URL, "body")
				first, written := time.Duration(s.first.Load()), time.Duration(s.written.Load())
				if s.asked <= 0 || written <= s.asked || first <= s.asked || s.last < first {
					t.Errorf("asked %v, written %v, first %v, last %v", s.asked, written, first, s.last)
				}
				if before != nil && s.asked < before.last {
					t.Error("the stamps of an earlier request")
				}
				if want := map[bool]string{false: "HTTP/1.1", true: "HTTP/2.0"}[http2]; s.proto != want {
					t.Errorf("the protocol is %s, want %s", s.proto, want)
				}
				before = s
			}
		})
	}
}
