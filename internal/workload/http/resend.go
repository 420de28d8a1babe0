package http

import (
	"errors"
	"io"
	"syscall"

	"github.com/plimsoll/plimsoll/internal/engine/op"
)

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
