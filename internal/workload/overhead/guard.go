package overhead

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// guarded keeps the answers that the SDK reads into memory from filling it, and knows a web
// page.
type guarded struct{ *http.Client }

// answerLimit is what no answer of the operations exceeds.
const answerLimit = 1 << 20

// Do sends a request.
func (g guarded) Do(req *http.Request) (*http.Response, error) {
	plainBody(req)
	resp, err := g.Client.Do(req)
	if err == nil {
		err = guard(resp)
	}
	if err != nil {
		return nil, err
	}
	return resp, nil
}

// plainBody hides that the body of a request can write itself. The SDK closes the body as soon as
// it has an answer, and one that is closed gives io.EOF as an error of WriteTo (smithy-go,
// transport/http/internal/io/safe.go). net/http may only then come to look whether the body has
// more than it should; for an error there it closes the connection, out of which the answer is
// still being read. A Read of the closed body gives the io.EOF that is its end.
func plainBody(req *http.Request) {
	if _, itself := req.Body.(io.WriterTo); itself {
		req.Body = &readBody{req.Body}
	}
}

type readBody struct{ io.ReadCloser }

func guard(resp *http.Response) error {
	if resp.StatusCode == http.StatusBadRequest && wantsTLS(resp) {
		_ = resp.Body.Close() // nobody reads it
		return errWantsTLS
	}
	if kind := resp.Header["Content-Type"]; len(kind) > 0 && resp.ContentLength != 0 &&
		strings.HasPrefix(kind[0], "text/html") && webPage(resp) {
		_ = resp.Body.Close() // nobody reads it
		return &htmlError{fmt.Sprintf("status %d", resp.StatusCode)}
	}
	if resp.ContentLength < 0 || resp.ContentLength > answerLimit {
		resp.Body = http.MaxBytesReader(nil, resp.Body, answerLimit)
	}
	return nil
}

// wantsTLS knows what servers say to a request that should have come over TLS: those of Go, our
// responder among them, and nginx.
func wantsTLS(resp *http.Response) bool {
	text := beginning(resp)
	return strings.Contains(text, "http request to an https server") ||
		strings.Contains(text, "http request was sent to https port")
}

// webPage looks at the beginning of a body: some servers call every answer text/html, whatever
// it is.
func webPage(resp *http.Response) bool {
	text := beginning(resp)
	return strings.HasPrefix(text, "<!doctype html") || strings.HasPrefix(text, "<html")
}

// beginning is the beginning of a body in lower case. The body can still be read as a whole.
func beginning(resp *http.Response) string {
	if resp.Body == nil || resp.Body == http.NoBody {
		return ""
	}
	first := make([]byte, 512)
	n, _ := io.ReadFull(resp.Body, first) // an error comes again with the rest
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(first[:n]), resp.Body), resp.Body}
	return strings.ToLower(string(bytes.TrimSpace(first[:n])))
}

// callContext is the context of calls that follow each other, so that no call pays for one of its
// own. It lasts until one of them fails or takes too long.
type callContext struct {
	ctx     context.Context // stored context: the calls share it
	cancel  context.CancelCauseFunc
	timeout time.Duration
	stamps  *stamps
	spent   bool

	// One timer goes on through many calls: to set and to stop it for each would cost them more.
	epoch time.Time
	timer *time.Timer
	due   atomic.Int64 // when the call that goes on is to end, since epoch; or one of the below
}

const (
	idle    = 0  // no call goes on
	overdue = -1 // the call that went on took too long
)

// newCallContext makes one whose calls may take that long. w, if not nil, observes its requests.
func newCallContext(hard context.Context, timeout time.Duration, epoch time.Time, w *wire) *callContext {
	s := &callContext{timeout: timeout, epoch: epoch}
	if w != nil {
		s.stamps = w.renew()
		hard = w.observe(hard, s.stamps)
	}
	s.ctx, s.cancel = context.WithCancelCause(hard)
	s.timer = time.AfterFunc(timeout, s.checkTime)
	return s
}

// beginCall begins a call, at that time since epoch.
func (s *callContext) beginCall(now time.Duration) { s.due.Store(int64(now + s.timeout)) }

// endCall ends a call. It is false when the call took too long.
func (s *callContext) endCall() bool { return s.due.Swap(idle) != overdue }

// checkTime is the timer's function. It ends a call that has taken too long, and looks again when the
// call that goes on would have, or one that began now.
func (s *callContext) checkTime() {
	due := s.due.Load()
	rest := s.timeout
	if due > 0 {
		rest = time.Duration(due) - time.Since(s.epoch)
	}
	if rest <= 0 {
		if s.due.CompareAndSwap(due, overdue) {
			s.cancel(errTimeout)
			return
		}
		rest = s.timeout // it ended just now
	}
	s.timer.Reset(rest)
	if s.ctx.Err() != nil {
		s.timer.Stop() // close was faster
	}
}

func (s *callContext) close() {
	s.cancel(nil)
	s.timer.Stop()
}
