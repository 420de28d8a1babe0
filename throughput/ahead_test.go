package throughput

import (
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"testing"
	"testing/synctest"
	"time"
)

// A pourPeeker tells of a pour as a socket does.
type pourPeeker struct{ *pour }

func (p pourPeeker) waiting() (int64, error) {
	p.fill()
	return p.come, nil
}

// poured gives a pour to a caller who gets the response so much after its first byte came, and who reads it in pieces
// that take a time inside a Read and another one outside.
func poured(t *testing.T, body *pour, scheme string, late time.Duration, piece int, inside, outside time.Duration) *Timeline {
	t.Helper()
	body.copying = inside
	base := roundTrip(func(r *http.Request) (*http.Response, error) {
		here, there := net.Pipe()
		defer func() { _ = here.Close(); _ = there.Close() }()
		trace := httptrace.ContextClientTrace(r.Context())
		trace.GotConn(httptrace.GotConnInfo{Conn: here})
		trace.WroteRequest(httptrace.WroteRequestInfo{})
		body.start, body.at = time.Now(), time.Now()
		time.Sleep(late)
		trace.GotFirstResponseByte()
		return &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, ContentLength: body.size, Body: body,
			Request: r}, nil
	})
	k := newKept()
	rt := Wrap(base, k)
	rt.system.peeker = func(net.Conn) peeker { return pourPeeker{body} }
	resp, err := rt.RoundTrip(request(t, http.MethodGet, scheme+"://model", nil))
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, piece)
	for err == nil {
		if _, err = resp.Body.Read(buf); err == nil {
			time.Sleep(outside)
		}
	}
	if err != io.EOF {
		t.Fatal(err)
	}
	return k.wait(t, 1)[0]
}

// Who sees the first byte late has had some of the rest by then, and the rate is not higher for it.
func TestFirstByteIsSeenLate(t *testing.T) {
	const rate = 12.5e6
	for _, c := range []struct {
		size   int64
		late   time.Duration
		scheme string
		want   Quality
	}{
		{256 << 10, 0, "http", OK},
		{256 << 10, 2 * time.Millisecond, "http", OK},
		{256 << 10, 10 * time.Millisecond, "http", OK},
		{256 << 10, 19900 * time.Microsecond, "http", OK}, // what is left takes a millisecond
		{256 << 10, 20900 * time.Microsecond, "http", BelowResolution},
		{256 << 10, 30 * time.Millisecond, "http", BelowResolution}, // all had come
		{256 << 10, 2 * time.Millisecond, "https", BelowResolution}, // a record is more than 5 % of it
		{1 << 20, 10 * time.Millisecond, "https", OK},
	} {
		synctest.Test(t, func(t *testing.T) {
			got := poured(t, &pour{size: c.size, room: 1 << 20, rate: rate}, c.scheme, c.late, 32<<10, 0, 0)
			v, ok := got.ReadThroughput()
			if got.ReadQuality() != c.want || ok != (c.want == OK) {
				t.Errorf("%d bytes, %v late, %s: %s, %t, %d had come", c.size, c.late, c.scheme, got.ReadQuality(), ok, got.ResponseAhead)
			}
			if ok && math.Abs(v/rate-1) > Tolerance {
				t.Errorf("%d bytes, %v late: ok at %.3f of the rate", c.size, c.late, v/rate)
			}
		})
	}
}

// The time inside a Read may be that of copying, and then a caller who is away for half of the time, however short each
// pause is, keeps the network waiting. One who is away as long and finds nothing when it comes back does not.
func TestReaderIsBusyInSmallPieces(t *testing.T) {
	for _, c := range []struct {
		name            string
		rate            float64
		inside, outside time.Duration // of each 4 KiB
		want            Quality
		limit           Limit
	}{
		{"half of the time", 200e6, 14 * time.Microsecond, 16 * time.Microsecond, Paced, LimitReader},
		{"a fifth of the time", 200e6, 32 * time.Microsecond, 8 * time.Microsecond, Paced, ""},
		{"keeps pace", 50e6, 15 * time.Microsecond, 40 * time.Microsecond, OK, LimitNetwork},
	} {
		synctest.Test(t, func(t *testing.T) {
			got := poured(t, &pour{size: 4 << 20, room: 256 << 10, rate: c.rate}, "http", 0, 4<<10, c.inside, c.outside)
			v, _ := got.ReadThroughput()
			if got.ReadQuality() != c.want || got.ReadLimit() != c.limit {
				t.Errorf("%s: %s, limited by %q, at %.2f of the rate; %v outside, %v of it paused", c.name, got.ReadQuality(),
					got.ReadLimit(), v/c.rate, got.ReaderTime, got.ReaderPaused)
			}
			if got.ReadQuality() == OK && math.Abs(v/c.rate-1) > Tolerance {
				t.Errorf("%s: ok at %.3f of the rate", c.name, v/c.rate)
			}
		})
	}
}
