package throughput

import "time"

// Errors of a measurement, for the qualities.
const (
	// Tolerance is the relative error up to which a figure counts as determined.
	Tolerance = 0.05

	// stampError is how late a stamp may be: what waking a goroutine takes on a machine that
	// has something else to do.
	stampError = 50 * time.Microsecond

	// ackError is how much later than its last byte a receiver acknowledges what came with one
	// interrupt.
	ackError = 150 * time.Microsecond

	// rttShare is how much of the smallest round trip the way of the last piece and of its
	// acknowledgement may differ from it.
	rttShare = 0.1

	// record is the longest of TLS.
	record = 16 << 10
)

// WriteThroughputHandoff is the rate, in bytes per second, at which the body was taken from
// its reader:
//
//	RequestBytes ÷ (LastBodyRead − FirstBodyRead)
//
// It begins when the first piece was there. It is an upper bound on the rate of the network: what was
// taken last is still in buffers, and a body that fits into the socket's queue is taken at the speed
// of memory, 10 to 100 times too fast. The error shrinks as the body outgrows the queue. Absent for a body taken
// in one piece, by sendfile, or into a copy.
func (t *Timeline) WriteThroughputHandoff() (float64, bool) {
	if t == nil || t.Sendfile || t.Copied || t.RequestReads < 2 {
		return 0, false
	}
	window, ok := t.LastBodyRead.since(t.FirstBodyRead)
	return rate(t.RequestBytes, window, ok)
}

// WriteThroughputDelivered is the rate, in bytes per second, at which the network took the
// body (Linux; through TLS too; over HTTP/2 if nobody else was on the connection):
//
//	RequestBytes ÷ (Drained − FirstBodyRead − MinRTT)
//
// It begins when the first piece of the body was there: who waits for it does not send. What its source
// is waited for after that is in the window, as the network may have enough to send meanwhile; SourceTime
// says how much that is, WriteQuality and WriteLimit what follows.
//
// The last acknowledgement comes one round trip after the last byte left an empty path, and
// that round trip is not sending: the smallest one seen on the connection is taken off. If
// the answer came before the queue was seen empty, it is the rate until the request was
// written, of what was acknowledged by then:
//
//	(RequestBytes − Queued) ÷ (RequestWritten − FirstBodyRead − MinRTT)
//
// WriteThroughputError is its relative error. Absent when that reaches 1, or when the
// connection could not be asked. Through a proxy it is the rate up to the proxy.
func (t *Timeline) WriteThroughputDelivered() (float64, bool) {
	r, _, ok := t.delivered()
	return r, ok
}

// WriteThroughputError is the largest relative error of WriteThroughputDelivered to expect:
//
//	(DrainedError + MinRTTError + 200 µs + MinRTT ÷ 10) ÷ (Drained − FirstBodyRead − MinRTT)
//
// The third term is how late a stamp (50 µs) and an acknowledgement (150 µs) may be, the
// fourth how much the way of the last acknowledgement may differ from the shortest. Over HTTP/2 there is
// a fifth, as what was acknowledged beside the body may be of requests that nobody observes, whose end the
// queue has waited for:
//
//	(WireBytes − RequestBytes) ÷ WireBytes
func (t *Timeline) WriteThroughputError() (float64, bool) {
	_, e, ok := t.delivered()
	return e, ok
}

func (t *Timeline) delivered() (perSecond, relative float64, ok bool) {
	if t == nil || t.Shared || t.Copied || !t.HasBody || !t.sentWhole() || t.MinRTT <= 0 {
		return 0, 0, false
	}
	bytes, until, doubt := t.RequestBytes, t.Drained, t.DrainedError
	share := t.company()
	if !until.Happened() {
		queued, known := t.Queued.Bytes()
		if !known {
			return 0, 0, false
		}
		bytes, until, doubt = t.RequestBytes-queued, t.RequestWritten, 0
		// What was acknowledged stands for all of it, and the queue also holds framing.
		share = float64(queued) / float64(t.RequestBytes)
	}
	window, ordered := until.since(t.FirstBodyRead)
	window -= t.MinRTT
	if !ordered || window <= 0 || bytes <= 0 {
		return 0, 0, false
	}
	doubt += t.MinRTTError + unsharp(t.MinRTT)
	relative = share + float64(doubt)/float64(window)
	if relative >= 1 {
		return 0, 0, false
	}
	perSecond, ok = rate(bytes, window, true)
	return perSecond, relative, ok
}

// company is what share of the bytes that were acknowledged may be of others on the connection (HTTP/2): its
// own headers and framing are in it, as nobody tells them apart.
func (t *Timeline) company() float64 {
	wire, known := t.WireBytes.Bytes()
	if !known || t.Proto != "HTTP/2.0" || wire <= t.RequestBytes {
		return 0
	}
	return float64(wire-t.RequestBytes) / float64(wire)
}

// unsharp is what no look can tell: how late a stamp and an acknowledgement are.
func unsharp(minRTT time.Duration) time.Duration {
	return stampError + ackError + time.Duration(rttShare*float64(minRTT))
}

// ReadThroughput is the rate, in bytes per second, at which the caller got the body of the
// response:
//
//	ResponseBytes ÷ (LastResponseByte − FirstResponseByte)
//
// Who waits for a processor sees the first byte late, while others come. Where some had come at ResponseAsked, they
// have no part in it, and it is the rate of the rest:
//
//	(ResponseBytes − ResponseAhead) ÷ (LastResponseByte − ResponseAsked)
//
// The last byte may be seen late as well: LastResponseError is how much longer the wait for the last pieces was than
// they take at the rate before it, or for how long nothing had come on the connection (Linux, HTTP/1; bodies from
// 64 KiB on), if that is less. The relative error is that of the stamps, and over TLS that of a record, which may
// have been neither in the socket nor in net/http's buffer at ResponseAsked:
//
//	(50 µs + LastResponseError) ÷ window + 16 KiB ÷ (ResponseBytes − ResponseAhead)
//
// HTTP/2 takes what comes before anybody reads it, and nobody can ask for it: the rate of a short read may be
// too high there by all that came before the caller read.
//
// A caller that reads slowly makes it a lower bound on the rate of the network, and so do other requests on the
// connection (HTTP/2), which ReadQuality and ReadLimit tell. Absent for a response that was not read to its end, that
// came in one piece, or in less time than 20 times the error of a stamp (1 ms), where its error is more than
// Tolerance, and for a response that was decompressed: the bytes that the caller got did not move.
func (t *Timeline) ReadThroughput() (float64, bool) {
	if t == nil || !t.ResponseEnded || t.Uncompressed {
		return 0, false
	}
	window, e, ok := t.readWindow()
	return rate(t.ResponseBytes-t.ResponseAhead, window, ok && e <= Tolerance)
}

func (t *Timeline) readWindow() (window time.Duration, relative float64, ok bool) {
	from := t.FirstResponseByte
	if t.ResponseAsked.Happened() {
		from = t.ResponseAsked
	}
	window, ok = t.LastResponseByte.since(from)
	rest := t.ResponseBytes - t.ResponseAhead
	if !ok || window <= 0 || t.ResponseReads < 2 || rest <= 0 {
		return 0, 0, false
	}
	relative = float64(stampError+t.LastResponseError) / float64(window)
	if t.ResponseAhead > 0 && t.Scheme == "https" {
		relative += float64(record) / float64(rest)
	}
	return window, relative, true
}

// TTFB is the time from the start of the attempt to the first byte of the final response,
// the connection's making included. Its error is that of a stamp, some 50 µs; after an
// informational response it is to the end of the headers.
func (t *Timeline) TTFB() (time.Duration, bool) {
	if t == nil {
		return 0, false
	}
	return t.FirstResponseByte.Offset()
}

// TTLB is the time from the start of the attempt to the last byte of the response. Absent if
// the response was not read to its end.
func (t *Timeline) TTLB() (time.Duration, bool) {
	if t == nil || !t.ResponseEnded {
		return 0, false
	}
	return t.LastResponseByte.Offset()
}

// Setup is the time from the start of the attempt until it had a connection: resolving,
// connecting and TLS, or waiting for one to become free.
func (t *Timeline) Setup() (time.Duration, bool) {
	if t == nil {
		return 0, false
	}
	return t.ConnectionGot.Offset()
}

// ServerTime is how long the server took to begin its answer after it had the request:
//
//	FirstResponseByte − Drained
//
// The acknowledgement and the answer travel the same way back, so no round trip is in it;
// the error is DrainedError. Where Drained is not known it is an upper bound:
//
//	FirstResponseByte − RequestWritten
//
// with a round trip in it and, of an upload, the time in which the queue was sent. Absent if
// the server answered first.
func (t *Timeline) ServerTime() (time.Duration, bool) {
	if t == nil {
		return 0, false
	}
	if t.Drained.Happened() {
		return t.FirstResponseByte.since(t.Drained)
	}
	return t.FirstResponseByte.since(t.RequestWritten)
}

func rate(bytes int64, window time.Duration, ok bool) (float64, bool) {
	if !ok || bytes <= 0 || window <= 0 {
		return 0, false
	}
	return float64(bytes) / window.Seconds(), true
}

// A Rate is a rate of a Timeline that is known, in bytes per second, with the quality and the limit
// of its direction.
type Rate struct {
	Name    string
	Value   float64
	Quality Quality
	Limit   Limit // "" if it cannot be told
}

// Rates returns the rates that are known by the names that exporters give them:
// write_throughput_handoff, write_throughput_delivered, read_throughput.
func (t *Timeline) Rates() []Rate {
	var known []Rate
	add := func(name string, f func() (float64, bool), quality func() Quality, limit func() Limit) {
		if v, ok := f(); ok {
			known = append(known, Rate{name, v, quality(), limit()})
		}
	}
	add("write_throughput_handoff", t.WriteThroughputHandoff, t.WriteQuality, t.WriteLimit)
	add("write_throughput_delivered", t.WriteThroughputDelivered, t.WriteQuality, t.WriteLimit)
	add("read_throughput", t.ReadThroughput, t.ReadQuality, t.ReadLimit)
	return known
}

// A Duration is a named time of a Timeline that is known.
type Duration struct {
	Name  string
	Value time.Duration
}

// Durations returns the times that are known, by name: setup, ttfb, ttlb, server_time.
func (t *Timeline) Durations() []Duration {
	var known []Duration
	add := func(name string, f func() (time.Duration, bool)) {
		if v, ok := f(); ok {
			known = append(known, Duration{name, v})
		}
	}
	add("setup", t.Setup)
	add("ttfb", t.TTFB)
	add("ttlb", t.TTLB)
	add("server_time", t.ServerTime)
	return known
}
