package http

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/engine/wire"
	"github.com/plimsoll/plimsoll/internal/http2"
	"github.com/plimsoll/plimsoll/internal/workload"
)

// streams is one user with a connection of HTTP/2. Each of its slots has a stream on it.
type streams struct {
	of      *HTTP
	counts  *counts
	lanes   []*lane
	workers sync.WaitGroup

	mu   sync.Mutex // guards what follows
	at   *road      // nil: none yet
	over bool
}

// road is a connection, as its lanes need it.
type road struct {
	*http2.Conn
	wire *wire.Conn
}

// lane is what a slot has under way, and the stream that carries it.
type lane struct {
	exchange
	user    *streams
	stream  *http2.Stream
	attempt *op.Attempt // the present one
	wire    *wire.Conn  // of the connection that it is on
	counted bool        // it is none of the warm-up
	gone    bool        // the attempt has failed before it was sent
	read    int64       // of the file that is sent
	piece   *[pieceSize]byte
}

func newStreams(h *HTTP, number, slots int) *streams {
	c := &streams{of: h, counts: h.countsOf(number)}
	for range slots {
		l := &lane{user: c, exchange: exchange{of: h, number: uint64(number), counts: c.counts,
			kept: make([][]byte, len(h.script.Kept))}}
		l.counted = !l.warmup()
		l.stream = http2.NewStream(l)
		c.lanes = append(c.lanes, l)
	}
	return c
}

// noHTTP2 is the cause of a connection on which the server does not speak it.
const noHTTP2 = "no-http2"

// ReadsItself says that Do and Await wait for the answers.
func (c *streams) ReadsItself() {}

// Connect establishes a connection in place of the one before, which is closed when its requests are over.
func (c *streams) Connect(ctx context.Context) error {
	l, err := c.of.dial(ctx, nil)
	if err != nil {
		return err
	}
	limits := http2.DefaultLimits()
	limits.Requests = int64(c.of.plan.Dial.requests())
	r := &road{wire: l.wire}
	if c.of.secure {
		r.Conn = http2.New(l.Conn, nil, limits, &c.workers)
	} else {
		r.Conn = http2.New(l.Conn, l.wire, limits, &c.workers)
	}
	if err := r.Start(ctx); err != nil {
		return c.of.noSettings(ctx, err)
	}
	c.mu.Lock()
	before, over := c.at, c.over
	if !over {
		c.at = r
	}
	c.mu.Unlock()
	if over {
		r.Close(ended)
		return ended
	}
	c.of.made.made(l)
	c.of.made.allowed(r.Streams(), len(c.lanes))
	if before != nil {
		c.replaced(before)
	}
	return nil
}

// noSettings is why a connection did not begin as one of HTTP/2 does.
func (d *dialer) noSettings(ctx context.Context, err error) *op.Failure {
	var rule *http2.Error
	switch {
	case errors.As(err, &rule) && rule.Rule != http2.NoHTTP2:
		return &op.Failure{Cause: cause.Protocol + ":" + string(rule.Rule), Err: err}
	case rule != nil, errors.Is(err, http2.ErrUnanswered):
		return &op.Failure{Cause: noHTTP2, Err: err}
	}
	return d.Failure(ctx, err)
}

// replaced counts why a connection was replaced, and lets it end.
func (c *streams) replaced(r *road) {
	var away *http2.GoAway
	switch why := r.Usable(); {
	case errors.As(why, &away):
		c.counts.closed.Add(1)
	case errors.Is(why, http2.ErrSpent):
		c.counts.churned.Add(1)
	}
	r.Retire()
}

// road is the present connection, or nil.
func (c *streams) road() *road {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Down says why no request can be sent, or nil.
func (c *streams) Down() *op.Failure {
	r := c.road()
	if r == nil {
		return notYet
	}
	var away *http2.GoAway
	switch why := r.Usable(); {
	case why == nil:
		return nil
	case errors.As(why, &away) && away.Code == http2.NoError:
		return saidClose
	case errors.Is(why, http2.ErrSpent):
		return churn
	default:
		return causeOfStream(why)
	}
}

// Cut closes the connection without more ado.
func (c *streams) Cut(*op.Failure) {
	if r := c.road(); r != nil {
		r.Close(abandoned)
	}
}

// CutSlot resets the stream of a slot.
func (c *streams) CutSlot(slot int, _ *op.Failure) { c.lanes[slot].stream.Cancel(abandoned) }

// Close ends the client.
func (c *streams) Close() {
	c.mu.Lock()
	c.over = true
	r := c.at
	c.mu.Unlock()
	if r != nil {
		c.of.made.allowed(r.Streams(), len(c.lanes)) // a server may announce it late
		r.Close(ended)
	}
	for _, l := range c.lanes {
		l.stream.Cancel(ended) // on a connection of before
	}
	c.workers.Wait()
}

// Prepare makes the first request of the flow that operation number index begins.
func (c *streams) Prepare(slot int, index uint64) workload.Operation {
	return c.lanes[slot].begin(index)
}

// Step makes the request that follows.
func (c *streams) Step(slot int, e workload.Ended) (workload.Operation, time.Duration, bool) {
	return c.lanes[slot].follow(e)
}

// Do sends the request and waits for its answer.
func (c *streams) Do(_ context.Context, slot int, a *op.Attempt) *op.Failure {
	l := c.lanes[slot]
	if why := l.checkFile(); why != nil {
		return why
	}
	r := c.road()
	l.stream.Begin(r.Conn, l.ready(r, a))
	return l.await(a)
}

// sendingStreams can send without waiting. TLS may wait for the target when it writes.
type sendingStreams struct{ *streams }

// Reserve is false when another stream cannot be opened at once.
func (c sendingStreams) Reserve(int) bool {
	r := c.road()
	return r != nil && r.Room()
}

// Send sends of the request what can be sent at once.
func (c sendingStreams) Send(slot int, a *op.Attempt) {
	l := c.lanes[slot]
	why := l.checkFile()
	if l.gone = why != nil; l.gone {
		a.Complete(why)
		return
	}
	r := c.road()
	l.stream.Send(r.Conn, l.ready(r, a))
}

// Await sends what is left of the request, and waits for its answer.
func (c sendingStreams) Await(slot int, a *op.Attempt) *op.Failure {
	if l := c.lanes[slot]; !l.gone {
		return l.await(a)
	}
	return a.Await()
}

// checkFile returns why the file that is the request's body cannot be sent, or nil.
func (l *lane) checkFile() *op.Failure {
	if l.outFile == nil {
		return nil
	}
	if why := l.outFile.Check(); why != nil {
		return l.of.keepFound(why)
	}
	return nil
}

// ready is the request of an attempt.
func (l *lane) ready(r *road, a *op.Attempt) http2.Request {
	l.attempt, l.wire = a, r.wire
	l.exchange.ready()
	text := l.sending()
	for i := range l.patches {
		l.patches[i].Write(text, a.Intended())
	}
	q := http2.Request{Fields: text, Head: l.request.step.Method == "HEAD"}
	if l.outFile != nil {
		l.read = 0
		q.Source, q.Size = l, l.outFile.Size()
		return q
	}
	split := len(text) - l.bodySize()
	q.Fields, q.Body = text[:split], text[split:]
	return q
}

// Next reads a piece of the file that is sent.
func (l *lane) Next(n int) ([]byte, error) {
	if l.piece == nil {
		l.piece = l.of.pieces.Get().(*[pieceSize]byte)
	}
	n, why := l.outFile.Read(l.piece[:min(n, pieceSize)], l.read, l.counted)
	if why != nil {
		return nil, why
	}
	l.read += int64(n)
	return l.piece[:n], nil
}

// Sent says that the request has been handed to the network.
func (l *lane) Sent() { l.attempt.Sent() }

// First says that the answer has begun to come.
func (l *lane) First() { l.attempt.Answering(l.wire) }

// Data takes a piece of the answer's body.
func (l *lane) Data(p []byte) error { return l.take(p) }

// Over says that the answer is whole.
func (l *lane) Over() { l.attempt.Over(l.wire) }

// await waits for the answer, and looks at it.
func (l *lane) await(a *op.Attempt) *op.Failure {
	err := l.stream.Wait()
	if l.piece != nil {
		l.of.pieces.Put(l.piece)
		l.piece = nil
	}
	if err != nil {
		why := l.of.keepFound(causeOfStream(err))
		if why.GoesOn {
			l.counts.resent.Add(1)
		}
		return why
	}
	l.taken()
	h := l.stream.Head()
	received, sent := l.answer.Size, int64(l.bodySize())-l.stream.Unsent()
	a.Moved(int(received + sent))
	n := l.counts
	n.statuses[min(h.Status, len(n.statuses)-1)].Add(1)
	n.received.Add(received)
	n.sent.Add(sent)
	if l.of.cookies {
		l.keepCookies(h)
	}
	return l.look(h.Status, h)
}

// causeOfStream says why a stream or a connection ended.
func causeOfStream(err error) *op.Failure {
	var known *op.Failure
	var rule *http2.Error
	var reset *http2.Reset
	var away *http2.GoAway
	var unsent *http2.NotSent
	why := &op.Failure{Err: err}
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &away):
		// What the server has not begun with is sent again on a new connection (RFC 9113, 6.8).
		why.Cause, why.GoesOn = "goaway:"+away.Code.String(), true
	case errors.As(err, &unsent):
		why.Cause, why.GoesOn = cause.Closed, true
	case errors.As(err, &reset):
		why.Cause = "stream-reset:" + reset.Code.String()
	case errors.As(err, &rule):
		why.Cause = cause.Protocol + ":" + string(rule.Rule)
	case errors.Is(err, errTooLong):
		why.Cause = cause.TooLarge
	case errors.Is(err, http2.ErrCut):
		why.Cause = cause.CutOff
	case errors.Is(err, http2.ErrUnanswered):
		why.Cause = cause.Ended
	case errors.Is(err, net.ErrClosed):
		why.Cause = cause.Closed
	default:
		if why.Cause = cause.Of(err); why.Cause == "" {
			why.Cause = cause.Protocol
		}
	}
	return why
}
