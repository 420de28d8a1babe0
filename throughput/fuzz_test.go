package throughput

import (
	"crypto/tls"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func FuzzDecodedLength(f *testing.F) {
	for _, value := range []string{"", "0", "70", "-1", "+1", "0x10", "1e3", " 5", "5, 6", "9223372036854775807",
		"18446744073709551616"} {
		f.Add(value, int64(100))
	}
	f.Fuzz(func(t *testing.T, value string, sent int64) {
		size := decodedLength(http.Header{"X-Amz-Decoded-Content-Length": {value}})
		n, known := size.Bytes()
		plain := value != "" && strings.Trim(value, "0123456789") == ""
		if known &&
			(!plain || n < 0 || strings.TrimLeft(value, "0") != strings.TrimLeft(strconv.FormatInt(n, 10), "0")) {
			t.Errorf("%q was understood as %d", value, n)
		}
		if !known && plain && len(value) < 18 {
			t.Errorf("%q was not understood", value)
		}
		// The framing only adds: more than was sent is a lie.
		a := &attempt{timeline: Timeline{ContentLength: -1, Status: 200, DecodedBytes: size}}
		a.sent.bytes.Store(max(sent, 0))
		a.finish()
		if n, known := a.timeline.DecodedBytes.Bytes(); known && n > a.timeline.RequestBytes {
			t.Errorf("%d bytes decoded of %d", n, a.timeline.RequestBytes)
		}
	})
}

// hostile plays net/http, a server, a caller and a kernel, all of them mad: what happens, and
// in which order, is in the script, a byte each and more where a number is asked for.
type hostile struct {
	script []byte
	conn   net.Conn
}

func (h *hostile) next() byte {
	if len(h.script) == 0 {
		return 0
	}
	b := h.script[0]
	h.script = h.script[1:]
	return b
}

// number is of any magnitude up to 62 bits.
func (h *hostile) number() int64 {
	magnitude := h.next() % 62
	return int64(h.next())<<magnitude&math.MaxInt64 | int64(h.next())
}

func (h *hostile) probe() (look, error) {
	if h.next()%16 == 15 {
		return look{}, errors.New("gone")
	}
	queue := int64(int32(h.number())) // SIOCOUTQ gives an int
	if h.next()%2 == 0 {
		queue &= 0xffff
	}
	return look{
		queue: queue, acked: h.number() - 1, rate: float64(h.number()),
		minRTT: time.Duration(uint32(h.number())) * time.Microsecond, // TCP_INFO gives 32 bits
	}, nil
}

func (h *hostile) Read(p []byte) (int, error) {
	switch h.next() % 8 {
	case 0:
		return 0, nil
	case 1:
		return 0, errors.New("broken")
	case 2:
		return len(p), io.EOF
	}
	return min(len(p), int(h.next())), nil
}

func (h *hostile) Close() error { return nil }

// event lets one thing happen. Each is something that net/http, its caller, or time does.
//
// synctest: used only inside a bubble.
func (h *hostile) event(x *exchange, out *http.Request, respond func()) {
	trace := &x.hooks
	switch h.next() % 20 {
	case 0:
		trace.GetConn("")
	case 1, 2:
		trace.GotConn(httptrace.GotConnInfo{Conn: h.conn, Reused: h.next()%2 == 0})
	case 3:
		trace.DNSStart(httptrace.DNSStartInfo{})
		trace.ConnectStart("", "")
	case 4:
		var err error
		if h.next()%2 == 1 {
			err = errors.New("refused")
		}
		trace.ConnectDone("", "", err)
		trace.DNSDone(httptrace.DNSDoneInfo{Err: err})
		trace.TLSHandshakeDone(tls.ConnectionState{}, err)
	case 5:
		trace.WroteHeaders()
	case 6:
		trace.Got100Continue()
		_ = trace.Got1xxResponse(103, nil)
	case 7, 8, 9, 10:
		_, _ = out.Body.Read(make([]byte, 1+h.number()%65536))
	case 11:
		_ = out.Body.Close()
	case 12, 13:
		trace.WroteRequest(httptrace.WroteRequestInfo{})
	case 14:
		trace.WroteRequest(httptrace.WroteRequestInfo{Err: errors.New("not written")})
	case 15:
		trace.GotFirstResponseByte()
	case 16:
		respond()
	default:
		time.Sleep(time.Duration(h.number() % int64(time.Minute)))
	}
}

// play runs a script, then ends all that is open, and returns the timelines.
//
// synctest: used only inside a bubble.
func (h *hostile) play(t *testing.T) []*Timeline {
	var got kept
	got.got = make(chan struct{}, 1<<16)
	rt := Wrap(nil, &got)
	rt.system = system{prober: func(net.Conn) prober { return h }, nap: time.Sleep}
	req, err := http.NewRequest(http.MethodPut, "http://host", struct{ io.ReadCloser }{h})
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = h.number() - 1
	x := newExchange(rt, req, &got)
	out := x.outgoing(req)
	var resp *http.Response
	respond := func() {
		if resp != nil { // RoundTrip returns once
			_, _ = resp.Body.Read(make([]byte, 1+h.number()%65536))
			return
		}
		resp = &http.Response{StatusCode: 200, ProtoMajor: 1 + int(h.next()%8)/7, ContentLength: h.number() - 1,
			Body: struct{ io.ReadCloser }{h}}
		x.settle()
		x.current.Load().responded(resp)
	}
	for len(h.script) > 0 {
		h.event(x, out, respond)
	}
	if resp == nil {
		x.settle()
		x.current.Load().failed(io.ErrUnexpectedEOF)
	} else {
		_ = resp.Body.Close()
	}
	_ = out.Body.Close()
	x.wroteRequest(httptrace.WroteRequestInfo{})
	time.Sleep(1e6 * time.Hour) // whatever polls must have given up
	synctest.Wait()
	if len(got.list) == 0 || len(got.list) > x.current.Load().timeline.Attempt {
		t.Errorf("%d timelines of %d attempts", len(got.list), x.current.Load().timeline.Attempt)
	}
	return got.list
}

// FuzzEvents lets the events of an attempt come in any order, with answers of the kernel that
// make no sense. Nothing may panic or go on for ever, no attempt be told twice, and no figure
// be absurd. synctest fails if a goroutine is left.
func FuzzEvents(f *testing.F) {
	f.Add([]byte{9, 9, 9, 1, 0, 5, 7, 3, 1, 1, 3, 200, 9, 9, 9, 11, 12, 15, 16, 1, 1, 1})
	f.Add([]byte("\x01\x01\x00\x07\x10\x01\x01\x02\x0c\x13\x20\xff\xff\x13\x20\xff\xff\x0f\x10"))
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 1<<12 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			here, there := net.Pipe()
			defer func() { _ = here.Close(); _ = there.Close() }()
			h := &hostile{script: script, conn: here}
			seen := map[int]bool{}
			for _, got := range h.play(t) {
				if seen[got.Attempt] {
					t.Errorf("attempt %d was told twice", got.Attempt)
				}
				seen[got.Attempt] = true
				sane(t, got)
			}
		})
	})
}

// sane fails unless all figures of a timeline can be.
func sane(t *testing.T, got *Timeline) {
	t.Helper()
	for _, rate := range got.Rates() {
		if !(rate.Value > 0) || math.IsInf(rate.Value, 0) {
			t.Errorf("%s is %v: %+v", rate.Name, rate.Value, got)
		}
	}
	for _, d := range got.Durations() {
		if d.Value < 0 {
			t.Errorf("%s is %v: %+v", d.Name, d.Value, got)
		}
	}
	e, ok := got.WriteThroughputError()
	if ok && !(e >= 0 && e < 1) || got.DrainedError < 0 {
		t.Errorf("the error is %v, %v: %+v", e, got.DrainedError, got)
	}
	if delivered, ok := got.WriteThroughputDelivered(); ok && got.Drained.Happened() && delivered <= 0 {
		t.Errorf("delivered is %v: %+v", delivered, got)
	}
	if got.Polls < 0 || got.Polls > maxPolls+2 {
		t.Errorf("%d polls", got.Polls)
	}
	for _, s := range stamps(got) {
		if offset, ok := s.Offset(); ok && (offset < 0 || s > got.Ended) {
			t.Errorf("a stamp of %v after the end or before the start: %+v", offset, got)
		}
	}
	for _, s := range []Size{got.DecodedBytes, got.WireBytes, got.Queued} {
		if n, ok := s.Bytes(); ok && n < 0 {
			t.Errorf("a size of %d: %+v", n, got)
		}
	}
}
