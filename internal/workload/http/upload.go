package http

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/http1"
	"github.com/plimsoll/plimsoll/internal/workload/http/bodyfile"
	"github.com/plimsoll/plimsoll/internal/workload/http/rates"
	"github.com/plimsoll/plimsoll/throughput"
)

// longBody is from what size on a body is sent in pieces: between two of them is looked whether the server has answered
// already, as one does that refuses it. What is shorter is gone before a server can say anything.
const longBody = rates.Long

// pieceSize is that of the pieces.
const pieceSize = 64 << 10

// upload is a long body that is being sent.
type upload struct {
	size   int64
	at     int64 // bytes that were written
	memory []byte
	file   *bodyfile.File
	begun  bool  // its first piece was
	told   bool  // its end was, to who measures it
	err    error // what sending it ended with, of which the answer may know more
}

// errAnswered ends the sending of a body whose answer has begun.
var errAnswered = errors.New("the server responded before it had received the whole request")

// bodySent is how much of the request's body was sent.
func (c *client) bodySent() int64 {
	if c.up.size > 0 {
		return c.up.at
	}
	return int64(c.bodySize())
}

// orElse is why the body was not sent, or else an error of reading the answer.
func (u *upload) orElse(err error) error {
	if u.err != nil && u.err != errAnswered {
		return u.err
	}
	return err
}

// isLong reports whether the request's body is sent in pieces.
func (c *client) isLong() bool {
	size := int64(c.bodySize())
	return size >= longBody || size > 0 && (size >= c.of.rates.Least || c.request.waits)
}

// sendHead sends the head of a request with a long body; atOnce without waiting, and then the body is left to Await.
func (c *client) sendHead(a *op.Attempt, text []byte, atOnce bool) *op.Failure {
	u, l := &c.up, c.link
	*u = upload{size: int64(c.bodySize()), file: c.outFile}
	if u.file != nil {
		if why := u.file.Check(); why != nil {
			return c.of.keepFound(why)
		}
	} else {
		u.memory = text[int64(len(text))-u.size:]
		text = text[:int64(len(text))-u.size]
	}
	if atOnce {
		if _, err := l.wire.Send(text); err != nil {
			return c.unsent(err, 0)
		}
		c.how = headOnly // what the kernel did not take goes before the body
		return nil
	}
	if n, err := l.Write(text); err != nil {
		return c.unsent(err, n)
	}
	return c.sendBody(a)
}

// continueWithin is how long a body waits for 100 Continue that its request expects. Servers need not send it.
const continueWithin = time.Second

// sendBody sends the body behind its head, or as much of it as the server waits for.
func (c *client) sendBody(a *op.Attempt) *op.Failure {
	c.begins(a)
	if c.request.waits {
		asked, err := c.link.answersWithin(continueWithin)
		if err != nil {
			return c.broke(err)
		}
		if asked { // what the answer is, is seen when its head is read
			a.Sent()
			return nil
		}
	}
	return c.sendRest(a)
}

// answersWithin waits for something of an answer for so long.
func (l *link) answersWithin(d time.Duration) (bool, error) {
	_ = l.SetReadDeadline(time.Now().Add(d))
	err := l.http.Wait()
	_ = l.SetReadDeadline(time.Time{})
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return false, nil
	}
	return true, err
}

// sendRest sends what is left of the body. That the server has answered is no failure, nor that it takes no more: what
// it says is read then.
func (c *client) sendRest(a *op.Attempt) *op.Failure {
	u, l := &c.up, c.link
	if !u.begun {
		u.begun = true
		l.bodyBegins()
	}
	room := c.of.pieces.Get().(*[pieceSize]byte)
	defer c.of.pieces.Put(room)
	patience := l.patience()
	for u.err = nil; u.at < u.size && u.err == nil; {
		p := u.memory
		if u.file == nil {
			p = p[u.at:min(u.at+pieceSize, u.size)]
		} else {
			n, why := u.file.Read(room[:], u.at, c.counted)
			if why != nil {
				patience.end()
				l.fails(why)
				c.lose(why)
				return c.of.keepFound(why)
			}
			p = room[:n]
		}
		u.err = c.sendPiece(p, &patience)
	}
	patience.end()
	a.Sent()
	if u.err == nil {
		l.requestEnds(u)
	}
	return nil
}

// sendPiece sends a piece, for as long as the server does not answer.
func (c *client) sendPiece(p []byte, patience *patience) error {
	u, l := &c.up, c.link
	for len(p) > 0 {
		patience.extend()
		n, err := l.Write(p)
		u.at += int64(n)
		p = p[n:]
		if err != nil && !(patience.looks && errors.Is(err, os.ErrDeadlineExceeded)) {
			return err
		}
		if patience.looks && u.at < u.size && l.gone() {
			return errAnswered
		}
	}
	return nil
}

// patience has a write end from time to time, so that an answer is seen that comes while the server reads no more. TLS
// cannot go on behind a write that has ended so, nor tell an answer from a ticket: there an answer is seen when a write
// fails, as the server closes the connection.
type patience struct {
	link  *link
	looks bool
	until time.Time
}

const (
	patienceLasts = 200 * time.Millisecond
	patienceLeast = 100 * time.Millisecond
)

func (l *link) patience() patience { return patience{link: l, looks: !l.secure} }

func (p *patience) extend() {
	if !p.looks {
		return
	}
	if now := time.Now(); p.until.Sub(now) < patienceLeast {
		p.until = now.Add(patienceLasts)
		_ = p.link.SetWriteDeadline(p.until)
	}
}

func (p *patience) end() {
	if p.looks && !p.until.IsZero() {
		_ = p.link.SetWriteDeadline(time.Time{})
	}
}

// interim is told of each answer before the final one: what of a body has waited for it is sent then.
func (c *client) interim(status int) error {
	l, u := c.link, &c.up
	l.interim(status)
	// Where more has come with it, that is the final answer, or tells of it.
	if len(l.http.Leftover()) == 0 && u.at < u.size && (u.err == nil || u.err == errAnswered) {
		if why := c.sendRest(l.attempt); why != nil {
			return why
		}
	}
	return nil
}

// begins has the body of a request measured, if it is long enough.
func (c *client) begins(a *op.Attempt) {
	if l := c.link; l.rates != nil && c.up.size >= c.of.rates.Least {
		l.measured = l.rates.Begin(context.Background(), c.label(a.Began(), c.up.size))
	}
}

func (c *client) label(began time.Time, size int64) throughput.Request {
	scheme := "http"
	if c.of.secure {
		scheme = "https"
	}
	return throughput.Request{Started: began, Method: c.request.step.Method, Scheme: scheme, Host: c.request.step.Name,
		Reused: c.served > 0, ContentLength: size}
}

func (l *link) bodyBegins() {
	if l.measured {
		l.rates.BodyBegins()
	}
}

// requestEnds tells of the end of a body, once: from then on is looked when the network has it.
func (l *link) requestEnds(u *upload) {
	if l.measured && u.begun && !u.told {
		u.told = true
		l.rates.RequestEnds(u.at, u.err)
	}
}

func (l *link) interim(status int) {
	if l.measured {
		l.rates.Interim(status)
	}
}

// fails ends what is measured of a request that has no answer.
func (l *link) fails(why error) {
	if l.measured {
		l.rates.Fail(why)
		l.measured = false
	}
}

// answerBegins has an answer measured whose head was read, if its body is long enough; from when it is, if its length
// is not known.
func (c *client) answerBegins(a *op.Attempt, h *http1.Head) {
	l := c.link
	if l.rates == nil {
		return
	}
	l.requestEnds(&c.up)
	length := h.Length
	if c.request.step.Method == "HEAD" || h.Status == 204 || h.Status == 304 {
		length = 0
	}
	late := !l.measured
	switch {
	case late && length >= c.of.rates.Least:
		l.measured = l.rates.Begin(context.Background(), c.label(a.Began(), 0))
	case late && length < 0:
		c.growing = growing{client: c, attempt: a, status: h.Status, from: l.http}
	}
	if l.measured {
		answer := throughput.Answer{Proto: "HTTP/1.1", Status: h.Status, Length: length, Read: l.had(length)}
		if late {
			answer.Began = a.FirstCame()
		}
		l.rates.AnswerBegins(answer)
	}
}

// had is what of a body was read with the head.
func (l *link) had(length int64) int64 {
	n := int64(len(l.http.Leftover()))
	if length >= 0 {
		n = min(n, length)
	}
	return n
}

// answerEnds ends what is measured.
func (l *link) answerEnds(body int64, err error) {
	if l.measured {
		l.rates.AnswerEnds(body, err)
		l.measured = false
	}
}

// growing is a body whose length nobody knows. It is measured from when it has become long.
type growing struct {
	client  *client
	attempt *op.Attempt
	status  int
	from    *http1.Conn
	n       int64
}

func (g *growing) Read(p []byte) (int, error) {
	n, err := g.from.Read(p)
	g.n += int64(n)
	if c := g.client; c != nil && g.n >= c.of.rates.Least && err == nil {
		g.client = nil
		if l := c.link; l.rates.Begin(context.Background(), c.label(g.attempt.Began(), 0)) {
			l.measured = true
			l.rates.AnswerBegins(throughput.Answer{Began: g.attempt.FirstCame(), Proto: "HTTP/1.1", Status: g.status,
				Length: -1, Read: g.n})
		}
	}
	return n, err
}
