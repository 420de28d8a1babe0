package throughput

import "time"

// Limit says what held a body up: what would have to be faster for it to move faster.
type Limit string

// The limits. Without one it cannot be told, or there was too little to tell it from.
const (
	// LimitSource: the body was not there. Of writes: its reader, or the client that takes from it,
	// gave less than the network would have taken.
	LimitSource Limit = "source"
	// LimitSendBuffer: the socket's send buffer was full of what was under way, and too small for
	// the path.
	LimitSendBuffer Limit = "send_buffer"
	// LimitReceiver: the peer's window was closed: who receives does not read fast enough.
	LimitReceiver Limit = "receiver"
	// LimitNetwork: of writes, the path (its rate, its round trip, its losses); of reads, the path or
	// the server, which cannot be told apart from here.
	LimitNetwork Limit = "network"
	// LimitReader: of reads, the caller did not take what was there.
	LimitReader Limit = "reader"
)

// From what shares on something is the limit.
const (
	// alone is what of the window the client's own part has to fill to be the limit whatever went on
	// beside it: with an infinitely fast network, the body would have taken as long within 10 %.
	alone = 0.9
	// starving is for what share of the window the network has to have had nothing to send for the
	// source to be the limit. It is small, because the rate is lower than the network's by that share
	// and must not be taken for it.
	starving = 0.1
	// most is for what share of the time something has to be the limit to be that of the whole.
	most = 0.5

	// countable is how many ticks of its clock the kernel has to have counted for half of that to be
	// told from less.
	countable = 2.5
)

// Sending is what the kernel counted of the connection from the attempt's beginning to Drained
// (Linux 4.19; of bodies from 256 KiB on). Times are in whole ticks of its clock.
type Sending struct {
	Busy            time.Duration // something was unsent or unacknowledged; the request's headers, too
	ReceiverLimited time.Duration // of that: the receiver's window was closed
	BufferLimited   time.Duration // of that: the send buffer was full of what was under way
	Retransmitted   int64         // bytes
	Tick            time.Duration // of the kernel's clock; 0 if unknown
}

// tells reports whether the kernel counted for long enough.
func (s *Sending) tells() bool { return s != nil && share(s.Busy, s.tick()) >= countable }

func (s *Sending) tick() time.Duration {
	if s.Tick <= 0 {
		return coarseTick
	}
	return s.Tick
}

func (s Sending) since(earlier Sending) *Sending {
	return &Sending{
		Busy:            max(s.Busy-earlier.Busy, 0),
		ReceiverLimited: max(s.ReceiverLimited-earlier.ReceiverLimited, 0),
		BufferLimited:   max(s.BufferLimited-earlier.BufferLimited, 0),
		Retransmitted:   max(s.Retransmitted-earlier.Retransmitted, 0),
		Tick:            s.Tick,
	}
}

// WriteLimit says what the delivered rate was limited by:
//
//	source       SourceTime is 0.9 or more of the window, Drained − FirstBodyRead − MinRTT, or for a
//	             tenth of it nothing was unsent or unacknowledged
//	receiver     else, if its window was closed for half of the time in which something was
//	send_buffer  else, if that was full for half of that time
//	network      else
//
// It is "" where that cannot be told: without Drained; where SourceTime is between a tenth of the window
// and 0.9 of it, as the network may have had enough to send meanwhile; where the kernel did not count, or
// for less than 2.5 ticks. Of sendfile, whose source nobody sees, it is at most source. On HTTP/2
// it is also "" if for a tenth of the window nothing was to be sent, and not for want of the body: the
// peer's own window is closed then, or net/http is slow.
func (t *Timeline) WriteLimit() Limit {
	if t == nil || t.Shared || t.Copied || !t.HasBody || t.RequestBytes == 0 || !t.sentWhole() {
		return ""
	}
	window, ok := t.Drained.since(t.FirstBodyRead)
	if !ok || window <= t.MinRTT {
		return ""
	}
	atLeast, atMost := t.starved(window)
	longest := window + t.DrainedError - t.MinRTT
	switch {
	case share(t.SourceTime, longest) >= alone || share(atLeast, window) >= starving:
		return LimitSource
	case t.Sendfile || share(atMost, window) > starving || share(t.idle(window), window) >= starving,
		!t.Sending.tells():
		return ""
	case share(t.Sending.ReceiverLimited, t.Sending.Busy) >= most:
		return LimitReceiver
	case share(t.Sending.BufferLimited, t.Sending.Busy) >= most:
		return LimitSendBuffer
	}
	return LimitNetwork
}

// starved is for how long in the window, at least and at most, the network had nothing to send for want
// of the body. At most that is while the source was waited for: what it still had meanwhile is not
// known. At least it is while the kernel had nothing, whatever the reason; but on HTTP/2 that can also be
// the peer's own window, which the kernel does not know.
func (t *Timeline) starved(window time.Duration) (atLeast, atMost time.Duration) {
	atMost, atLeast = min(t.SourceTime, window), t.idle(window)
	if t.Proto == "HTTP/2.0" {
		atLeast = min(atLeast, atMost)
	}
	return atLeast, max(atLeast, atMost)
}

// idle is for how long in the window, at least, the kernel had nothing unsent or unacknowledged. That it
// had something is no proof that it had enough: for a round trip after each piece something is
// unacknowledged. So it is for the headers, which may leave long before the body exists.
func (t *Timeline) idle(window time.Duration) time.Duration {
	k := t.Sending
	if k == nil {
		return 0
	}
	headers, _ := t.FirstBodyRead.since(t.WroteHeaders)
	busy := max(k.Busy-min(headers, t.MinRTT), 0)
	return max(window-busy-2*k.tick()-t.DrainedError, 0)
}

// ReadLimit says what the read rate was limited by:
//
//	reader   ReaderTime is 0.9 or more of the window (that of ReadThroughput), or
//	         ReaderPaused is half of it
//	network  else, if ReaderPaused is at most a tenth of it; the server is meant, too
//
// A caller who is away for less than 0.9 of the time waits for the network in the rest: it finds
// nothing there, unless its Reads take long by themselves. Of pauses that are 100 µs together, however
// short each is, the socket tells what has come (Linux, HTTP/1); on HTTP/2 that is not told apart. Where
// ReadThroughput is absent, and where ReaderPaused is between a tenth and a half, it is "". Where others were on
// the connection it is at most reader.
func (t *Timeline) ReadLimit() Limit {
	if _, ok := t.ReadThroughput(); !ok {
		return ""
	}
	window, _, _ := t.readWindow()
	switch {
	case share(t.ReaderTime, window) >= alone || share(t.ReaderPaused, window) >= most:
		return LimitReader
	case share(t.ReaderPaused, window) <= starving && !t.ResponseShared:
		return LimitNetwork
	}
	return ""
}

func share(part, whole time.Duration) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
