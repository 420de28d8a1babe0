package s3

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
	"github.com/plimsoll/plimsoll/internal/server/s3/sigv4"
)

// request is one request and its answer. It belongs to the request's goroutine.
type request struct {
	s      *Server
	w      http.ResponseWriter
	r      *http.Request
	ctx    context.Context // stored context: the request's own, as http.Request stores it
	number uint64
	name   string // of the operation
	query  sigv4.Query
	bucket string
	key    string

	signed sigv4.Signed

	wholeChecksums []givenChecksum // of an object to be completed
	holdsDocument  bool            // one of the server's few

	in       *inbound // nil until the body is wanted
	decision decision
	received time.Time // when the request was there in full
	status   int       // 0 until the answer has begun
	gone     bool      // the connection was cut
}

// param is a parameter of the query, or "".
func (x *request) param(name string) string { return x.query.Get(name) }

// resource is what the request is about, for errors.
func (x *request) resource() string {
	if x.bucket == "" {
		return "/"
	}
	if x.key == "" {
		return "/" + x.bucket
	}
	return "/" + x.bucket + "/" + x.key
}

func (x *request) requestID() string {
	id := strconv.FormatUint(x.number, 16)
	return "0000000000000000"[:16-len(id)] + id
}

// errGone says that there is nobody left to answer.
var errGone = errors.New("the connection is closed")

// writeHead sends the status and the headers, when it is time for them.
func (x *request) writeHead(status int) error {
	if x.gone {
		return errGone
	}
	x.endDocument()
	if x.s.cfg.Latency > 0 {
		if err := x.s.sleepUntil(x.ctx, x.received.Add(x.s.cfg.Latency)); err != nil {
			return errGone
		}
	}
	if x.decision.reset && (x.name != "GetObject" || status >= http.StatusMultipleChoices) {
		x.cut(faultReset)
		return errGone
	}
	h := x.w.Header()
	h.Set("X-Amz-Request-Id", x.requestID())
	h.Set("Server", "Plimsoll")
	if x.s.cfg.ClockSkew != 0 {
		h.Set("Date", x.s.now().UTC().Format(http.TimeFormat))
	}
	x.status = status
	x.w.WriteHeader(status)
	return nil
}

// endDocument lets another request read its document.
func (x *request) endDocument() {
	if x.holdsDocument {
		x.holdsDocument = false
		<-x.s.documents
	}
}

// answer sends an answer without a body.
func (x *request) answer(status int) error {
	if status != http.StatusNoContent && status != http.StatusNotModified && x.r.Method != http.MethodHead {
		x.w.Header().Set("Content-Length", "0")
	}
	return x.writeHead(status)
}

// answerXML sends a document.
func (x *request) answerXML(v any) error { return x.answerText(http.StatusOK, encode(v)) }

// encode is v as an XML document. The types are ours, so it cannot fail.
func encode(v any) []byte {
	text, err := xml.Marshal(v)
	if err != nil {
		panic(err)
	}
	return append([]byte(xml.Header), text...)
}

func (x *request) answerText(status int, text []byte) error {
	h := x.w.Header()
	h.Set("Content-Type", "application/xml")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	if err := x.writeHead(status); err != nil {
		return err
	}
	x.s.metrics.sent.Add(float64(len(text)))
	_, _ = x.w.Write(text) // a failure is the client's, who has left
	return nil
}

// fail answers with an error, or cuts the connection if an answer has begun.
func (x *request) fail(err error) {
	if x.gone || errors.Is(err, errGone) {
		return
	}
	if x.status != 0 {
		x.close()
		return
	}
	e := refusal.Of(err)
	if e.Code == "InsufficientStorage" && e.Has("Limit", "full") {
		x.s.metrics.faults[faultFull].Inc()
	}
	// A known error is the client's doing, or was asked for on the command line.
	if known := (*refusal.Error)(nil); !errors.As(err, &known) && e.Code == "InternalError" {
		x.s.log.Error("request failed", "operation", x.name, "error", e.Message)
	}
	x.skipBody()
	h := x.w.Header()
	for name := range h {
		h.Del(name)
	}
	if e.Status == http.StatusNotModified || x.r.Method == http.MethodHead {
		_ = x.answer(e.Status)
		return
	}
	_ = x.answerText(e.Status, encode(e.Document(x.resource(), x.requestID())))
}

// maxSkipped is how much of a body is read for the sake of a client that sends it all before
// it looks at the answer.
const maxSkipped = 64 << 20

// skipBody reads what is left of the body. A client that asks before it sends gets its
// answer instead.
func (x *request) skipBody() {
	if x.r.ContentLength == 0 || x.r.ContentLength > maxSkipped || x.r.Header.Get("Expect") != "" {
		return
	}
	if x.in != nil && x.in.err != nil {
		return
	}
	_, _ = io.CopyBuffer(io.Discard, struct{ io.Reader }{io.LimitReader(x.body(), maxSkipped)}, make([]byte, 64<<10))
}

// cut resets the connection, as a fault.
func (x *request) cut(kind int) {
	x.s.metrics.faults[kind].Inc()
	x.close()
}

// close resets the connection.
func (x *request) close() {
	x.gone = true
	x.s.web.Reset(x.w)
}

// inbound is the body of a request as it comes in: counted, bounded in time, and subject to
// the faults of bodies.
type inbound struct {
	x        *request
	got      int64
	stallAt  int64 // 0: never
	resetAt  int64
	deadline time.Time
	paced    bool // the pacer counts it
	err      error
}

// body is the request's body.
func (x *request) body() io.Reader {
	if x.in == nil {
		x.in = &inbound{x: x}
		if x.s.inbound != nil && x.r.ContentLength != 0 {
			x.s.inbound.enter()
			x.in.paced = true
		}
		half := max(x.r.ContentLength/2, 1)
		if x.decision.reset && x.r.ContentLength != 0 {
			x.in.resetAt = half
		}
		if x.s.stalls(x) && x.r.ContentLength != 0 {
			x.in.stallAt = half
		}
	}
	return x.in
}

func (b *inbound) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	s := b.x.s
	if s.inbound != nil {
		p = p[:min(len(p), s.inbound.quantum)]
	}
	for _, at := range [...]int64{b.stallAt, b.resetAt} {
		if at > b.got {
			p = p[:min(int64(len(p)), at-b.got)]
		}
	}
	b.extend()
	n, err := b.x.r.Body.Read(p)
	b.got += int64(n)
	s.metrics.received.Add(float64(n))
	if s.inbound != nil {
		if bad := s.inbound.take(b.x.ctx, n); bad != nil {
			err = errGone
		}
	}
	if bad := b.suffer(n); bad != nil {
		err = bad
	}
	if err != nil {
		b.err = err
		b.x.endBody()
		if err == io.EOF {
			b.x.received = time.Now()
			_ = http.NewResponseController(b.x.w).SetReadDeadline(time.Time{})
		}
	}
	return n, err
}

// suffer stalls or resets when the point for it has just been reached.
func (b *inbound) suffer(n int) error {
	passed := func(at int64) bool { return b.got-int64(n) < at && at <= b.got } // 0 never
	s := b.x.s
	if passed(b.stallAt) {
		s.metrics.faults[faultStall].Inc()
		if err := s.sleepUntil(b.x.ctx, time.Now().Add(s.cfg.StallFor)); err != nil {
			return errGone
		}
		b.deadline = time.Time{}
	}
	if passed(b.resetAt) {
		b.x.cut(faultReset)
		return errGone
	}
	return nil
}

// endBody says that nothing more is read of the body.
func (x *request) endBody() {
	if x.in != nil && x.in.paced {
		x.in.paced = false
		x.s.inbound.leave()
	}
}

// extend gives the client the idle time anew, at most once a second.
func (b *inbound) extend() {
	if now := time.Now(); now.After(b.deadline) {
		b.deadline = now.Add(time.Second)
		_ = http.NewResponseController(b.x.w).SetReadDeadline(now.Add(b.x.s.cfg.IdleTimeout + time.Second))
	}
}
