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

	"github.com/plimsoll/plimsoll/internal/workload/overhead/services"
)

// slow is a connection whose writes take a time of their own.
type slow struct {
	net.Conn
	write time.Duration
}

func (s slow) Write(p []byte) (int, error) {
	n, err := s.Conn.Write(p)
	time.Sleep(s.write)
	return n, err
}

// TestAWireStampsTheWritesAndTheFirstByte has a server and a network whose times are known. The
// request without a body is the one of which net/http calls the hook too early.
func TestAWireStampsTheWritesAndTheFirstByte(t *testing.T) {
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

// TestAWireOverTLS sees that the moments come in their order in each protocol, and from within the
// server: the request was written before the server had it all, or hardly after.
func TestAWireOverTLS(t *testing.T) {
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

// TestASettledRequestIsWaitedFor has an answer come before the write has returned.
func TestASettledRequestIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stamps{epoch: time.Now()}
		go func() {
			time.Sleep(20 * time.Millisecond)
			s.written.Store(1)
		}()
		if !s.settled() {
			t.Error("given up")
		}
		began := time.Now()
		if (&stamps{epoch: began}).settled() {
			t.Error("settled without a write")
		}
		if took := time.Since(began); took < patience || took > 3*patience {
			t.Errorf("waited for %v", took)
		}
	})
}

// TestAProcessThatStandsStillWaitsAllTheSame stops for an hour while it waits, and has the write end soon after that.
func TestAProcessThatStandsStillWaitsAllTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, sleeps := &stamps{epoch: time.Now()}, 0
		if !s.settledBy(func(d time.Duration) {
			switch sleeps++; sleeps {
			case 2:
				time.Sleep(time.Hour)
			case 4:
				s.written.Store(1)
			}
		}) {
			t.Errorf("given up after %d sleeps", sleeps)
		}
	})
}

// TestASessionEndsTheCallThatTakesTooLong has calls that end in time, one just so, and one that does not.
func TestASessionEndsTheCallThatTakesTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		epoch := time.Now()
		s := newCallContext(t.Context(), time.Second, epoch, nil)
		defer s.close()
		for range 50 {
			time.Sleep(300 * time.Millisecond)
			s.beginCall(time.Since(epoch))
			time.Sleep(999 * time.Millisecond)
			if !s.endCall() || s.ctx.Err() != nil {
				t.Fatal("a call was ended that was in time")
			}
		}
		s.beginCall(time.Since(epoch))
		began := time.Now()
		<-s.ctx.Done()
		if took := time.Since(began); took != time.Second || context.Cause(s.ctx) != services.ErrTimeout {
			t.Errorf("ended after %v: %v", took, context.Cause(s.ctx))
		}
		if s.endCall() {
			t.Error("the call that took too long ended well")
		}
	})
}

// TestOnlyTheMeasuredCallIsStamped has the SDK make another call within, and one beside, the measured one.
func TestOnlyTheMeasuredCallIsStamped(t *testing.T) {
	p := newProbe()
	p.operation = "PutObject"
	p.beginCall()
	ctx := t.Context()
	own, other := p.Tracer(""), p.Tracer("")
	own.StartSpan(ctx, "S3.PutObject")
	other.StartSpan(ctx, "S3.CreateSession")
	for _, name := range []string{"OperationSerializer", "Attempt", "GetIdentity", "ResolveEndpoint", "SignRequest",
		"OperationDeserializer"} {
		_, span := other.StartSpan(ctx, name)
		span.End()
	}
	for at, stamp := range p.stamps {
		if stamp != 0 && checkpoint(at) != callStart {
			t.Errorf("checkpoint %d is stamped by another call", at)
		}
	}
	_, span := own.StartSpan(ctx, "GetIdentity")
	span.End()
	ended := p.stamps[identityEnd]
	span.End()
	if p.stamps[identityStart] == 0 || ended == 0 || p.stamps[identityEnd] != ended {
		t.Errorf("stamps %v", p.stamps)
	}
	p.beginCall() // the second call's stages are not stamped
	_, span = own.StartSpan(ctx, "GetIdentity")
	span.End()
	_, attempt := own.StartSpan(ctx, "Attempt")
	attempt.End()
	if p.stamps[identityEnd] != 0 || !p.passed() {
		t.Errorf("stamps %v", p.stamps)
	}
}
