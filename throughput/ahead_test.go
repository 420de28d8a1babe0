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

// synctest: used only inside a bubble.
func (p pourPeeker) waiting() (int64, error) {
	p.fill()
	defer func() { p.delays = 0 }()
	time.Sleep(p.delays)
	return p.come, nil
}

func (p pourPeeker) received() (int64, bool) { return 0, false }

func (p pourPeeker) silent() (least, most time.Duration, err error) {
	return time.Since(p.last), time.Since(p.last), nil
}

// poured gives a pour to a caller who gets the response so much after its first byte came, and who reads it in pieces
// that take a time inside a Read and another one outside.
func poured(t *testing.T, body *pour, scheme string, late time.Duration, piece int, inside, outside time.Duration) *Timeline {
	t.Helper()
	return pouredTo(t, body, scheme, false, late, piece, inside, outside)
}

// synctest: it sleeps only inside a bubble.
func pouredTo(t *testing.T, body *pour, scheme string, blind bool, late time.Duration, piece int,
	inside, outside time.Duration) *Timeline {
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
	rt.system.peeker = func(net.Conn) peeker {
		if blind {
			return nil
		}
		return pourPeeker{body}
	}
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
		{256 << 10, 2 * time.Millisecond, "https", BelowResolution}, // a record is more than 5% of it
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

// Who waits for a processor sees the last byte late, and that is in the error. A peer that stopped just before it is none
// of that, where the socket can tell.
func TestLastByteIsSeenLate(t *testing.T) {
	const rate, us = 12.5e6, time.Microsecond
	for _, c := range []struct {
		size          int64
		stops, drowsy time.Duration
		left          int64 // when it gets drowsy
		blind         bool  // the connection cannot be asked
		want          Quality
		late          time.Duration
	}{
		{256 << 10, 0, 0, 0, false, OK, 0},
		{256 << 10, 0, 40 * us, 0, false, OK, 0}, // a stamp may be as late
		{256 << 10, 0, 500 * us, 0, false, OK, 500 * us},
		{256 << 10, 0, 2000 * us, 0, false, BelowResolution, 2000 * us},
		{256 << 10, 0, 2000 * us, 0, true, BelowResolution, 2000 * us},
		{1 << 20, 0, 2000 * us, 0, true, OK, 2000 * us},
		{256 << 10, 0, 3000 * us, 12500, false, BelowResolution, 2000 * us}, // the rest needs one millisecond
		{256 << 10, 0, 3000 * us, 12500, true, BelowResolution, 2000 * us},
		{1 << 20, 0, 3000 * us, 12500, true, OK, 2000 * us},
		{256 << 10, 2000 * us, 0, 0, false, OK, 0},
		{256 << 10, 2000 * us, 500 * us, 0, false, OK, 500 * us},
		{256 << 10, 2000 * us, 0, 0, true, BelowResolution, 2000 * us},
		{32 << 10, 0, 1000 * us, 0, false, BelowResolution, 1000 * us}, // which is not asked
	} {
		synctest.Test(t, func(t *testing.T) {
			body := &pour{size: c.size, room: 1 << 20, rate: rate, stops: c.stops, drowsy: c.drowsy, left: c.left}
			got := pouredTo(t, body, "http", c.blind, 0, 4<<10, 0, 0)
			v, ok := got.ReadThroughput()
			if got.ReadQuality() != c.want || ok != (c.want == OK) || (got.LastResponseError-c.late).Abs() > 120*us {
				t.Errorf("%d bytes, %v late after %v, %d left, blind %t: %s, %v", c.size, c.drowsy, c.stops, c.left, c.blind,
					got.ReadQuality(), got.LastResponseError)
			}
			truth := float64(c.size) / (time.Duration(float64(c.size)/rate*1e9) + c.stops).Seconds()
			if ok && math.Abs(v/truth-1) > Tolerance {
				t.Errorf("%d bytes, %v late: ok at %.3f of the rate", c.size, c.drowsy, v/truth)
			}
		})
	}
}

// A pour is the body of a response that comes at a rate, in virtual time, as far as its receiver has room
// for it: when that is full, the network stands still.
type pour struct {
	size, room int64
	rate       float64       // bytes per second
	copying    time.Duration // that a Read takes
	stops      time.Duration // how long the last segment is held back
	drowsy     time.Duration // how late what comes next is seen, from when so much is left on
	left       int64
	delays     time.Duration // between what the socket has and the answer, the first time

	start time.Time
	taken int64
	come  int64     // and not yet taken
	at    time.Time // then
	last  time.Time // when the last of it had come
}

func (p *pour) fill() {
	now := time.Now()
	more := int64(now.Sub(p.at).Seconds() * p.rate)
	was := p.come
	if p.come = min(p.come+more, p.room, p.size-p.taken); p.come > was {
		p.last = p.at.Add(time.Duration(float64(p.come-was) / p.rate * 1e9))
	}
	p.at = now
}

// synctest: used only inside a bubble.
func (p *pour) Read(b []byte) (int, error) {
	time.Sleep(p.copying)
	p.fill()
	if p.taken == p.size {
		return 0, io.EOF
	}
	if p.come == 0 { // a segment or the rest of it
		p.come = min(segment, p.size-p.taken)
		time.Sleep(time.Duration(float64(p.come) / p.rate * float64(time.Second)))
		if p.taken+p.come == p.size {
			time.Sleep(p.stops)
		}
		p.at = time.Now()
		p.last = p.at
		if p.size-p.taken-p.come <= p.left {
			time.Sleep(p.drowsy)
			p.drowsy = 0
		}
	}
	n := min(int64(len(b)), p.come)
	p.taken, p.come = p.taken+n, p.come-n
	return int(n), nil
}

func (p *pour) Close() error { return nil }
