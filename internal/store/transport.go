package store

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"time"

	"github.com/plimsoll/plimsoll/internal/bounded"
	"github.com/plimsoll/plimsoll/internal/store/flow"
	"github.com/plimsoll/plimsoll/throughput"
)

// NewClient makes the HTTP client of a store: it keeps a connection for each request that may
// be in flight, leaves bodies as they are, sends a Part without copying it, has its attempts
// observed, and ends each that takes longer than the configured timeout, or whose connection is
// silent for longer than the configured silence. The transport below it is given to each of
// tune before its first use. Its caller ends it with CloseIdleConnections.
func NewClient(c *Config, tune ...func(*http.Transport)) *http.Client {
	base := bounded.NewTransport()
	base.ExpectContinueTimeout = time.Second
	base.MaxIdleConnsPerHost = 1 << 16
	base.IdleConnTimeout = 90 * time.Second
	base.ReadBufferSize, base.WriteBufferSize = bufferSize, bufferSize
	base.TLSClientConfig = c.TLS.Clone()
	for _, t := range tune {
		t(base)
	}
	counter := c.Flow
	if counter == nil {
		counter = &flow.Counter{} // silence is what it does not count
	}
	base.DialContext = wrapDial(base.DialContext, counter)
	return &http.Client{Transport: limiter{
		partSender{&throughput.Transport{Base: base}}, c.Timeout, c.Silence, counter,
	}}
}

const bufferSize = 64 << 10

func closeIdle(t http.RoundTripper) {
	if c, ok := t.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

type patienceKey struct{}

// WithPatience returns a context whose request may take longer than the timeout, as long as
// its answer begins within that, and none of its pauses is longer: for bodies of any length.
func WithPatience(ctx context.Context) context.Context {
	return context.WithValue(ctx, patienceKey{}, true)
}

// limiter ends attempts that take too long, or whose connection is silent for too long. It does what
// http.Client.Timeout does, and can be patient.
type limiter struct {
	next    http.RoundTripper
	timeout time.Duration // 0 for none
	silence time.Duration // 0 for any
	flow    *flow.Counter
}

// RoundTrip sends the request.
func (l limiter) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme == "https" {
		l.flow.Encrypted()
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	b := &limitedBody{ctx: ctx, cancel: cancel}
	if l.timeout > 0 {
		b.timer = time.AfterFunc(l.timeout, func() {
			cancel(&limitError{"no response within " + l.timeout.String(), "--timeout"})
		})
		if patient, _ := req.Context().Value(patienceKey{}).(bool); patient {
			b.pause = l.timeout
		}
	}
	if l.silence > 0 {
		b.silence = NewSilence(l.silence, func() { cancel(Silent(l.silence)) })
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			GotConn: func(info httptrace.GotConnInfo) { b.silence.Connected(info.Conn) },
		})
		if t, ok := ctx.Value(turnsKey{}).(*Turns); ok {
			t.attach(b.silence)
		}
	}
	resp, err := bounded.Answered(l.next.RoundTrip(req.WithContext(ctx)))
	if err != nil {
		err = b.explain(err)
		b.end()
		return nil, err
	}
	b.silence.Ours() // until somebody reads
	if l.silence > 0 && req.Method == http.MethodPut && req.ContentLength != 0 {
		// The status of an upload says it all. Requests without a body may be kept busy for as long as the work takes.
		b.rest = time.AfterFunc(l.silence, func() {
			cancel(&limitError{"the response did not complete within " + l.silence.String() + " of its status line",
				"--max-silence"})
		})
	}
	b.ReadCloser = resp.Body
	resp.Body = b
	return resp, nil
}

// CloseIdleConnections closes those of the transport below.
func (l limiter) CloseIdleConnections() { closeIdle(l.next) }

// limitedBody ends the time of its attempt.
type limitedBody struct {
	io.ReadCloser
	ctx     context.Context // stored context: of the attempt; a Reader has none
	cancel  context.CancelCauseFunc
	timer   *time.Timer   // nil for none
	silence *Silence      // nil for none
	rest    *time.Timer   // of an answer that says nothing behind its status; nil for none
	pause   time.Duration // that each read may take; 0 when the attempt's time goes on
}

// Read reads from the body.
func (b *limitedBody) Read(p []byte) (int, error) {
	if b.pause > 0 {
		b.timer.Reset(b.pause)
	}
	b.silence.Theirs()
	n, err := b.ReadCloser.Read(p)
	b.silence.Ours() // the reader's own pauses are its own
	switch {
	case err == io.EOF:
		b.stop()
	case err != nil:
		err = b.explain(err)
	case b.pause > 0:
		b.timer.Stop()
	}
	return n, err
}

// Close closes the body.
func (b *limitedBody) Close() error {
	b.stop()
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}

// stop ends the limits.
func (b *limitedBody) stop() {
	if b.timer != nil {
		b.timer.Stop()
	}
	if b.rest != nil {
		b.rest.Stop()
	}
	b.silence.Stop()
}

// end ends an attempt without an answer.
func (b *limitedBody) end() {
	b.stop()
	b.cancel(nil)
}

// explain gives the limit for the error that it caused.
func (b *limitedBody) explain(err error) error {
	if late := limitOf(context.Cause(b.ctx)); late != nil {
		return late
	}
	return err
}

// Bounds of what is read of the rest of an answer, so that its connection can be used again.
const (
	restBytes = 64 << 10
	restTime  = 500 * time.Millisecond
)

// Discard ends an answer whose rest is of no interest.
func Discard(resp *http.Response) {
	if b, ok := resp.Body.(*limitedBody); ok {
		defer time.AfterFunc(restTime, func() { b.cancel(nil) }).Stop()
	}
	_, _ = io.CopyN(io.Discard, resp.Body, restBytes)
	_ = resp.Body.Close()
}

// limitError is a net.Error: a limit of ours that a flag moves.
type limitError struct{ text, flag string }

func (e *limitError) Error() string   { return e.text }
func (e *limitError) Timeout() bool   { return true }
func (e *limitError) Temporary() bool { return true }

// limitOf is the limit in the chain of an error, or nil.
func limitOf(err error) *limitError {
	var late *limitError
	if errors.As(err, &late) {
		return late
	}
	return nil
}
