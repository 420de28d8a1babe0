package store

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/store/flow"
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

// An attempt has opened a connection if it got one that was new. What ends at the last moment that it came to has
// nothing left for the stage behind it.
func TestWhatAttemptsOpened(t *testing.T) {
	var r Requests
	for _, line := range []throughput.Timeline{
		{ConnectionGot: stamp(time.Second)}, {ConnectionGot: stamp(time.Second), Reused: true}, {}, {Reused: true},
	} {
		r.observe(t.Context(), "x", &line)
	}
	if got := r.Figures()[0].Opened; got != 1 {
		t.Errorf("%d connections were opened", got)
	}
	for want, line := range map[stages]throughput.Timeline{
		{setup: time.Second, total: time.Second}: {ConnectionGot: stamp(time.Second), Ended: stamp(time.Second)},
		{setup: 1, total: 1}:                     {Ended: stamp(1)}, {}: {Ended: stamp(0)},
	} {
		if got := stagesOf(&line); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	for want, rate := range map[float64]Rate{
		1e9: {Attempts: 1, Bytes: 1, Time: 1}, 0: {Bytes: 1, Time: 1}, 2: {Attempts: 2, Bytes: 2, Time: time.Second},
	} {
		if got, ok := rate.PerSecond(); math.Abs(got-want) > 1e-6*want || ok != (want > 0) {
			t.Errorf("%+v: %v, %v", rate, got, ok)
		}
	}
}

// A request is about a part, or a range, by its number; times are kept to three digits.
func TestWhatAttemptsAreAbout(t *testing.T) {
	for want, ctx := range map[string]context.Context{
		"": t.Context(), "part 9876543210": AboutPart(t.Context(), 9876543210),
		"range at 1099511627776": AboutRange(t.Context(), 1<<40),
	} {
		if got := about(ctx); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var times Times
	if times.add(5); times.Histogram.SignificantFigures() != 3 || times.Histogram.LowestTrackableValue() != 1 {
		t.Errorf("%d digits from %d on", times.Histogram.SignificantFigures(), times.Histogram.LowestTrackableValue())
	}
	if copied := times.clone(); copied.Sum != 5 || copied.Histogram == times.Histogram {
		t.Errorf("%+v", copied)
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

// What comes together with the end of a connection is not lost, and no read brings nothing.
func TestResumeOfWhatComesAtOnce(t *testing.T) {
	lost, odd := Fail(Reset, "the line went dead"), Fail(Truncated, "shorter")
	for _, c := range []struct {
		name   string
		file   atOnce
		size   int64
		want   string
		err    error
		opened []int64
	}{
		{"its end", atOnce{brings: []string{"0123"}, ends: []error{io.EOF}}, 4, "0123", nil, []int64{0}},
		{"a loss behind the last byte", atOnce{brings: []string{"0123"}, ends: []error{lost}}, 4, "0123", nil, []int64{0}},
		{"another error behind the last byte", atOnce{brings: []string{"0123"}, ends: []error{odd}}, 4, "0123", odd,
			[]int64{0}},
		{"a loss after each byte", atOnce{brings: []string{"0", "1", "2", "3"}, ends: []error{lost, lost, lost, io.EOF}},
			4, "0123", nil, []int64{0, 1, 2, 3}},
		{"a loss after nothing", atOnce{brings: []string{"01", "", "23"}, ends: []error{lost, lost, io.EOF}}, 4, "0123", nil,
			[]int64{0, 2, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Resume{Size: c.size, Tries: 5, Requests: &Requests{}, From: c.file.from,
				Lost: func(err error) bool { return CauseOf(err) == Reset },
				Rest: func(context.Context, int, error) error { return nil }}
			s, err := r.Stream(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var got []byte
			for p := make([]byte, 10); err == nil; {
				var n int
				n, err = s.Read(p)
				if got = append(got, p[:n]...); n == 0 && err == nil {
					t.Error("a read brought nothing")
				}
			}
			if err == io.EOF {
				err = nil
			}
			if string(got) != c.want || err != c.err || !cmp.Equal(c.opened, c.file.opened) {
				t.Errorf("%q, %v, opened at %v", got, err, c.file.opened)
			}
		})
	}
}

// Who gives up while a stream is opened again is told why, and who has left lets nothing be opened.
func TestResumeGivesUp(t *testing.T) {
	lost, odd := Fail(Reset, "the line went dead"), errors.New("odd")
	file := atOnce{brings: []string{"01"}, ends: []error{lost}, closed: odd}
	r := Resume{Size: 4, Tries: 5, Requests: &Requests{}, From: file.from,
		Lost: func(err error) bool { return err == lost },
		Rest: func(context.Context, int, error) error { return odd }}
	s, err := r.Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n, err := s.Read(make([]byte, 9)); n != 2 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := s.Read(make([]byte, 9)); n != 0 || err != odd || len(file.opened) != 1 {
		t.Errorf("%d, %v, opened %d times", n, err, len(file.opened))
	}
	if err := s.Close(); err != nil {
		t.Errorf("no connection is open: %v", err)
	}

	file = atOnce{brings: []string{"", "01"}, ends: []error{lost, io.EOF}, closed: odd}
	r.Rest = func(context.Context, int, error) error { return nil }
	if s, err = r.Stream(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Read(nil); n != 0 || err != nil || len(file.opened) != 1 {
		t.Errorf("who wants nothing: %d, %v, opened %d times", n, err, len(file.opened))
	}
	if n, err := s.Read(make([]byte, 1)); n != 1 || err != nil || len(file.opened) != 2 {
		t.Errorf("%d, %v, opened %d times", n, err, len(file.opened))
	}
	if err := s.Close(); err != odd {
		t.Errorf("closed: %v", err)
	}
	if _, err := s.Read(make([]byte, 1)); err == nil || err.Error() != "the stream was closed" {
		t.Errorf("after its end: %v", err)
	}

	gone, cancel := context.WithCancel(t.Context())
	file = atOnce{brings: []string{"01"}, ends: []error{lost}}
	if s, err = r.Stream(gone); err != nil {
		t.Fatal(err)
	}
	cancel()
	if n, err := s.Read(make([]byte, 9)); n != 2 || err != lost || len(file.opened) != 1 {
		t.Errorf("who has left: %d, %v, opened %d times", n, err, len(file.opened))
	}
	r.From = func(context.Context, int64) (io.ReadCloser, error) { return nil, odd }
	if s, err := r.Stream(t.Context()); s != nil || err != odd {
		t.Errorf("a file that cannot be opened: %v", err)
	}
}

// What is counted of connections is ciphertext where a request is for https.
func TestWhatIsEncrypted(t *testing.T) {
	for scheme, want := range map[string]bool{"http": false, "https": true} {
		conn, _ := tcpPair(t)
		counter := &flow.Counter{}
		counter.Start()
		counter.Open(conn)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, scheme+"://host/", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := limiter{next: &seen{}, flow: counter}.RoundTrip(req)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("%v, %v", resp, err)
		}
		if got := counter.Stop().Encrypted; got != want {
			t.Errorf("%s: encrypted %v", scheme, got)
		}
		_ = conn.Close()
	}
}

// stuck is a transport that waits for the end of its request.
type stuck struct{}

func (stuck) RoundTrip(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, req.Context().Err()
}

// A timeout of any length is one, and what it ends is a timeout to everybody; another error stays what it is.
func TestTimeoutsOfAnyLength(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, timeout := range []time.Duration{1, time.Second} {
			began := time.Now()
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://host/", nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := limiter{next: stuck{}, timeout: timeout}.RoundTrip(req)
			late, ok := err.(net.Error)
			if resp != nil || !ok || !late.Timeout() || time.Since(began) != timeout ||
				err.Error() != fmt.Sprintf("no answer within %v", timeout) {
				t.Errorf("%v: %v after %v", timeout, err, time.Since(began))
			}
			odd := errors.New("odd")
			if resp, err := (limiter{next: &seen{err: odd}, timeout: timeout}).RoundTrip(req); resp != nil || err != odd {
				t.Errorf("%v, %v", resp, err)
			}
			body := &limitedBody{ReadCloser: &burst{of: &atOnce{closed: odd}, end: odd}, ctx: t.Context(),
				cancel: func(error) {}, timer: time.NewTimer(timeout)}
			if n, err := body.Read(make([]byte, 1)); n != 0 || err != odd {
				t.Errorf("%d, %v", n, err)
			}
			if err := body.Close(); err != odd {
				t.Errorf("closed: %v", err)
			}
		}
	})
}

// What asks for credentials keeps no connection, and waits for as long as the other requests may, or as long as it is
// bounded anyway.
func TestWhoAsksForCredentials(t *testing.T) {
	for timeout, want := range map[time.Duration]time.Duration{0: 0, 1: 1, time.Hour: time.Hour} {
		got := CredentialsClient(&Config{Timeout: timeout}).Timeout
		if want > 0 && got != want || got <= 0 || want == 0 && got > 10*time.Minute {
			t.Errorf("%v: %v", timeout, got)
		}
	}
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

// A client keeps a connection for each of as many requests as anybody has in flight.
func TestConnectionsThatAreKept(t *testing.T) {
	var base *http.Transport
	NewClient(&Config{}, func(t *http.Transport) { base = t }).CloseIdleConnections()
	if base.MaxIdleConnsPerHost < 10_000 || base.MaxIdleConns != 0 && base.MaxIdleConns < 10_000 {
		t.Errorf("%d connections are kept of each host, %d of all", base.MaxIdleConnsPerHost, base.MaxIdleConns)
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
