package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/store"
)

// redirected is the cause of redirects that are not followed.
const redirected = "redirected"

// statusError is an answer that is no success.
type statusError struct {
	code  int
	after time.Duration // what the server asks to wait
}

// Error is the status in the words of the standard: those of the server are not shown, for
// they may repeat what it was sent.
func (e *statusError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("the server responded with %d %s", e.code, http.StatusText(e.code)))
}

// show is the URL of a path, without secrets.
func (s *webStore) show(path string) string { u := s.at(path); return u.String() }

// at is the URL of an escaped path, without user and query.
func (s *webStore) at(path string) url.URL {
	u := url.URL{Scheme: s.base.Scheme, Host: s.base.Host, Path: path}
	if decoded, err := url.PathUnescape(path); err == nil {
		u.Path, u.RawPath = decoded, path
	}
	return u
}

// bare is a URL without user, query and fragment.
func bare(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// refused explains a status.
func (s *webStore) refused(r request, resp *http.Response) *store.Error {
	status := &statusError{resp.StatusCode, pauseOf(resp)}
	fail := func(cause string) *store.Error {
		return store.Fail(cause, "%s %s: %w", r.method, s.show(r.path), status)
	}
	writes := r.method == http.MethodPut
	switch code := resp.StatusCode; {
	case code >= 300 && code <= 399:
		return s.notFollowed(r, resp, status)
	case code == http.StatusUnauthorized && s.login.source == "":
		return fail(store.NoCredentials).WithHint("put user:password@ before the host, or set PLIMSOLL_BEARER_TOKEN")
	case code == http.StatusUnauthorized:
		return fail(store.AccessDenied).WithHint("the server rejected %s", s.login.source)
	case code == http.StatusForbidden:
		return fail(store.AccessDenied).
			WithHint("the server does not allow this; use another path or other credentials")
	case code == http.StatusProxyAuthRequired:
		return fail(store.AccessDenied).WithHint("put the proxy's user and password in HTTP_PROXY or HTTPS_PROXY")
	case writes && (code == http.StatusNotFound || code == http.StatusConflict):
		return fail(store.NoBucket).
			WithHint("create the directory on the server first; with WebDAV: curl -X MKCOL URL")
	case code == http.StatusGone:
		return fail(store.NoFile)
	case code == http.StatusConflict:
		return fail(store.NoBucket).WithHint("create the directory on the server first")
	case code == http.StatusMethodNotAllowed, code == http.StatusNotImplemented:
		return fail(store.Unsupported).
			WithHint("the server does not allow %s here; enable it, or use another path or server", r.method)
	case code == http.StatusLengthRequired:
		return fail("length-required").
			WithHint("a proxy removes the Content-Length header; try without the proxy")
	case code == http.StatusRequestEntityTooLarge:
		return fail(store.TooLarge).
			WithHint("use a smaller size, or raise the server's limit (nginx: client_max_body_size)")
	case code == http.StatusRequestedRangeNotSatisfiable:
		return fail(store.Truncated).WithHint("the file on the server has become shorter")
	case code == http.StatusLocked:
		return fail("locked").WithHint("another client has locked the file; wait until the lock is released")
	case code == http.StatusTooManyRequests, code == http.StatusServiceUnavailable:
		return fail(store.SlowDown).WithHint("use fewer --streams, or raise --max-retries")
	case code == http.StatusRequestTimeout, code == http.StatusGatewayTimeout:
		return fail(store.Timeout).
			WithHint("the time limit of the server or a proxy is too short for this request; raise it")
	case code == http.StatusInsufficientStorage:
		return fail(store.DiskFull).WithHint("free disk space on the server, or use a smaller size")
	}
	if why := cause.OfStatus(resp.StatusCode); why != "" {
		return fail(why)
	}
	return fail(cause.Status(resp.StatusCode)).WithHint("see the server's log")
}

// notFollowed explains a redirect that was not followed.
func (s *webStore) notFollowed(r request, resp *http.Response, status *statusError) *store.Error {
	to, err := resp.Location()
	if err != nil {
		return store.Fail(redirected, "%s %s: %w", r.method, s.show(r.path), status).
			WithHint("the redirect has no valid target; use the final URL")
	}
	return store.Fail(redirected, "%s %s: %w, to %s", r.method, s.show(r.path), status, bare(to)).
		WithHint("if you trust that server, use its URL")
}

// broken explains a request that got no answer. The errors of net/http repeat the URL, which
// may hold secrets: only what is below them is kept.
func (s *webStore) broken(ctx context.Context, r request, err error) error {
	if over := ctx.Err(); over != nil {
		return over
	}
	var known *store.Error
	if errors.As(err, &known) {
		return known
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	where := r.method + " " + s.show(r.path)
	const tooLarge = "the file may be too large for the server; see its log"
	text := err.Error()
	switch {
	case strings.Contains(text, "Location header"):
		return store.Fail(redirected, "%s: the server redirects to an invalid URL", where).
			WithHint("use the final URL")
	case strings.Contains(text, "malformed"), strings.Contains(text, "server sent HTTP/2"),
		strings.Contains(text, "response headers exceeded"):
		return store.Fail(store.Protocol, "%s: the response is not HTTP", where).
			WithHint("check that the port is that of an HTTP server; %s", tlsHint(s.base.Scheme))
	}
	why := store.CauseOf(err)
	var record tls.RecordHeaderError
	switch found := cause.Of(err); {
	case found == cause.Scheme, errors.As(err, &record):
		return store.Fail(why, "%s: the server does not speak TLS", where).WithHint("use http: instead of https:")
	case found == cause.TLS && store.TrustHint(err) != "":
		return store.Fail(why, "%s: %w", where, err).WithHint("%s", store.TrustHint(err))
	case found == cause.TLS:
		return store.Fail(why, "%s: %w", where, err).
			WithHint("check which TLS versions the server supports on that port")
	case found == cause.Ended, found == cause.Closed:
		return store.Fail(why, "%s: the server closed the connection without a response", where).WithHint(tooLarge)
	case why == store.Reset:
		return store.Fail(why, "%s: the connection was lost: %w", where, err).WithHint(tooLarge)
	case why == store.Refused:
		return store.Fail(why, "%s: %w", where, err).WithHint("nothing listens there; check the host and the port")
	case why == store.Unresolvable:
		return store.Fail(why, "%s: %w", where, err).WithHint("check the host name")
	case why == store.Timeout:
		return store.Fail(why, "%s: %w", where, err).WithHint("%s", store.LimitHint(err))
	}
	return store.Fail(why, "%s: %w", where, err)
}

func tlsHint(scheme string) string {
	if scheme == "http" {
		return "use https: if it expects TLS"
	}
	return "use http: if it does not expect TLS"
}
