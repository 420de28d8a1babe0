package store

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/plimsoll/plimsoll/internal/bounded"
	"github.com/plimsoll/plimsoll/internal/store/flow"
	"github.com/plimsoll/plimsoll/throughput"
)

// NewClient makes the HTTP client of a store: it keeps a connection for each request that may
// be in flight, leaves bodies as they are, sends a Part without copying it, has its attempts
// observed, and ends each that takes longer than the configured timeout. The transport below
// it is given to each of tune before its first use. Its caller ends it with
// CloseIdleConnections.
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
	base.DialContext = wrapDial(base.DialContext, c.Flow)
	return &http.Client{Transport: limiter{partSender{&throughput.Transport{Base: base}}, c.Timeout, c.Flow}}
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

// limiter ends attempts that take too long. It does what http.Client.Timeout does, and can be
// patient.
type limiter struct {
	next    http.RoundTripper
	timeout time.Duration // 0 for none
	flow    *flow.Counter
}

// RoundTrip sends the request.
func (l limiter) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme == "https" {
		l.flow.Encrypted()
	}
	if l.timeout <= 0 {
		return bounded.Answered(l.next.RoundTrip(req))
	}
	late := &timeoutError{l.timeout}
	ctx, cancel := context.WithCancelCause(req.Context())
	b := &limitedBody{ctx: ctx, cancel: cancel, timer: time.AfterFunc(l.timeout, func() { cancel(late) })}
	if patient, _ := req.Context().Value(patienceKey{}).(bool); patient {
		b.pause = l.timeout
	}
	resp, err := bounded.Answered(l.next.RoundTrip(req.WithContext(ctx)))
	if err != nil {
		b.timer.Stop()
		err = b.explain(err)
		cancel(nil)
		return nil, err
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
	ctx    context.Context // stored context: of the attempt; a Reader has none
	cancel context.CancelCauseFunc
	timer  *time.Timer
	pause  time.Duration // that each read may take; 0 when the attempt's time goes on
}

// Read reads from the body.
func (b *limitedBody) Read(p []byte) (int, error) {
	if b.pause > 0 {
		b.timer.Reset(b.pause)
	}
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == io.EOF:
		b.timer.Stop()
	case err != nil:
		err = b.explain(err)
	case b.pause > 0:
		b.timer.Stop() // the reader's own pauses are its own
	}
	return n, err
}

// Close closes the body.
func (b *limitedBody) Close() error {
	b.timer.Stop()
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}

// explain gives the timeout for the error that it caused.
func (b *limitedBody) explain(err error) error {
	if late, ok := context.Cause(b.ctx).(*timeoutError); ok {
		return late
	}
	return err
}

// timeoutError is a net.Error.
type timeoutError struct{ after time.Duration }

func (e *timeoutError) Error() string   { return "no answer within " + e.after.String() }
func (e *timeoutError) Timeout() bool   { return true }
func (e *timeoutError) Temporary() bool { return true }
