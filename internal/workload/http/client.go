package http

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/http1"
	"github.com/plimsoll/plimsoll/internal/selector"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/workload"
)

// client is one user with a connection of HTTP/1.1. Its slot's goroutine owns it, but for what is said of cutting.
type client struct {
	of     *HTTP
	number uint64
	counts *counts

	flow    int
	step    int
	request *request
	index   uint64 // of the operation that began the flow
	kept    [][]byte
	values  template.Values

	text    []byte // the request
	body    []byte // room for its body
	patches []template.Patch
	how     sent

	answer selector.Answer
	sum    hash.Hash // nil until it is needed
	served int       // requests on this connection
	last   time.Time // when the last of them ended

	down atomic.Pointer[op.Failure] // why there is no connection; nil when there is one

	mu   sync.Mutex // guards the changes of what follows, for who cuts
	link *link
	over bool
}

// sent is how far the sending of a request has come.
type sent int

const (
	failed sent = iota
	partly      // the rest is left to flush
	wholly
)

var (
	notYet = &op.Failure{Cause: "not-connected"}
	ended  = &op.Failure{Cause: "ended"}
	// What a connection was lost for that was not lost, but is of no further use.
	saidClose = &op.Failure{Cause: "closed-by-server"}
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
	l, err := c.of.dial(ctx)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		_ = l.Close()
		return ended
	}
	c.link, c.served = l, 0
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
func (c *client) Prepare(_ int, index uint64) workload.Operation {
	c.index, c.flow, c.step = index, c.of.Flow(index), 0
	return c.prepare()
}

// Step makes the request that follows.
func (c *client) Step(_ int, e workload.Ended) (next workload.Operation, pause time.Duration, more bool) {
	steps := c.of.flows[c.flow]
	if e.Why != nil || c.step+1 == len(steps) {
		return workload.Operation{}, 0, false
	}
	c.step++
	return c.prepare(), c.request.step.Pause, true
}

func (c *client) prepare() workload.Operation {
	c.request = c.of.flows[c.flow][c.step]
	if c.request.whole == nil {
		c.render()
	}
	return workload.Operation{Kind: c.request.kind}
}

// render makes the text of the request. The time in it is written when it is known.
func (c *client) render() {
	s := c.of.script
	// Each step of a flow draws for itself.
	c.values = template.Values{
		Seed: c.of.plan.Load.Seed ^ uint64(c.step)<<48, Index: c.index, Client: c.number, Kept: c.kept,
		Now: time.Unix(1e9, 0),
	}
	if len(s.Rows) > 0 {
		c.values.Row = s.Rows[c.index%uint64(len(s.Rows))]
	}
	c.patches = c.patches[:0]
	c.text, c.body = c.request.append(c.text[:0], c.body, &c.values, &c.patches)
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
	}
	return c.receive(a)
}

// send sends the request; atOnce no more of it than can be sent without waiting.
func (c *client) send(a *op.Attempt, atOnce bool) *op.Failure {
	text := c.request.whole
	if text == nil {
		for i := range c.patches {
			c.patches[i].Write(c.text, a.Intended())
		}
		text = c.text
	}
	l := c.link
	l.attempt = a
	c.how = failed
	if atOnce {
		all, err := l.wire.Send(text)
		if err != nil {
			return c.broke(err)
		}
		if !all {
			c.how = partly
			return nil
		}
	} else if _, err := l.Write(text); err != nil {
		return c.broke(err)
	}
	c.how = wholly
	a.Sent()
	return nil
}

// mostKept bounds what is kept of an answer for checks.
const mostKept = 16 << 20

var errTooLong = errors.New("the answer is longer than what can be looked at")

// receive reads the answer, and looks at it.
func (c *client) receive(a *op.Attempt) *op.Failure {
	l := c.link
	h, err := l.http.ReadHead(c.request.step.Method)
	if err != nil {
		return c.broke(err)
	}
	status := h.Status
	received, err := c.readBody(h)
	if err != nil {
		return c.broke(err)
	}
	a.Over(l.wire)
	c.served++
	c.last = time.Now()
	a.Moved(int(received) + len(c.body))
	n := c.counts
	n.statuses[min(status, len(n.statuses)-1)].Add(1)
	n.received.Add(received)
	n.sent.Add(int64(len(c.body)))
	why := c.look(h)
	switch {
	case h.Closes || !l.http.Reusable():
		n.closed.Add(1)
		c.lose(saidClose)
	case c.of.plan.Dial.Churn > 0 && c.served >= c.of.plan.Dial.Churn:
		n.churned.Add(1)
		c.lose(churn)
	}
	return why
}

// checkCause begins the cause of what failed a check.
const checkCause = "check:"

// look checks an answer, and keeps what the requests that follow need of it.
func (c *client) look(h *http1.Head) *op.Failure {
	s := c.request.step
	c.answer.Status, c.answer.Fields = h.Status, h
	for _, check := range s.Checks {
		if !check.Holds(&c.answer) {
			c.of.examples.LoadOrStore(check.String(), check.Found(&c.answer))
			return &op.Failure{Cause: checkCause + check.String()}
		}
	}
	if len(s.Checks) == 0 && h.Status >= 400 {
		return &op.Failure{Cause: cause.Status(h.Status)}
	}
	for _, k := range s.Keep {
		v, found := k.From.Find(&c.answer)
		if !found {
			return &op.Failure{Cause: "keep:" + k.From.String()}
		}
		c.kept[k.Number] = append(c.kept[k.Number][:0], v...)
	}
	return nil
}

// broke says why an attempt failed whose connection is of no further use.
func (c *client) broke(err error) *op.Failure {
	why := c.causeOf(err)
	c.lose(why)
	return why
}

func (c *client) causeOf(err error) *op.Failure {
	var rule *http1.Error
	switch {
	case c.link != nil && c.link.cut.Load():
		return abandoned // the attempt has ended by its timeout, or by the end of the run
	case errors.As(err, &rule):
		return &op.Failure{Cause: cause.Protocol + ":" + string(rule.Rule), Err: err}
	case errors.Is(err, errTooLong):
		return &op.Failure{Cause: cause.TooLarge, Err: err}
	case errors.Is(err, io.EOF):
		return &op.Failure{Cause: cause.Ended, Err: errors.New("the server closed the connection without an answer")}
	case errors.Is(err, http1.ErrCut):
		return &op.Failure{Cause: cause.CutOff, Err: err}
	case errors.Is(err, net.ErrClosed):
		return &op.Failure{Cause: cause.Closed, Err: err}
	}
	if found := cause.Of(err); found != "" {
		return &op.Failure{Cause: found, Err: err}
	}
	return &op.Failure{Cause: cause.Protocol, Err: err}
}

// readBody reads the body of an answer to its end, keeps of it what is looked at, and says how long it is.
func (c *client) readBody(h *http1.Head) (int64, error) {
	c.answer.Reset()
	needs := c.request.needs()
	room := c.of.rooms.Get().(*[roomSize]byte)
	defer c.of.rooms.Put(room)
	if needs.Sum {
		if c.sum == nil {
			c.sum = sha256.New()
		}
		c.sum.Reset()
	}
	for {
		n, err := c.link.http.Read(room[:])
		c.answer.Size += int64(n)
		if needs.Sum {
			c.sum.Write(room[:n])
		}
		if needs.Body {
			if len(c.answer.Body)+n > mostKept {
				return c.answer.Size, errTooLong
			}
			c.answer.Body = append(c.answer.Body, room[:n]...)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return c.answer.Size, err
		}
	}
	if needs.Sum {
		c.sum.Sum(c.answer.Sum[:0])
	}
	return c.answer.Size, nil
}

// needs is what of an answer must be there when it is looked at.
func (r *request) needs() selector.Needs { return r.looks }

// roomSize is that of the pieces in which answers are read.
const roomSize = 32 << 10
