package services

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/plimsoll/plimsoll/internal/bounded"
)

// Guarded keeps the answers that the SDK reads into memory from filling it, and knows a web
// page.
type Guarded struct{ *http.Client }

// answerLimit is what no answer of the operations exceeds.
const answerLimit = 1 << 20

// Do sends a request.
func (g Guarded) Do(req *http.Request) (*http.Response, error) {
	PlainBody(req)
	resp, err := g.Client.Do(req)
	if err == nil {
		err = GuardAnswer(resp)
	}
	if err != nil {
		return nil, err
	}
	return resp, nil
}

// PlainBody hides that the body of a request can write itself. The SDK closes the body as soon as
// it has an answer, and one that is closed gives io.EOF as an error of WriteTo (smithy-go,
// transport/http/internal/io/safe.go). net/http may only then come to look whether the body has
// more than it should; for an error there it closes the connection, out of which the answer is
// still being read. A Read of the closed body gives the io.EOF that is its end.
func PlainBody(req *http.Request) {
	if _, itself := req.Body.(io.WriterTo); itself {
		req.Body = &readBody{req.Body}
	}
}

type readBody struct{ io.ReadCloser }

// GuardAnswer refuses an answer that is none of a service of AWS, and bounds how long one may be.
func GuardAnswer(resp *http.Response) error {
	if _, err := bounded.Answered(resp, nil); err != nil {
		return err
	}
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
		bounded.Body(resp, answerLimit)
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
