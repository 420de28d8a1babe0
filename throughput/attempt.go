package throughput

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// An attempt collects a Timeline. Everything but the meters is under the lock.
//
// It costs each request, so what only some need is made when they do. The observers get the
// timeline where it is: who keeps one keeps these 640 bytes, which refer to nothing else then.
type attempt struct {
	exchange *exchange     // nil once delivered
	sent     meter         // its start is the attempt's
	response *responseBody // nil without one

	mu       sync.Mutex
	timeline Timeline

	// How far it is.
	responseRead Stamp // the headers of the response were read
	requestOver  bool  // net/http said that it is done with the request
	bodyClosed   bool
	responseOver bool // the response was read, closed or failed
	owes         bool // given up, and net/http is not yet done with its request
	gaveUp       bool // RoundTrip returned an error, or the request was sent again
	delivered    bool
	looking      looking
	stopped      bool        // there is nothing to poll for any more
	moved        atomic.Bool // a body moves by the meter
	several      atomic.Bool // and another one by one of its own

	// The socket's queue.
	watch *watch   // nil until the connection is asked
	conn  net.Conn // until the attempt is over; nil if its queue would say nothing
	place *place   // on a connection that others can be on at the same time (HTTP/2), else nil
}

func (a *attempt) now() Stamp { return At(time.Since(a.sent.start)) }

// lock reports false, without locking, if the attempt was delivered: what comes later is not
// part of it, and its timeline is the observers'.
func (a *attempt) lock() bool {
	a.mu.Lock()
	if a.delivered {
		a.mu.Unlock()
		return false
	}
	return true
}

func (a *attempt) connected(info httptrace.GotConnInfo) {
	if !a.lock() {
		return
	}
	defer a.mu.Unlock()
	t := &a.timeline
	t.ConnectionGot = a.now()
	t.Reused, t.IdleFor = info.Reused, info.IdleTime
	a.tookCopy()
	if info.Reused {
		t.DNSStart, t.DNSDone, t.ConnectStart, t.ConnectDone, t.TLSStart, t.TLSDone = 0, 0, 0, 0, 0, 0
	}
	if isHTTP2(info) {
		a.place = a.exchange.transport.lanes.join(info.Conn)
	}
	a.uses(info.Conn)
}

// uses asks the connection, where it is worth it, what it had sent before. The caller holds the lock.
func (a *attempt) uses(c net.Conn) {
	t := &a.timeline
	if a.conn = c; !t.HasBody || c == nil {
		return
	}
	if t.ContentLength >= 0 && t.ContentLength < wireBytesFrom && a.place == nil {
		return
	}
	if w := a.openWatch(); w != nil {
		if at, err := w.probe.probe(); err == nil {
			w.base, w.began = at.acked, at
		}
	}
}

// wireBytesFrom is from what size of a body on the connection is asked before the request is
// written: 2 µs would be a part of sending less.
const wireBytesFrom = 256 << 10

// isHTTP2 reports whether TLS agreed on HTTP/2. Without TLS only the response says so.
func isHTTP2(info httptrace.GotConnInfo) bool {
	c, ok := info.Conn.(*tls.Conn)
	return ok && c != nil && c.ConnectionState().NegotiatedProtocol == "h2"
}

// informational is a response before the final one. net/http reports its first byte as the
// first of the response, and says nothing of the final one's: that stamp is taken back.
func (x *exchange) informational(_ int, _ textproto.MIMEHeader) error {
	a := x.live()
	if a == nil || !a.lock() {
		return nil
	}
	defer a.mu.Unlock()
	a.timeline.FirstResponseByte = 0
	a.lookOn()
	return nil
}

// continued comes before the body is let go, informational perhaps after.
func (x *exchange) continued() {
	a := x.live()
	if a == nil || !a.lock() {
		return
	}
	defer a.mu.Unlock()
	if !a.timeline.Continued.Happened() {
		a.timeline.Continued = a.now()
	}
}

// wrote is net/http's word that it is done with the request. HTTP/1 says so after closing the
// body and before flushing what may be left of the framing, HTTP/2 before closing the body.
func (a *attempt) wrote(err error) {
	if !a.lock() {
		return
	}
	a.requestOver = true
	if err != nil {
		a.fail(err)
	} else if !a.timeline.RequestWritten.Happened() {
		a.timeline.RequestWritten = a.now()
		a.follow()
	}
	a.unlockAndDeliver()
}

// answered is the first byte of a response.
func (a *attempt) answered() {
	if !a.lock() {
		return
	}
	if !a.timeline.FirstResponseByte.Happened() {
		a.timeline.FirstResponseByte = a.now()
		a.lastLook()
	}
	a.unlockAndDeliver()
}

// responded is the return of RoundTrip with a response.
func (a *attempt) responded(resp *http.Response) {
	if !a.lock() {
		return
	}
	t := &a.timeline
	a.responseRead = a.now()
	t.Proto, t.Status, t.Uncompressed = resp.Proto, resp.StatusCode, resp.Uncompressed
	if resp.ProtoMajor >= 2 && a.place == nil { // without TLS nobody said so before
		a.place = &place{}
	}
	if !t.FirstResponseByte.Happened() {
		t.FirstResponseByte = a.responseRead
		a.lastLook()
	}
	if resp.Body == nil || resp.Body == http.NoBody {
		a.responseOver, t.ResponseEnded = true, true
	} else {
		resp.Body = a.wrapResponse(resp)
	}
	a.unlockAndDeliver()
}

// failed is the return of RoundTrip with an error. That tells more than the error of writing
// the request, which can be a consequence: of a connection closed because the context ended.
func (a *attempt) failed(err error) {
	if !a.lock() {
		return
	}
	a.gaveUp = true
	a.timeline.Err = err
	if !a.timeline.ConnectionGot.Happened() {
		a.tookCopy()
	}
	a.stopPolling()
	a.unlockAndDeliver()
}

// fail keeps the first error.
func (a *attempt) fail(err error) {
	if a.timeline.Err == nil {
		a.timeline.Err = err
	}
}

func (a *attempt) closedBody() {
	if !a.lock() {
		return
	}
	a.bodyClosed = true
	a.unlockAndDeliver()
}

// endResponse is the end of the response's body: whole, with an error, or closed before.
func (a *attempt) endResponse(whole bool, err error) {
	if !a.lock() {
		return
	}
	if !a.responseOver {
		a.responseOver = true
		a.timeline.ResponseEnded = whole
		a.fail(err)
	}
	a.unlockAndDeliver()
}

// over reports whether nothing more will happen. net/http calls WroteRequest for each
// request that it began to write; for one that it did not, and from transports that know no
// hooks, the closing of the body is what there is.
func (a *attempt) over() bool {
	if a.looking != notAtAll || a.owes || !a.gaveUp && !a.responseOver {
		return false
	}
	if a.requestOver {
		return true
	}
	bodyDone := !a.timeline.HasBody || a.bodyClosed || a.sendsCopy() // nobody closes what Base only copied
	hooked := a.timeline.ConnectionGot.Happened()
	return bodyDone && (a.gaveUp || !hooked || a.timeline.Err != nil)
}

// unlockAndDeliver releases the lock, and hands the timeline to the observers if this was
// the last event.
func (a *attempt) unlockAndDeliver() {
	if !a.over() {
		a.mu.Unlock()
		return
	}
	a.delivered = true
	x := a.exchange
	a.judgeShared(&x.transport.lanes, a.sent.bytes.Load())
	a.finish()
	a.exchange, a.conn, a.watch, a.response = nil, nil, nil, nil
	a.mu.Unlock()
	x.transport.notify(x.ctx, x.observers, &a.timeline)
}

// finish completes the timeline from the meters.
func (a *attempt) finish() {
	t := &a.timeline
	t.Ended = a.now()
	t.RequestBytes, t.RequestReads = a.sent.bytes.Load(), a.sent.reads.Load()
	t.BodyAsked, t.FirstBodyRead, t.LastBodyRead = a.sent.asked.get(), a.sent.first.get(), a.sent.last.get()
	until, beyond := a.sent.waited()
	t.SourceTime = until + beyond
	if t.Copied = a.sendsCopy(); t.Copied && t.RequestWritten.Happened() {
		t.RequestBytes = a.exchange.retries.taken.Load()
	}
	t.Copied = t.Copied || a.several.Load() || t.FirstBodyRead.Happened() && t.FirstBodyRead < t.ConnectionGot
	if t.ResponseEnded {
		t.LastResponseByte = a.responseRead
	}
	if a.response != nil {
		a.response.finish(t)
	}
	if n, _ := t.DecodedBytes.Bytes(); n > t.RequestBytes || !t.sentWhole() {
		t.DecodedBytes = 0 // the framing only adds
	}
	if errors.Is(t.Err, ErrRetried) {
		t.Ended = t.lastSeen()
	}
	if t.Shared {
		t.Drained, t.DrainedError, t.WireBytes, t.Queued, t.Sending = 0, 0, 0, 0, nil
	}
}

// decodedLength is what the header of an aws-chunked body says of it.
func decodedLength(h http.Header) Size {
	values := h["X-Amz-Decoded-Content-Length"]
	if len(values) == 0 { // the usual case; an error of strconv would be an allocation
		return 0
	}
	n, err := strconv.ParseUint(values[0], 10, 62)
	if err != nil {
		return 0
	}
	return SizeOf(int64(n))
}
