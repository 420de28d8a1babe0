package store

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/throughput"
)

// What moved a body is counted by how well its rate is known: of a body that was sent that of sending, and else that of
// the answer. What moved none is not.
func TestQualitiesOfAttempts(t *testing.T) {
	for _, c := range []struct {
		line throughput.Timeline
		want map[throughput.Quality]int64
	}{
		{throughput.Timeline{ResponseEnded: true}, nil},
		{throughput.Timeline{ResponseEnded: true, ResponseBytes: 1},
			map[throughput.Quality]int64{throughput.BelowResolution: 1}},
		{throughput.Timeline{ResponseEnded: true, HasBody: true}, map[throughput.Quality]int64{throughput.NoBody: 1}},
		{throughput.Timeline{ResponseEnded: true, HasBody: true, RequestBytes: 1},
			map[throughput.Quality]int64{throughput.Aborted: 1}},
		{throughput.Timeline{ResponseEnded: true, HasBody: true, ResponseBytes: 4, ContentLength: 3},
			map[throughput.Quality]int64{throughput.BelowResolution: 1}},
	} {
		var r Requests
		r.observe(t.Context(), "x", &c.line)
		if got := r.Figures()[0]; !cmp.Equal(c.want, got.Qualities) || got.Limits != nil {
			t.Errorf("%+v: %v, %v", c.line, got.Qualities, got.Limits)
		}
	}
	read := throughput.Timeline{ResponseEnded: true, ResponseBytes: 4000, ResponseReads: 4,
		FirstResponseByte: stamp(time.Second), LastResponseByte: stamp(2 * time.Second),
		Ended: stamp(2 * time.Second), Status: 200}
	var r Requests
	for range 2 {
		r.observe(t.Context(), "x", &read)
	}
	got := r.Figures()[0]
	want := map[throughput.Limit]int64{throughput.LimitNetwork: 2}
	if !cmp.Equal(want, got.Limits) || got.Read.Attempts != 2 || got.Opened != 0 {
		t.Errorf("%v, %+v, %d opened", got.Limits, got.Read, got.Opened)
	}
}

// atOnce is a file whose connection brings bytes and its end, or loss, in one read.
type atOnce struct {
	brings []string
	ends   []error
	opened []int64
	closed error
}

func (a *atOnce) from(_ context.Context, at int64) (io.ReadCloser, error) {
	n := len(a.opened)
	a.opened = append(a.opened, at)
	if n >= len(a.brings) {
		return nil, errors.New("once too often")
	}
	return &burst{a, []byte(a.brings[n]), a.ends[n]}, nil
}

type burst struct {
	of   *atOnce
	rest []byte
	end  error
}

func (b *burst) Read(p []byte) (int, error) {
	n := copy(p, b.rest)
	if b.rest = b.rest[n:]; len(b.rest) == 0 {
		return n, b.end
	}
	return n, nil
}

func (b *burst) Close() error { return b.of.closed }

// stuck is a transport that waits for the end of its request.
type stuck struct{}

func (stuck) RoundTrip(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, req.Context().Err()
}

// Who asks for credentials speaks HTTP/2 where the server does, and leaves no connection behind.
func TestConnectionsForCredentials(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	var opened atomic.Int64
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	client := CredentialsClient(&Config{Authorities: text})
	for range 2 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.ProtoMajor != 2 {
			t.Errorf("%s, %v", resp.Proto, err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
	}
	if n := opened.Load(); n != 2 {
		t.Errorf("%d connections for two requests", n)
	}
}

// Drivers are found by each of their schemes, and people are told of those that have no better name.
func TestDriversAreFound(t *testing.T) {
	all := Drivers{
		{Name: "one", Schemes: []string{"a", "b"}, Aliases: []string{"c"}, Forms: "a://x", About: "the first",
			Knows: []Setting{"region"}},
		{Name: "two", Schemes: []string{"d"}, Forms: "d://x", About: "the second", Knows: []Setting{"region", "ca"}},
	}
	for scheme, want := range map[string]string{"a": "one", "b": "one", "c": "one", "d": "two", "e": "", "": ""} {
		if d, ok := all.Find(scheme); d.Name != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", scheme, d.Name, ok)
		}
	}
	if got := strings.Join(all.Schemes(), " "); got != "a b d" {
		t.Errorf("schemes %s", got)
	}
	for setting, want := range map[Setting]string{"region": "two one", "ca": "two", "timeout": ""} {
		if got := strings.Join(all.Knowing(setting), " "); got != want {
			t.Errorf("%s is known to %q, want %q", setting, got, want)
		}
	}
	want := fmt.Sprintf("  %-26s  the first\n  %-26s  the second\n", "a://x", "d://x")
	if got := all.Help(); got != want {
		t.Errorf("%q", got)
	}
	var names []string
	for _, s := range Settings() {
		names = append(names, string(s))
	}
	flags := "endpoint region path-style payload-signing part-size max-retries timeout ca insecure"
	if got := strings.Join(names, " "); got != flags {
		t.Errorf("settings %s", got)
	}
}
