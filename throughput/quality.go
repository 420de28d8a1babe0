package throughput

// Quality says whether a rate of a Timeline can be believed, and if not, why. The two directions
// have one each: WriteQuality and ReadQuality.
type Quality string

// The qualities, the first that applies.
const (
	// NoBody: there was no body in this direction, or an empty one.
	NoBody Quality = "no_body"
	// Aborted: the body was not moved whole.
	Aborted Quality = "aborted"
	// SharedConnection: other requests used the connection at the same time, or may have, so its
	// queue says nothing about this one, and the rate of a response is a share of the network's (HTTP/2).
	SharedConnection Quality = "shared_connection"
	// Sendfile: the kernel took the body from a file, so its reads were not seen. The
	// delivered rate is as good as its error says, there is no handoff rate. Of writes alone.
	Sendfile Quality = "sendfile"
	// Unseen: the transport below took the body before it sent it, so its reads say nothing; of an
	// answer, it kept that to itself, or decompressed it, so that what the caller got is not what moved.
	Unseen Quality = "unseen"
	// OK: the delivered rate, or the read rate, is within Tolerance, and it is the rate that the
	// network (or the peer) had, so far as the client did not wait for its own side.
	OK Quality = "ok"
	// Paced: the rate is within Tolerance, but it may be the client's own more than the network's: the
	// body's source kept the network waiting, or the caller did not take what was there, for so much
	// of the window that the network's rate may be outside. WriteLimit and ReadLimit tell more.
	Paced Quality = "paced"
	// SingleRead: the body moved in one piece, and nothing tells how long that took.
	SingleRead Quality = "single_read"
	// BelowResolution: the body moved in too short a time to tell the rate within Tolerance,
	// or nobody could see when the network had it.
	BelowResolution Quality = "below_resolution"
)

// WriteQuality judges the delivered write rate.
func (t *Timeline) WriteQuality() Quality {
	switch {
	case t == nil || !t.HasBody:
		return NoBody
	case t.unseen():
		return Unseen
	case !t.sentWhole():
		return Aborted
	case t.RequestBytes == 0:
		return NoBody
	case t.Shared:
		return SharedConnection
	case t.Sendfile:
		return Sendfile
	case t.Copied:
		return Unseen
	}
	if _, e, ok := t.delivered(); ok && e <= Tolerance && t.Drained.Happened() {
		window, _ := t.Drained.since(t.FirstBodyRead)
		if _, starved := t.starved(window); e+share(starved, window-t.MinRTT) > Tolerance {
			return Paced
		}
		return OK
	}
	if t.RequestReads == 1 {
		return SingleRead
	}
	return BelowResolution
}

// ReadQuality judges the read rate.
func (t *Timeline) ReadQuality() Quality {
	switch {
	case t == nil:
		return NoBody
	case t.hidden():
		return Unseen
	case !t.ResponseEnded:
		return Aborted
	case t.ResponseBytes == 0:
		return NoBody
	case t.Uncompressed:
		return Unseen
	case t.ResponseShared:
		return SharedConnection
	}
	if window, e, ok := t.readWindow(); ok && e <= Tolerance {
		if t.ReadLimit() == LimitReader || e+share(t.ReaderPaused, window) > Tolerance {
			return Paced
		}
		return OK
	}
	if t.ResponseReads == 1 {
		return SingleRead
	}
	return BelowResolution
}

// sentWhole reports whether the whole body left.
func (t *Timeline) sentWhole() bool {
	if t.Err != nil && !t.RequestWritten.Happened() && !t.hidden() || !t.answered() {
		return false
	}
	if t.ContentLength < 0 { // what nobody asked for did not leave, as where the server refused to continue
		return t.BodyAsked.Happened() || t.RequestBytes > 0
	}
	return t.RequestBytes == t.ContentLength
}
