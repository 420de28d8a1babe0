package throughput

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"testing"
	"testing/synctest"
	"time"
)

// attemptOf is an attempt whose connection's queue is asked of a prober, and which began now.
func attemptOf(p prober) *attempt {
	x := &exchange{transport: &Transport{system: system{prober: func(net.Conn) prober { return p }}}}
	a := &attempt{exchange: x}
	a.timeline.Attempt, a.sent.start = 1, time.Now()
	x.current.Store(a)
	return a
}

// What a connection had sent before is asked if the body has 256 KiB, or if others may be on it.
func TestAttemptAsksWhatWasSentBefore(t *testing.T) {
	for _, c := range []struct {
		name    string
		hasBody bool
		length  int64
		place   *place
		conn    net.Conn
		err     error
		asked   bool
	}{
		{"256 KiB", true, 256 << 10, nil, remote{}, nil, true},
		{"one byte less", true, 256<<10 - 1, nil, remote{}, nil, false},
		{"of no known length", true, -1, nil, remote{}, nil, true},
		{"of no length", true, 0, nil, remote{}, nil, false},
		{"little, over HTTP/2", true, 1, &place{}, remote{}, nil, true},
		{"no body, over HTTP/2", false, 0, &place{}, remote{}, nil, false},
		{"no connection", true, -1, nil, nil, nil, false},
		{"it cannot say", true, -1, nil, remote{}, errBroken, true},
	} {
		asked := 0
		a := attemptOf(probeFunc(func() (look, error) {
			asked++
			return look{acked: 7, counted: true}, c.err
		}))
		a.timeline.HasBody, a.timeline.ContentLength, a.place = c.hasBody, c.length, c.place
		a.uses(c.conn)
		if (asked > 0) != c.asked || a.conn != c.conn {
			t.Errorf("%s: asked %d times", c.name, asked)
		}
		if known := c.asked && c.err == nil; a.watch != nil && (a.watch.base == 7 && a.watch.began.counted) != known ||
			a.watch != nil && !known && a.watch.base != -1 {
			t.Errorf("%s: %d bytes were sent before", c.name, a.watch.base)
		}
	}
}

type probeFunc func() (look, error)

func (f probeFunc) probe() (look, error) { return f() }

// The dials that an attempt saw are none of its own if it got a connection that was there.
func TestAttemptThatGotAConnection(t *testing.T) {
	for _, reused := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			a := attemptOf(nil)
			time.Sleep(milli)
			dials := Timeline{DNSStart: 1, DNSDone: 2, ConnectStart: 3, ConnectDone: 4, TLSStart: 5, TLSDone: 6}
			a.timeline = dials
			a.connected(httptrace.GotConnInfo{Reused: reused, IdleTime: 7, Conn: remote{}})
			want := dials
			if reused {
				want = Timeline{}
			}
			want.Reused, want.IdleFor, want.ConnectionGot = reused, 7, ms(1)
			if a.timeline != want || a.place != nil {
				t.Errorf("reused %t: %+v", reused, a.timeline)
			}
			a.delivered = true
			a.connected(httptrace.GotConnInfo{Reused: !reused, Conn: remote{}})
			if a.timeline != want {
				t.Errorf("reused %t: it was delivered, and is %+v", reused, a.timeline)
			}
		})
	}
}

// Only TLS agrees on HTTP/2 before the response.
func TestAttemptKnowsHTTP2(t *testing.T) {
	for _, c := range []net.Conn{nil, remote{}, (*tls.Conn)(nil), tls.Client(remote{}, &tls.Config{})} {
		if isHTTP2(httptrace.GotConnInfo{Conn: c}) {
			t.Errorf("%T is HTTP/2", c)
		}
	}
}

// A response before the final one breaks no request, whether an attempt gets it or not, and takes its stamp back.
func TestAttemptWithAnInterimAnswer(t *testing.T) {
	a := attemptOf(nil)
	x := a.exchange
	a.timeline.FirstResponseByte = 5
	if err := x.informational(103, nil); err != nil || a.timeline.FirstResponseByte.Happened() {
		t.Errorf("%v: %v", err, a.timeline.FirstResponseByte)
	}
	a.timeline.FirstResponseByte, a.delivered = 5, true
	if err := x.informational(103, nil); err != nil || a.timeline.FirstResponseByte != 5 {
		t.Errorf("delivered: %v, %v", err, a.timeline.FirstResponseByte)
	}
	x.continued()
	if a.timeline.Continued.Happened() {
		t.Error("it was delivered, and continued")
	}
	a.timeline.Attempt, a.delivered = 2, false // and it has sent nothing yet
	if err := x.informational(103, nil); err != nil || a.timeline.FirstResponseByte != 5 {
		t.Errorf("of another attempt: %v, %v", err, a.timeline.FirstResponseByte)
	}
	x.continued()
	if a.timeline.Continued.Happened() {
		t.Error("another attempt was told to continue")
	}
}

// The first moment of each kind counts.
func TestAttemptKeepsItsFirstMoments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := attemptOf(nil)
		for range 2 {
			time.Sleep(milli)
			a.exchange.continued()
			a.exchange.wroteHeaders()
			a.wrote(nil)
			a.answered()
		}
		if got := a.timeline; got.Continued != ms(1) || got.WroteHeaders != ms(1) || got.RequestWritten != ms(1) ||
			got.FirstResponseByte != ms(1) {
			t.Errorf("%+v", got)
		}
	})
}

// An error of writing is kept if it is the first; what RoundTrip returns tells more than that.
func TestAttemptKeepsItsErrors(t *testing.T) {
	other := errors.New("another")
	a := attemptOf(nil)
	a.wrote(errBroken)
	a.wrote(other)
	if a.timeline.Err != errBroken || a.timeline.RequestWritten.Happened() || !a.requestOver {
		t.Errorf("%+v", a.timeline)
	}
	a.owes = true
	a.failed(other)
	if a.timeline.Err != other || !a.gaveUp {
		t.Errorf("%+v", a.timeline)
	}
	b := attemptOf(nil)
	b.owes = true
	b.endResponse(true, nil)
	b.endResponse(false, errBroken)
	if b.timeline.Err != nil || !b.timeline.ResponseEnded {
		t.Errorf("the end of an answer that had ended counts: %+v", b.timeline)
	}
}

// A response without a body has ended when its head was read; that of HTTP/2 may have had company.
func TestAttemptThatIsResponded(t *testing.T) {
	for _, c := range []struct {
		name   string
		resp   http.Response
		first  Stamp
		ended  bool
		shared bool
		want   Stamp // the first byte
	}{
		{"no body", http.Response{ProtoMajor: 1}, 0, true, false, ms(3)},
		{"an empty body", http.Response{ProtoMajor: 1, Body: http.NoBody}, ms(2), true, false, ms(2)},
		{"a body", http.Response{ProtoMajor: 1, Body: &slowly{}}, ms(2), false, false, ms(2)},
		{"HTTP/2", http.Response{ProtoMajor: 2, Body: &slowly{}}, ms(2), false, true, ms(2)},
		{"HTTP/3", http.Response{ProtoMajor: 3, Body: &slowly{}}, ms(2), false, true, ms(2)},
	} {
		synctest.Test(t, func(t *testing.T) {
			a := attemptOf(nil)
			a.owes, a.timeline.FirstResponseByte = true, c.first
			time.Sleep(3 * milli)
			body := c.resp.Body
			a.responded(&c.resp)
			got := a.timeline
			if got.ResponseEnded != c.ended || a.responseOver != c.ended || (a.place != nil) != c.shared ||
				got.FirstResponseByte != c.want || (a.response != nil) == c.ended || (c.resp.Body == body) != c.ended {
				t.Errorf("%s: %+v", c.name, got)
			}
		})
	}
}

// An attempt is over when its answer is, or it was given up, and net/http is done with its request: by its word, or
// where that will not come, by the closing of the body.
func TestAttemptIsOver(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*attempt)
		want bool
	}{
		{"done, with no answer", func(a *attempt) { a.responseOver = false }, false},
		{"done", func(*attempt) {}, true},
		{"given up", func(a *attempt) { a.responseOver, a.gaveUp = false, true }, true},
		{"looks on", func(a *attempt) { a.looking = awaited }, false},
		{"polls on", func(a *attempt) { a.looking = polled }, false},
		{"owes", func(a *attempt) { a.owes = true }, false},
		{"not done", func(a *attempt) { a.requestOver = false }, false},
		{"not done, without hooks", func(a *attempt) { a.requestOver, a.timeline.ConnectionGot = false, 0 }, true},
		{"not done, given up", func(a *attempt) { a.requestOver, a.gaveUp = false, true }, true},
		{"not done, broken", func(a *attempt) { a.requestOver, a.timeline.Err = false, errBroken }, true},
		{"body not closed, given up", func(a *attempt) {
			a.requestOver, a.gaveUp, a.timeline.HasBody = false, true, true
		}, false},
		{"body closed, given up", func(a *attempt) {
			a.requestOver, a.gaveUp, a.timeline.HasBody, a.bodyClosed = false, true, true, true
		}, true},
		{"body copied, given up", func(a *attempt) {
			a.requestOver, a.gaveUp, a.timeline.HasBody, a.timeline.Attempt = false, true, true, 2
			a.exchange.retries.taken.Store(10)
		}, true},
		{"body closed, goes on", func(a *attempt) {
			a.requestOver, a.timeline.HasBody, a.bodyClosed = false, true, true
		}, false},
	} {
		a := attemptOf(nil)
		a.responseOver, a.requestOver, a.timeline.ConnectionGot = true, true, 5
		if c.edit(a); a.over() != c.want {
			t.Errorf("%s: over %t", c.name, !c.want)
		}
	}
}

// What is told of the bodies in the end.
func TestAttemptFinishes(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*attempt)
		want func(*Timeline) // differs from that of ten bytes that were sent whole
	}{
		{"whole", func(*attempt) {}, func(*Timeline) {}},
		{"answered", func(a *attempt) { a.timeline.ResponseEnded, a.responseRead = true, 9 },
			func(t *Timeline) { t.ResponseEnded, t.LastResponseByte = true, 9 }},
		{"not to its end", func(a *attempt) { a.responseRead = 9 }, func(*Timeline) {}},
		{"copied", func(a *attempt) {
			a.exchange.retries.taken.Store(10)
			a.timeline.Attempt, a.timeline.RequestWritten = 2, 8
			a.sent.bytes.Store(0)
		}, func(t *Timeline) { t.Attempt, t.RequestWritten, t.Copied = 2, 8, true }},
		{"copied, not written", func(a *attempt) {
			a.exchange.retries.taken.Store(10)
			a.timeline.Attempt = 2
			a.sent.bytes.Store(0)
		}, func(t *Timeline) { t.Attempt, t.RequestBytes, t.DecodedBytes, t.Copied = 2, 0, 0, true }},
		{"several bodies", func(a *attempt) { a.several.Store(true) }, func(t *Timeline) { t.Copied = true }},
		{"taken before there was a connection", func(a *attempt) { a.timeline.ConnectionGot = 4 },
			func(t *Timeline) { t.ConnectionGot, t.Copied = 4, true }},
		{"taken when there was one", func(a *attempt) { a.timeline.ConnectionGot = 3 },
			func(t *Timeline) { t.ConnectionGot = 3 }},
		{"not taken", func(a *attempt) { a.timeline.ConnectionGot = 4; a.sent.first.set(0) },
			func(t *Timeline) { t.ConnectionGot, t.FirstBodyRead = 4, 0 }},
		{"framing adds nothing", func(a *attempt) { a.timeline.DecodedBytes = SizeOf(10) },
			func(t *Timeline) { t.DecodedBytes = SizeOf(10) }},
		{"framing that takes away", func(a *attempt) { a.timeline.DecodedBytes = SizeOf(11) },
			func(t *Timeline) { t.DecodedBytes = 0 }},
		{"not whole", func(a *attempt) { a.timeline.ContentLength = 11 },
			func(t *Timeline) { t.ContentLength, t.DecodedBytes = 11, 0 }},
		{"repeated", func(a *attempt) { a.timeline.Err, a.timeline.FirstResponseByte = ErrRetried, 6 },
			func(t *Timeline) { t.Err, t.FirstResponseByte, t.Ended = ErrRetried, 6, 6 }},
		{"not repeated", func(a *attempt) { a.timeline.Err, a.timeline.FirstResponseByte = ErrResent, 6 },
			func(t *Timeline) { t.Err, t.FirstResponseByte, t.DecodedBytes = ErrResent, 6, 0 }},
		{"queued", func(a *attempt) { seen(&a.timeline) }, seen},
		{"shared", func(a *attempt) { a.timeline.Shared = true; seen(&a.timeline) },
			func(t *Timeline) { t.Shared = true }},
	} {
		synctest.Test(t, func(t *testing.T) {
			a := attemptOf(nil)
			ten := Timeline{Attempt: 1, Status: 200, HasBody: true, ContentLength: 10, DecodedBytes: SizeOf(8)}
			a.timeline = ten
			a.sent.asked.set(2)
			a.sent.first.set(3)
			a.sent.last.set(5)
			a.sent.bytes.Store(10)
			a.sent.reads.Store(4)
			a.sent.within.Store(20)
			a.sent.beyond.Store(3)
			c.edit(a)
			time.Sleep(milli)
			a.finish()
			want := ten
			want.Ended, want.BodyAsked, want.FirstBodyRead, want.LastBodyRead = ms(1), 2, 3, 5
			want.RequestBytes, want.RequestReads, want.SourceTime = 10, 4, 23
			if c.want(&want); a.timeline != want {
				t.Errorf("%s:\n%+v, want\n%+v", c.name, a.timeline, want)
			}
		})
	}
}

var counted Sending

// seen adds what a connection says of a body.
func seen(t *Timeline) {
	t.Drained, t.DrainedError, t.WireBytes, t.Queued, t.Sending = 7, 1, SizeOf(2), SizeOf(3), &counted
}

// The length without the framing is a number of bytes.
func TestAttemptWithFraming(t *testing.T) {
	for text, want := range map[string]Size{
		"0": SizeOf(0), "70": SizeOf(70), "-1": 0, "x": 0, "": 0,
		fmt.Sprint(uint64(1)<<62 - 1): SizeOf(1<<62 - 1), fmt.Sprint(uint64(1) << 62): 0,
	} {
		if got := decodedLength(http.Header{"X-Amz-Decoded-Content-Length": {text, "5"}}); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	for _, none := range []http.Header{nil, {}, {"X-Amz-Decoded-Content-Length": {}}} {
		if got := decodedLength(none); got != 0 {
			t.Errorf("%v: %v", none, got)
		}
	}
}
