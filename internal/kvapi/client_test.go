package kvapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/peertest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// serving returns a client of a server that responds with handle.
func serving(t *testing.T, handle http.HandlerFunc) *Client {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	c, err := NewClient(s.URL+"/", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestRequests(t *testing.T) {
	var asked []string
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = append(asked, fmt.Sprint(r.Method, " ", r.URL.RequestURI(), " ", string(body)))
		if r.Method == http.MethodPut {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		fmt.Fprint(w,
			`{"instance":"i","id":"18446744073709551615","monotonic_ns":-5,"publishers":[{"publisher":1,"next":2}]}`)
	})
	info, err := c.Info(t.Context())
	if err != nil || info.Instance != "i" {
		t.Errorf("%+v, %v", info, err)
	}
	clock, err := c.Clock(t.Context())
	if err != nil || clock != (Clock{ID: 1<<64 - 1, MonotonicNS: -5}) {
		t.Errorf("%+v, %v", clock, err)
	}
	run, err := c.Run(t.Context(), 1<<64-1, RunOptions{State: true, Times: true})
	if err != nil || run.Publishers[0].Next != 2 {
		t.Errorf("%+v, %v", run, err)
	}
	for _, o := range []RunOptions{{}, {State: true}, {Times: true}} {
		if _, err := c.Run(t.Context(), 0, o); err != nil {
			t.Error(err)
		}
	}
	if err := c.Register(t.Context(), 7, Registration{OffsetNS: -3, BoundNS: 4}); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{
		"GET /v1/info ", "GET /v1/clock ", "GET /v1/runs/18446744073709551615?state=1&times=1 ", "GET /v1/runs/0 ",
		"GET /v1/runs/0?state=1 ", "GET /v1/runs/0?times=1 ",
		`PUT /v1/runs/7 {"offset_ns":-3,"bound_ns":4}`,
	}, asked); diff != "" {
		t.Error(diff)
	}
}

func TestErrorsNameTheRequest(t *testing.T) {
	var status int
	var text string
	c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	})
	for _, test := range []struct {
		status int
		text   string
		want   string
	}{
		{500, `{"error":"the memory is full"}`, "500 Internal Server Error: the memory is full"},
		{404, "<html>\n<h1>nothing here</h1>", "404 Not Found: <html> <h1>nothing here</h1>"},
		{502, strings.Repeat("x", 10_000), "xxx…"},
		{200, "hello", `"hello" is not from a Plimsoll key/value server`},
		{200, `{"instance":7}`, "is not from a Plimsoll key/value server"},
		{200, "", "is not from a Plimsoll key/value server"},
	} {
		status, text = test.status, test.text
		_, err := c.Info(t.Context())
		if err == nil || !strings.Contains(err.Error(), test.want) ||
			!strings.Contains(err.Error(), "GET http://127.0.0.1") || len(err.Error()) > 500 {
			t.Errorf("%d %.40q: %v, want %q", test.status, test.text, err, test.want)
		}
		var refused *StatusError
		if errors.As(err, &refused) != (test.status != 200) || refused != nil && refused.Status != test.status {
			t.Errorf("%v is %+v", err, refused)
		}
	}
}

func TestRefusedConnectionNamesTheURLOnce(t *testing.T) {
	unused := "http://" + peertest.Addresses(t, 1)[0]
	c, err := NewClient(unused, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Info(t.Context()); err == nil || strings.Count(err.Error(), unused) != 1 ||
		!strings.Contains(err.Error(), "refused") {
		t.Errorf("%v", err)
	}
	hanging := serving(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := hanging.Info(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestNewClientRejectsBadURLs(t *testing.T) {
	for _, base := range []string{"", "host:80", "ftp://host", "http://", "http://u:geheim@host",
		"http://host?x=geheim", "http://u:geheim@host:x%/", "ftp://u:geheim@host"} {
		if _, err := NewClient(base, time.Second); err == nil || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%q: %v", base, err)
		}
	}
}

// TestOffset asks a server whose clock is ahead. Requests and responses take different times; the true offset must lie
// within the bound.
func TestOffset(t *testing.T) {
	var clock atomic.Int64 // of the publisher; only the test advances it
	now := clock.Load
	const ahead = 123_456_789_000
	var n int
	there := []int64{0, 5000, 900, 100, 7000}
	back := []int64{0, 100, 50, 800, 20}
	c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		i := n % len(there)
		clock.Add(there[i])
		answer, _ := json.Marshal(Clock{ID: 2, MonotonicNS: clock.Load() + ahead})
		clock.Add(back[i])
		n++
		_, _ = w.Write(answer)
	})
	// The first exchange makes the connection, and does not count.
	got, err := c.Offset(t.Context(), 4, now, 1)
	if err != nil {
		t.Fatal(err)
	}
	// Of the four the third takes least: 100 there and 800 back.
	want := Offset{OffsetNS: ahead - 350, BoundNS: 450, RoundTripNS: 900, Exchanges: 4}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if off := got.OffsetNS - ahead; off < -got.BoundNS || off > got.BoundNS || off == 0 {
		t.Errorf("off by %d, and the bound is %d", off, got.BoundNS)
	}
}

func TestSharedClock(t *testing.T) {
	start := time.Now()
	now := func() int64 { return int64(time.Since(start)) }
	var skew int64
	c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		answer, _ := json.Marshal(Clock{ID: 7, MonotonicNS: now() + skew})
		_, _ = w.Write(answer)
	})
	for _, test := range []struct {
		name   string
		id     uint64
		skew   int64
		shared bool
	}{
		{"the same", 7, 0, true},
		{"another", 8, 0, false},
		{"not known", 0, 0, false},
		{"a copy of the machine, with a clock of its own", 7, int64(time.Hour), false},
	} {
		skew = test.skew
		got, err := c.Offset(t.Context(), 5, now, test.id)
		if err != nil {
			t.Fatal(err)
		}
		if got.Shared != test.shared || got.Shared && (got.OffsetNS != 0 || got.BoundNS != 0) {
			t.Errorf("%s: %+v", test.name, got)
		}
		if off := got.OffsetNS - test.skew; !test.shared && (off < -got.BoundNS || off > got.BoundNS) {
			t.Errorf("%s: off by %d: %+v", test.name, off, got)
		}
	}
	if _, err := c.Offset(t.Context(), 0, now, 7); err == nil {
		t.Error("no exchange gives an offset")
	}
}

// TestOffsetFromClockReadings computes the offset and its bound from given readings of both clocks.
func TestOffsetFromClockReadings(t *testing.T) {
	for _, c := range []struct {
		name  string
		n     int
		id    uint64
		now   []int64 // of the caller, before and behind each exchange
		clock []Clock // of the server, the first of the exchange that makes the connection
		want  Offset
		fails string
	}{
		{"the exchange with the shortest round trip counts", 2, 9, []int64{0, 4, 10, 13}, []Clock{{}, {1, 50}, {1, 70}},
			Offset{OffsetNS: 59, BoundNS: 2, RoundTripNS: 3, Exchanges: 2}, ""},
		{"shared clock, at both bounds", 2, 1, []int64{0, 4, 10, 14}, []Clock{{}, {1, 0}, {1, 14}},
			Offset{Shared: true, RoundTripNS: 4, Exchanges: 2}, ""},
		{"clock read before the request", 2, 1, []int64{1, 5, 10, 14}, []Clock{{}, {1, 0}, {1, 12}},
			Offset{OffsetNS: -3, BoundNS: 2, RoundTripNS: 4, Exchanges: 2}, ""},
		{"another clock ID", 2, 1, []int64{0, 4, 10, 14}, []Clock{{}, {2, 2}, {1, 12}},
			Offset{BoundNS: 2, RoundTripNS: 4, Exchanges: 2}, ""},
		{"a clock that goes back", 2, 1, []int64{0, 4, 10, 9}, []Clock{{}, {1, 2}, {1, 10}}, Offset{}, "went back by 1 ns"},
		{"no exchange", 0, 1, nil, nil, Offset{}, "at least once"},
		{"no first response", 1, 1, nil, nil, Offset{}, "503"},
		{"no second response", 2, 1, []int64{0, 4, 10, 14}, []Clock{{}, {1, 2}}, Offset{}, "503"},
	} {
		client := serving(t, func(w http.ResponseWriter, _ *http.Request) {
			if len(c.clock) == 0 {
				w.WriteHeader(503)
				return
			}
			answer, _ := json.Marshal(c.clock[0])
			c.clock = c.clock[1:]
			_, _ = w.Write(answer)
		})
		now := func() int64 { n := c.now[0]; c.now = c.now[1:]; return n }
		got, err := client.Offset(t.Context(), c.n, now, c.id)
		if diff := cmp.Diff(c.want, got); diff != "" || (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: %v %s", c.name, err, diff)
		}
	}
}

// TestCanceledAndUnsendableRequestsFail checks that a canceled context is reported as such, and not as a timeout, and that an
// invalid URL is reported.
func TestCanceledAndUnsendableRequestsFail(t *testing.T) {
	c := serving(t, func(http.ResponseWriter, *http.Request) {})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := NewReader(c.base, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ask := func() (all [3]error) {
		_, all[0] = c.Info(ctx)
		_, all[1] = c.Moments(ctx, 1, 1, func(Moment) bool { return true })
		_, all[2] = r.Values(ctx, nil, nil)
		return all
	}
	for _, err := range ask() {
		if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "it did not answer") {
			t.Errorf("%v", err)
		}
	}
	ctx, c.base, r.base = t.Context(), "http://[", "http://["
	for _, err := range ask() {
		if err == nil || !strings.Contains(err.Error(), "missing ']'") {
			t.Errorf("%v", err)
		}
	}
}

// TestTruncatedResponsesAreErrors checks that a response shorter than its Content-Length is an error.
func TestTruncatedResponsesAreErrors(t *testing.T) {
	c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		w.Header().Set(LeftOut, "0")
		_, _ = io.WriteString(w, `{"keys":{}}`)
	})
	if _, err := c.Info(t.Context()); err == nil || !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "ended early") {
		t.Errorf("%v", err)
	}
	if n, err := c.Moments(t.Context(), 1, 100, func(Moment) bool { return true }); err == nil || n != 0 {
		t.Errorf("%d, %v", n, err)
	}
	r, err := NewReader(c.base, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n, err := r.Values(t.Context(), nil, map[string]Value{}); n != 11 || err == nil {
		t.Errorf("%d, %v", n, err)
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, err := range []error{
		func() error {
			c, _ := NewClient(gone.URL, time.Minute)
			_, err := c.Moments(t.Context(), 1, 1, func(Moment) bool { return true })
			return err
		}(),
		func() error {
			r, _ := NewReader(gone.URL, 1)
			_, err := r.Values(t.Context(), nil, nil)
			return err
		}(),
	} {
		if err == nil || strings.Count(err.Error(), gone.URL) != 1 {
			t.Errorf("of a server that is gone: %v", err)
		}
	}
}
