package gs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/storage"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/bounded"
	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/store"
)

// call is one call of the library, which may take several requests and attempts. It is what
// tells them apart, and what ends retries: the library itself would go on for ever.
type call struct {
	name     string // of its requests, but for those of uploads, which are of several kinds
	requests *store.Requests
	limit    int         // of retries
	wanted   func() bool // whether a retry is; nil for always
	pauses   backoff.Between

	mu      sync.Mutex
	last    string // the name of the last request
	retries int    // since the last success
	retried bool   // ever
	broken  error  // how the body of the last answer ended, when it ended early
	lost    error  // the same, from when the rest is asked for until it comes
	read    int64  // bytes of bodies
	tries   store.Tries
	reached bool   // the last request got past the credentials
	session string // of a resumable upload, to give it up; secret
}

type callKey struct{}

// call begins a call, and gives the context for it and the options that bound its retries.
func (s *gs) call(ctx context.Context, name string) (context.Context, *call, storage.RetryOption) {
	c := &call{
		name: name, last: name, requests: s.config.Requests, limit: s.retries, tries: store.Tries{Most: s.retries},
		pauses: s.pauses,
	}
	return context.WithValue(ctx, callKey{}, c), c, storage.WithErrorFunc(c.again)
}

// again decides about a retry after an attempt failed; a nil error is a success.
func (c *call) again(err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.retries = 0
		return false
	}
	if !storage.ShouldRetry(err) || c.retries >= c.limit || c.wanted != nil && !c.wanted() {
		return false
	}
	c.retries++
	c.retried = true
	c.requests.Retry(c.last, causeOf(err))
	return true
}

// The first and the longest pause between attempts: the defaults of the client library. The same pauses precede a
// request that continues a response that ended early.
const (
	firstPause   = time.Second
	longestPause = 30 * time.Second
)

// resume waits before a request that goes on where the body of the one before ended early, and counts it; lost is why
// that ended, also of those that ask once more since the first one brought nothing. The library asks nobody about the
// first, and again about these.
func (c *call) resume(ctx context.Context) (lost, err error) {
	c.mu.Lock()
	first := c.broken != nil
	n, ok := 0, true
	if first {
		c.lost, c.broken = c.broken, nil
		if n, ok = c.tries.Next(c.read); !ok {
			c.retries = c.limit // nor does the library try again
		}
	}
	lost = c.lost
	c.mu.Unlock()
	switch {
	case !first:
		return lost, nil
	case !ok:
		return nil, &store.Error{Cause: causeOf(lost),
			Err: fmt.Errorf("the response ended early %d times: %w", c.limit+1, lost)}
	case n > 0 && !c.pauses.Wait(ctx, n-1): // the first time it is mostly the connection alone
		return nil, ctx.Err()
	}
	c.requests.Retry(c.last, causeOf(lost))
	return lost, nil
}

// resumed makes sure that an answer is the rest that was asked for, and counts that the object was opened again.
func (c *call) resumed(req *http.Request, resp *http.Response, lost error) error {
	span := req.Header.Get("Range")
	from, _, _ := strings.Cut(strings.TrimPrefix(span, "bytes="), "-")
	answered := resp.Header.Get("Content-Range")
	switch {
	case span == "" && resp.StatusCode == http.StatusOK: // not one byte had come
	case resp.StatusCode != http.StatusPartialContent: // the library refuses it, or asks again
		return nil
	case !strings.HasPrefix(answered, "bytes "+from+"-"):
		_ = resp.Body.Close()
		return store.Fail(store.Protocol, "requested the object from byte %.20s on, but the server sent %q", from,
			cause.Line(answered))
	}
	c.mu.Lock()
	c.lost = nil
	c.mu.Unlock()
	c.requests.Reopened(causeOf(lost))
	return nil
}

// labels names the requests, and keeps them and their credentials from going elsewhere.
type labels struct {
	next     http.RoundTripper
	endpoint *url.URL
	requests *store.Requests
}

// RoundTrip sends the request.
func (l *labels) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := l.allow(req.URL); err != nil {
		closeBody(req)
		return nil, err
	}
	ctx := req.Context()
	c, _ := ctx.Value(callKey{}).(*call)
	if c == nil {
		return l.next.RoundTrip(req)
	}
	lost, err := c.resume(ctx)
	if err != nil {
		closeBody(req)
		return nil, err
	}
	name := c.nameRequest(req)
	resp, err := l.next.RoundTrip(req.WithContext(l.requests.Named(ctx, name)))
	if err != nil {
		return nil, c.explain(ctx, err)
	}
	if lost != nil {
		if err := c.resumed(req, resp, lost); err != nil {
			return nil, err
		}
	}
	c.mu.Lock()
	if name == "StartUpload" && resp.StatusCode == http.StatusOK {
		c.session = resp.Header.Get("Location")
	}
	c.mu.Unlock()
	if name == nameGet && resp.StatusCode < 300 {
		resp.Body = &watched{resp.Body, c}
	} else { // the library reads all of it into memory
		bounded.Body(resp, longestAnswer)
	}
	return resp, nil
}

// allow refuses to follow a server to another one.
func (l *labels) allow(u *url.URL) error {
	if u.Scheme == l.endpoint.Scheme &&
		(u.Host == l.endpoint.Host || isGoogle(l.endpoint.Hostname()) && isGoogle(u.Hostname())) {
		return nil
	}
	return store.Fail(store.Protocol, "the server at %s redirects to another server: %s://%s",
		l.endpoint.Host, u.Scheme, u.Host).
		WithHint("if you trust that server, use it as the endpoint")
}

// nameRequest notes and names the request that is about to be sent.
func (c *call) nameRequest(req *http.Request) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last, c.reached = c.name, false
	if c.name == upload {
		switch {
		case c.session != "":
			c.last = "UploadChunk"
		case req.URL.Query().Get("uploadType") == "resumable":
			c.last = "StartUpload"
		}
	}
	return c.last
}

// upload is the name of a request that writes a whole object; of a resumable upload, the
// requests have names of their own.
const upload = "InsertObject"

const (
	// nameGet is the request whose answer may be long.
	nameGet       = "GetObject"
	longestAnswer = 4 << 20
)

// explain finds out whether it was the credentials that failed.
func (c *call) explain(ctx context.Context, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reached || ctx.Err() != nil {
		return err
	}
	return store.Fail(store.NoCredentials, "cannot get an access token: %s", cause.Line(err.Error())).
		WithHint(credentialsHint)
}

// sending is below the credentials, and notes that a request has got them.
type sending struct{ next http.RoundTripper }

// RoundTrip sends the request.
func (s sending) RoundTrip(req *http.Request) (*http.Response, error) {
	if c, _ := req.Context().Value(callKey{}).(*call); c != nil {
		c.mu.Lock()
		c.reached = true
		c.mu.Unlock()
	}
	return s.next.RoundTrip(req)
}

// watched is a body that notes how much of it came, and how it ends.
type watched struct {
	io.ReadCloser
	call *call
}

// Read reads from the body.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	w.call.mu.Lock()
	defer w.call.mu.Unlock()
	w.call.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		w.call.broken = err
	}
	return n, err
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}
