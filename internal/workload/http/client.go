package http

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/http1"
	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/throughput"
)

// client is one user with a connection of HTTP/1.1. Its slot's goroutine owns it, but for what is said of cutting.
type client struct {
	exchange
	how sent
	up  upload // of a request with a long body; its size is 0 with a short one
	// growing is the body of an answer of which nobody knows how long it will be, while that is not long.
	growing growing
	measure *throughput.Transport // nil: no rates
	counted bool                  // it is none of the warm-up
	served  int                   // requests on this connection
	last    time.Time             // when the last of them ended

	down atomic.Pointer[op.Failure] // why there is no connection; nil when there is one

	mu   sync.Mutex // guards the changes of what follows, for who cuts
	link *link
	over bool
}

// sent is how far the sending of a request has come.
type sent int

const (
	failed   sent = iota
	partly        // the rest is left to flush
	headOnly      // the body is left to send
	wholly
)

var (
	notYet = &op.Failure{Cause: "not-connected"}
	ended  = &op.Failure{Cause: "ended"}
	// What a connection was lost for that was not lost, but is of no further use.
	saidClose = &op.Failure{Cause: "closed-by-server"}
	unasked   = &op.Failure{Cause: cause.Protocol + ":unasked-data"} // behind an answer
	early     = &op.Failure{Cause: "answered-before-the-body"}
	churn     = &op.Failure{Cause: "churn"}
	abandoned = &op.Failure{Cause: "abandoned"}
)

// ReadsItself says that Do and Await read the answers.
func (c *client) ReadsItself() {}

// Down says why there is no working connection, or nil.
func (c *client) Down() *op.Failure {
	if why := c.down.Load(); why != nil {
		return why
	}
	if c.link.cut.Load() { // at the moment when the answer was whole
		c.lose(abandoned)
		return abandoned
	}
	if c.served > 0 && time.Since(c.last) > idle && c.link.gone() {
		c.lose(saidClose)
		return saidClose
	}
	return nil
}

// idle is how long a connection may have had nothing to do without anybody looking whether the server has closed it:
// what is sent then is lost. A look takes 0.3 µs.
const idle = time.Millisecond

// Connect establishes a connection in place of the one before.
func (c *client) Connect(ctx context.Context) error {
	l, err := c.of.dial(ctx, c.measure)
	if err != nil {
		return err
	}
	l.http.Interim = c.interim
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		_ = l.Close()
		return ended
	}
	c.link, c.served = l, 0
	c.of.made.made(l)
	c.down.Store(nil)
	return nil
}

// lose gives the connection up.
func (c *client) lose(why *op.Failure) {
	c.mu.Lock()
	l := c.link
	c.link = nil
	if c.down.Load() == nil {
		c.down.Store(why)
	}
	c.mu.Unlock()
	if l != nil {
		_ = l.Close()
	}
}

// Cut closes the connection without more ado.
func (c *client) Cut(*op.Failure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link != nil {
		c.link.cut.Store(true)
		_ = c.link.Close()
	}
}

// Close ends the client.
func (c *client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.link != nil {
		_ = c.link.Close()
	}
}

// Prepare makes the first request of the flow that operation number index begins.
func (c *client) Prepare(_ int, index uint64) workload.Operation { return c.begin(index) }

// Step makes the request that follows.
func (c *client) Step(_ int, e workload.Ended) (workload.Operation, time.Duration, bool) {
	return c.follow(e)
}

// Do sends the request and reads its answer.
func (c *client) Do(_ context.Context, _ int, a *op.Attempt) *op.Failure {
	if why := c.send(a, false); why != nil {
		return why
	}
	return c.receive(a)
}

// sender is a client that can send without waiting. TLS may wait for the target when it writes.
type sender struct{ *client }

// Reserve is false without a connection.
func (c sender) Reserve(int) bool { return c.Down() == nil }

// Send sends of the request what can be sent at once.
func (c sender) Send(_ int, a *op.Attempt) {
	if why := c.send(a, true); why != nil {
		a.Complete(why)
	}
}

// Await sends what is left of the request, and reads its answer.
func (c sender) Await(_ int, a *op.Attempt) *op.Failure {
	switch c.how {
	case failed:
		return a.Await()
	case partly:
		if err := c.link.wire.Flush(); err != nil {
			return c.broke(err)
		}
		a.Sent()
	case headOnly:
		if why := c.sendBody(a); why != nil {
			return why
		}
	}
	return c.receive(a)
}

// send sends the request; atOnce no more of it than can be sent without waiting.
func (c *client) send(a *op.Attempt, atOnce bool) *op.Failure {
	if c.hops > 0 && !c.goesOn { // the attempt before had come that far
		c.write()
	}
	c.goesOn = false
	text := c.sending()
	for i := range c.patches {
		c.patches[i].Write(text, a.Intended())
	}
	l := c.link
	l.attempt = a
	c.how, c.up.size = failed, 0
	if c.isLong() {
		return c.sendHead(a, text, atOnce)
	}
	if atOnce {
		all, err := l.wire.Send(text)
		if err != nil {
			return c.unsent(err, 0)
		}
		if !all {
			c.how = partly
			return nil
		}
	} else if !l.secure { // nothing stands between that would have to see it
		l.wire.Ask(text, l.sent)
		c.how = wholly
		return nil
	} else if n, err := l.Write(text); err != nil {
		return c.unsent(err, n)
	}
	c.how = wholly
	a.Sent()
	return nil
}

// receive reads the answer, and looks at it; where it leads elsewhere, the answer from there.
func (c *client) receive(a *op.Attempt) *op.Failure {
	why, more := c.one(a)
	for more && why == nil {
		c.goesOn = true
		if why = c.send(a, false); why == nil {
			why, more = c.one(a)
		}
	}
	return why
}

// one reads an answer. more says that it leads on, and the request to there is the next to be sent.
func (c *client) one(a *op.Attempt) (why *op.Failure, more bool) {
	l := c.link
	h, err := l.http.ReadHead(c.method)
	if err != nil {
		if c.up.size > 0 {
			return c.broke(c.up.orElse(err)), false
		}
		return c.unanswered(err), false
	}
	status := h.Status
	c.answerBegins(a, h)
	var from io.Reader = l.http
	if c.growing.client != nil {
		from = &c.growing
	}
	received, err := c.read(from)
	to, more := c.leads(status, h)
	switch {
	case err == nil && more:
		a.Onward(l.wire)
	case err == nil:
		a.Over(l.wire)
	}
	l.answerEnds(received, err)
	c.growing.client = nil
	if err != nil {
		return c.broke(err), false
	}
	c.served++
	c.last = time.Now()
	sent := c.bodySent()
	a.Moved(int(received + sent))
	n := c.counts
	n.statuses[min(status, len(n.statuses)-1)].Add(1)
	n.received.Add(received)
	n.sent.Add(sent)
	if c.of.cookies {
		c.keepCookies(h)
	}
	if more {
		why = c.hop(status, to)
	} else {
		why = c.look(status, h)
	}
	c.leave(h.Closes, c.up.size > sent)
	if more && why == nil && c.down.Load() != nil {
		c.goesOn, why = true, &op.Failure{Cause: c.down.Load().Cause, GoesOn: true}
	}
	return why, more
}

// leave gives the connection up behind an answer, where it is of no further use. partly says that not all of the
// request's body was sent: a next request would be taken for the rest of it.
func (c *client) leave(closes, partly bool) {
	most := c.of.plan.Dial.requests()
	switch {
	case closes:
		c.counts.closed.Add(1)
		c.lose(saidClose)
	case partly:
		c.lose(early)
	case !c.link.http.Reusable():
		c.lose(unasked) // it would be taken for the answer to the next request
	case most > 0 && c.served >= most: // which not every server does that was told so
		c.counts.churned.Add(1)
		c.lose(churn)
	}
}

// broke says why an attempt failed whose connection is of no further use.
func (c *client) broke(err error) *op.Failure {
	why := c.of.keepFound(c.causeOf(err))
	if l := c.link; l != nil {
		l.fails(err)
	}
	c.lose(why)
	return why
}

func (c *client) causeOf(err error) *op.Failure {
	var rule *http1.Error
	var own *op.Failure
	switch {
	case errors.As(err, &own):
		return own
	case c.link != nil && c.link.cut.Load():
		return abandoned // the attempt has ended by its timeout, or by the end of the run
	case errors.As(err, &rule):
		return &op.Failure{Cause: cause.Protocol + ":" + string(rule.Rule), Err: err}
	case errors.Is(err, errTooLong):
		return &op.Failure{Cause: cause.TooLarge, Err: err}
	case errors.Is(err, io.EOF):
		return &op.Failure{Cause: cause.Ended, Err: errors.New("the server closed the connection without a response")}
	case errors.Is(err, http1.ErrCut):
		return &op.Failure{Cause: cause.CutOff, Err: err}
	case errors.Is(err, net.ErrClosed):
		return &op.Failure{Cause: cause.Closed, Err: err}
	}
	switch found := cause.Of(err); found {
	case "":
		return &op.Failure{Cause: cause.Protocol, Err: err}
	case cause.TLS:
		return c.of.Refused(err)
	default:
		return &op.Failure{Cause: found, Err: err}
	}
}

// stale is how a request went that nobody took: the server had closed the connection, which it may do at any time
// between two requests, and the word of it came when the request was on its way. It is sent again on a new connection
// (RFC 9112, 9.3.1), within the same attempt.
//
// That it was not taken is what the other side's system says: the connection's end came in order (what a reset leaves
// open), and had acknowledged nothing of the request. One that was acknowledged and not answered is a failure, whatever
// its method: the server had it, and a service that drops requests must not look better for being asked again. So is
// one on a new connection, and one that ends by a reset.
var stale = &op.Failure{Cause: saidClose.Cause, GoesOn: true}

// unsent says why an attempt failed whose request could not be written, but for n bytes of it.
func (c *client) unsent(err error, n int) *op.Failure {
	if n == 0 && c.served > 0 && errors.Is(err, syscall.EPIPE) && !c.link.cut.Load() {
		return c.again()
	}
	return c.broke(err)
}

// unanswered says why an attempt failed that had no whole head of an answer.
func (c *client) unanswered(err error) *op.Failure {
	if why, partly := c.link.wire.AskFailed(); why != nil {
		c.how = failed
		if partly {
			return c.broke(why)
		}
		return c.unsent(why, 0)
	}
	ended := errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE)
	if ended && c.served > 0 && !c.link.cut.Load() && !c.link.http.Begun() && c.link.wire.Untaken(len(c.sending())) {
		return c.again()
	}
	return c.broke(err)
}

// again gives the connection up, and has the attempt go on on a new one.
func (c *client) again() *op.Failure {
	c.counts.resent.Add(1)
	c.lose(saidClose)
	c.goesOn = true
	return stale
}
