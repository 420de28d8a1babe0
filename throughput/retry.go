package throughput

import (
	"errors"
	"fmt"
	"net/http/httptrace"
	"slices"
	"sync"
	"sync/atomic"
)

// ErrResent is the error of an attempt whose request was sent again before an answer to it had
// begun. net/http does so by itself where an idle connection turns out to be gone.
var ErrResent = errors.New("throughput: the request was sent again before a response began: " +
	"an idle connection was closed, or the underlying transport retries")

// ErrRetried is the error of an attempt after which Base sent the request again although net/http
// would not have: after an answer, over a new connection, or after a dial that failed. Base retries
// then, or follows redirects. The answer, if one began, went to Base; the status is not known.
var ErrRetried = errors.New("throughput: the underlying transport sent the request again")

// retries is what an exchange keeps for the case that its Base sends the request several times.
// The hooks do not say which of these they are about.
type retries struct {
	// taken are the bytes of a body that Base took whole before it asked for a connection: it sends
	// a copy then, and its further attempts do not touch the body.
	taken atomic.Int64

	mu      sync.Mutex
	dials   int        // under way
	dialErr error      // of the latest, unless one succeeded since
	owing   []*attempt // given up before net/http said that it is done with the request
}

func (r *retries) dialBegins() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dials++
}

func (r *retries) dialEnded(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dials = max(r.dials-1, 0)
	r.dialErr = err
}

// failed keeps the error of looking a name up, or of a handshake.
func (r *retries) failed(err error) {
	if err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.dialErr = err
	}
}

// dialed returns why the dialing of an attempt without a connection has failed, once.
func (r *retries) dialed() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dials > 0 {
		return nil
	}
	err := r.dialErr
	r.dialErr = nil
	return err
}

// progress reports whether the attempt has had a connection, and whether RoundTrip has returned.
// What comes after that is no attempt of this exchange.
func (a *attempt) progress() (had, returned bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	returned = a.gaveUp || a.responseRead.Happened()
	return !returned && a.timeline.ConnectionGot.Happened(), returned
}

// again ends an attempt because the request is sent once more.
func (x *exchange) again(a *attempt, dialed error) *attempt {
	if a.lock() {
		if !a.timeline.ConnectionGot.Happened() {
			a.tookCopy()
		}
		a.mu.Unlock()
	}
	next := x.beginAttempt(a.timeline.Attempt + 1)
	if !a.sent.asked.get().Happened() { // a body that it has not touched is the next one's
		a.closedBody()
	}
	a.mu.Lock()
	err := a.whyAgain(dialed)
	a.owes = a.timeline.ConnectionGot.Happened() && !a.requestOver
	owes := a.owes
	a.mu.Unlock()
	if owes {
		x.retries.mu.Lock()
		x.retries.owing = append(x.retries.owing, a)
		x.retries.mu.Unlock()
	}
	a.failed(err)
	return next
}

// whyAgain tells what net/http does by itself from what only a transport above it does: net/http
// sends a request again on HTTP/1 only if its connection had been used before, and never after
// the answer began. The caller holds the lock.
func (a *attempt) whyAgain(dialed error) error {
	t := &a.timeline
	why := ErrResent
	if dialed != nil || t.FirstResponseByte.Happened() || !t.Reused && a.place == nil {
		why = ErrRetried
	}
	cause := dialed
	if cause == nil {
		cause = t.Err
	}
	if cause == nil {
		return why
	}
	return fmt.Errorf("%w (%w)", why, cause)
}

// tookCopy notes that all of the body was taken before there was a connection, which net/http
// never does.
func (a *attempt) tookCopy() {
	t := &a.timeline
	if n := a.sent.bytes.Load(); t.Attempt == 1 && (t.ContentLength < 0 || n == t.ContentLength) {
		a.exchange.retries.taken.Store(n)
	}
}

// sendsCopy reports whether Base sends a copy of the body: it took the body before it had a
// connection, and has not touched it since. The caller holds the lock.
func (a *attempt) sendsCopy() bool {
	if a.exchange == nil {
		return false
	}
	taken := a.exchange.retries.taken.Load()
	if taken == 0 {
		return false
	}
	n := a.sent.bytes.Load()
	return n == 0 && a.timeline.Attempt > 1 || n == taken && a.timeline.Attempt == 1
}

// live is the attempt that an event of sending or answering is about: nil if it is of one before,
// as the current one has sent nothing yet.
func (x *exchange) live() *attempt {
	a := x.current.Load()
	if a.timeline.Attempt > 1 {
		a.mu.Lock()
		defer a.mu.Unlock()
		if !a.timeline.WroteHeaders.Happened() {
			return nil
		}
	}
	return a
}

// wroteRequest is the end of sending a request. That of an attempt whose answer came first can come
// when the next one is on its way.
func (x *exchange) wroteRequest(info httptrace.WroteRequestInfo) {
	a, err := x.current.Load(), info.Err
	late := x.oldestOwing()
	switch whose := a.whoseEnd(late, err); {
	case whose == nil:
		a.doneWith()
	case whose == late:
		x.pay(late)
		late.wrote(err)
	default:
		a.wrote(err)
	}
}

// whoseEnd tells an end of sending that is late from the current attempt's. Of one that was
// answered it comes for certain, and soon, as net/http gives a connection up whose request is not
// written then; of one that was not it may never come. It returns nil if nobody can say.
func (a *attempt) whoseEnd(late *attempt, err error) *attempt {
	if late == nil {
		return a
	}
	late.mu.Lock()
	answered := late.timeline.FirstResponseByte.Happened()
	late.mu.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	t := &a.timeline
	if answered || !t.WroteHeaders.Happened() {
		return late
	}
	if t.HasBody && a.place == nil && !a.sendsCopy() { // HTTP/1 says it after closing the body
		if a.bodyClosed {
			return a
		}
		return late
	}
	if err != nil {
		return nil
	}
	return a
}

func (x *exchange) oldestOwing() *attempt {
	x.retries.mu.Lock()
	defer x.retries.mu.Unlock()
	if len(x.retries.owing) == 0 {
		return nil
	}
	return x.retries.owing[0]
}

// pay takes an attempt from those that owe the end of their request.
func (x *exchange) pay(a *attempt) {
	x.retries.mu.Lock()
	x.retries.owing = slices.DeleteFunc(x.retries.owing, func(each *attempt) bool { return each == a })
	x.retries.mu.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.owes = false
}

// settle ends the attempts of which net/http has not said that it is done with their request when
// RoundTrip returns: it may never say so of a connection that is gone.
func (x *exchange) settle() {
	for a := x.oldestOwing(); a != nil; a = x.oldestOwing() {
		x.pay(a)
		if a.lock() {
			a.unlockAndDeliver()
		}
	}
}

// doneWith is for the end of a request that may be that of an attempt before: nothing is said of it.
func (a *attempt) doneWith() {
	if !a.lock() {
		return
	}
	a.requestOver = true
	a.unlockAndDeliver()
}

// lastSeen is the last moment that is known of an attempt. What came between that and the next
// one can be a pause of Base's.
func (t *Timeline) lastSeen() Stamp {
	return max(t.DNSStart, t.DNSDone, t.ConnectStart, t.ConnectDone, t.TLSStart, t.TLSDone, t.ConnectionGot,
		t.WroteHeaders, t.Continued, t.BodyAsked, t.FirstBodyRead, t.LastBodyRead, t.RequestWritten, t.Drained,
		t.FirstResponseByte, t.LastResponseByte, At(0))
}

// answered reports whether there was an answer, if only for Base.
func (t *Timeline) answered() bool { return t.Status != 0 || t.hidden() }

// unseen reports whether nobody can say if the body of a request that Base repeated was sent whole.
func (t *Timeline) unseen() bool {
	return t.hidden() && !t.RequestWritten.Happened() && (t.Copied || t.ContentLength < 0)
}

// hidden reports whether Base kept the answer to itself.
func (t *Timeline) hidden() bool {
	return t.Err != nil && t.FirstResponseByte.Happened() && errors.Is(t.Err, ErrRetried)
}
