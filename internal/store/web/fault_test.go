package web

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/store"
)

// long is a file whose begin is no longer in memory when its end is written.
const long = 20 * block

func TestStatusOfPut(t *testing.T) {
	for status, want := range map[int][2]string{
		401: {store.NoCredentials, "put user:password@ before the host, or set PLIMSOLL_BEARER_TOKEN"},
		403: {store.AccessDenied, "the server does not allow this; use another path or other credentials"},
		404: {store.NoBucket, "create the directory on the server first; with WebDAV: curl -X MKCOL URL"},
		405: {store.Unsupported, "the server does not allow PUT here; enable it, or use another path or server"},
		407: {store.AccessDenied, "put the proxy's user and password in HTTP_PROXY or HTTPS_PROXY"},
		408: {store.Timeout, "the time limit of the server or a proxy is too short for this request; raise it"},
		409: {store.NoBucket, "create the directory on the server first; with WebDAV: curl -X MKCOL URL"},
		411: {"length-required", "a proxy removes the Content-Length header; try without the proxy"},
		413: {store.TooLarge, "use a smaller size, or raise the server's limit (nginx: client_max_body_size)"},
		423: {"locked", "another client has locked the file; wait until the lock is released"},
		429: {store.SlowDown, "use fewer --streams, or raise --max-retries"},
		500: {"status-500", "see the server's log"},
		501: {store.Unsupported, "the server does not allow PUT here; enable it, or use another path or server"},
		503: {store.SlowDown, "use fewer --streams, or raise --max-retries"},
		507: {store.DiskFull, "free disk space on the server, or use a smaller size"},
		599: {"status-599", "see the server's log"},
	} {
		_, base := serve(t, answer(http.MethodPut, status))
		s := openURL(t, base)
		message := strings.TrimSpace(fmt.Sprintf("PUT BASE/x: the server responded with %d %s",
			status, http.StatusText(status)))
		for _, size := range []int64{10, 2 * block} {
			mustFail(t, base, put(t.Context(), s, "/x", size), want[0], message, want[1])
		}
	}
}

func TestStatusOfOtherMethods(t *testing.T) {
	_, base := serve(t, func(w http.ResponseWriter, r *http.Request) bool {
		var code int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &code)
		w.WriteHeader(code)
		return true
	})
	s := openURL(t, base)
	openPath := func(path string) error { _, err := s.Open(t.Context(), path); return err }
	remove := func(path string) error { return s.Delete(t.Context(), path) }
	move := func(path string) error { return s.Rename(t.Context(), path, "/to") }
	for _, c := range []struct {
		do                         func(string) error
		path, cause, message, hint string
	}{
		{openPath, "/404", store.NoFile, "HEAD BASE/404: the server responded with 404 Not Found", ""},
		{openPath, "/410", store.NoFile, "HEAD BASE/410: the server responded with 410 Gone", ""},
		{openPath, "/403", store.AccessDenied, "HEAD BASE/403: the server responded with 403 Forbidden",
			"the server does not allow this; use another path or other credentials"},
		{openPath, "/405", store.Unsupported, "GET BASE/405: the server responded with 405 Method Not Allowed",
			"the server does not allow GET here; enable it, or use another path or server"},
		{openPath, "/302", "redirected", "HEAD BASE/302: the server responded with 302 Found",
			"the redirect has no valid target; use the final URL"},
		{remove, "/405", store.Unsupported, "DELETE BASE/405: the server does not support deleting, so the file remains",
			"delete it on the server"},
		{remove, "/501", store.Unsupported, "DELETE BASE/501: the server does not support deleting, so the file remains",
			"delete it on the server"},
		{remove, "/403", store.AccessDenied, "DELETE BASE/403: the server responded with 403 Forbidden",
			"the server does not allow this; use another path or other credentials"},
		{move, "/405", store.Unsupported, "MOVE BASE/405: the server responded with 405 Method Not Allowed",
			"the server does not support renaming (WebDAV MOVE); remove --rename"},
		{move, "/400", store.Unsupported, "MOVE BASE/400: the server responded with 400 Bad Request",
			"the server does not support renaming (WebDAV MOVE); remove --rename"},
		{move, "/409", store.NoBucket, "MOVE BASE/409: the server responded with 409 Conflict",
			"create the directory on the server first"},
		{move, "/207", store.Other, "MOVE BASE/207: the server could not move everything", "see the server's log"},
	} {
		mustFail(t, base, c.do(c.path), c.cause, c.message, c.hint)
	}
	for _, path := range []string{"/404", "/410", "/204"} {
		if err := remove(path); err != nil {
			t.Errorf("deleting %s: %v", path, err)
		}
	}
	mustFail(t, base, s.Check(t.Context(), "/dir/", 1), store.Other,
		"BASE/dir/: the URL of a file must not end with a slash", "add a file name to the URL")
}

// fails makes a method fail some times with a status.
func fails(method string, status int, times int32) func(http.ResponseWriter, *http.Request) bool {
	var n atomic.Int32
	return func(w http.ResponseWriter, r *http.Request) bool {
		return r.Method == method && n.Add(1) <= times && answer(method, status)(w, r)
	}
}

func TestRetries(t *testing.T) {
	for _, c := range []struct {
		size    int64
		allowed int
		ok      bool
		retried map[string]int64
	}{
		{10, 3, true, map[string]int64{store.SlowDown: 2}},
		{10, 1, false, map[string]int64{store.SlowDown: 1}},
		{2 * block, 3, true, map[string]int64{store.SlowDown: 2}}, // all of it is still in memory
		{2 * block, -1, true, map[string]int64{store.SlowDown: 2}},
		{2 * block, 0, false, nil},
		{long, 3, false, nil}, // what was sent first is not
	} {
		files, base := serve(t, fails(http.MethodPut, 503, 2))
		s := openURL(t, base, retries(c.allowed))
		err := put(t.Context(), s, "/x", c.size)
		if (err == nil) != c.ok || err == nil && files.size("/x") != int(c.size) {
			t.Errorf("%d bytes, %d retries: %v, %d bytes on the server", c.size, c.allowed, err, files.size("/x"))
		}
		if diff := cmp.Diff(c.retried, retried(s, "PUT")); diff != "" {
			t.Errorf("%d bytes, %d retries: %s", c.size, c.allowed, diff)
		}
	}
}

// redirect answers requests for /x.
func redirect(status int, to func(*http.Request) string, drain bool) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/x" {
			return false
		}
		if drain {
			_, _ = io.Copy(io.Discard, r.Body)
		}
		w.Header()["Location"] = []string{to(r)}
		w.WriteHeader(status)
		return true
	}
}

func TestRedirects(t *testing.T) {
	toY := func(*http.Request) string { return "/y?sig=s3cret" }
	for _, status := range []int{307, 308} {
		for _, size := range []int64{0, 10, block, 2 * block} {
			files, base := serve(t, redirect(status, toY, true))
			if err := put(t.Context(), openURL(t, base), "/x", size); err != nil || files.size("/y") != int(size) {
				t.Errorf("%d, %d bytes: %v, %d bytes on the server", status, size, err, files.size("/y"))
			}
		}
	}
	_, base := serve(t, redirect(307, toY, true))
	mustFail(t, base, put(t.Context(), openURL(t, base), "/x", long), "redirected",
		"the request must be sent again, but its beginning is no longer in memory",
		"use the URL that the server redirects to")

	// A redirect that turns a PUT into a GET would look like success.
	files, base := serve(t, redirect(302, toY, true))
	mustFail(t, base, put(t.Context(), openURL(t, base), "/x", 10), "redirected",
		"PUT BASE/x: the server responded with 302 Found, to BASE/y", "if you trust that server, use its URL")
	if files.count("GET /y") > 0 {
		t.Error("the redirect was followed by a GET")
	}
	_, base = serve(t, redirect(307, func(*http.Request) string { return "http://%zz/s3cret" }, true))
	mustFail(t, base, put(t.Context(), openURL(t, base), "/x", 10), redirected,
		"PUT BASE/x: the server redirects to an invalid URL", "use the final URL")
	_, base = serve(t, redirect(307, func(*http.Request) string { return "/x" }, true))
	mustFail(t, base, put(t.Context(), openURL(t, base), "/x", 10), "redirected",
		"PUT BASE/x: the server responded with 307 Temporary Redirect, to BASE/x", "if you trust that server, use its URL")
}

// Credentials are not sent to another host or port after a redirect.
func TestRedirectDropsCredentials(t *testing.T) {
	var got atomic.Value
	_, other := serve(t, func(_ http.ResponseWriter, r *http.Request) bool {
		got.Store(r.Header.Get("Authorization"))
		return false
	})
	for _, other := range []string{other, strings.Replace(other, "127.0.0.1", "localhost", 1)} {
		_, base := serve(t, redirect(307, func(*http.Request) string { return other + "/y" }, true))
		s := openURL(t, strings.Replace(base, "://", "://user:s3cret@", 1))
		if err := put(t.Context(), s, "/x", 10); err != nil {
			t.Fatal(err)
		}
		if got.Load() != "" {
			t.Errorf("%s got %q", other, got.Load())
		}
	}
}

// If the connection is cut during a PUT, the waiting write fails and the file is deleted.
func TestLostPutIsDeleted(t *testing.T) {
	files, base := serve(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPut {
			return false
		}
		_, _ = io.CopyN(io.Discard, r.Body, block)
		c := hijack(t, w)
		_ = c.SetLinger(0)
		_ = c.Close()
		return true
	})
	for _, size := range []int64{block, long, 64 * long} {
		s := openURL(t, base)
		before := files.count("DELETE /x")
		err := put(t.Context(), s, "/x", size)
		if store.CauseOf(err) != store.Reset {
			t.Errorf("%d bytes: %v", size, err)
		}
		if files.count("DELETE /x") == before {
			t.Errorf("%d bytes: what the server may have was not deleted", size)
		}
	}
}

// A response that arrives before the body was read ends the waiting writes.
func TestEarlyResponseEndsUpload(t *testing.T) {
	done := make(chan struct{})
	defer close(done)
	for status, want := range map[int]string{201: store.Protocol, 413: store.TooLarge, 403: store.AccessDenied} {
		base := listen(t, func(c *net.TCPConn) {
			if _, err := c.Read(make([]byte, 4096)); err != nil {
				return
			}
			_, _ = fmt.Fprintf(c, "HTTP/1.1 %d X\r\nContent-Length: 0\r\n\r\n", status)
			<-done // it takes no more: the answer comes before the end of the body, however late it is read
		})
		if err := put(t.Context(), openURL(t, base), "/x", 64*long); store.CauseOf(err) != want {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// silent accepts and never answers; it reads nothing either when it is deaf.
func silent(t *testing.T, deaf bool) string {
	t.Helper()
	over := make(chan struct{})
	base := listen(t, func(c *net.TCPConn) {
		if !deaf {
			_, _ = io.Copy(io.Discard, c)
		}
		<-over
	})
	t.Cleanup(func() { close(over) }) // before listen waits
	return base
}

func TestTimeouts(t *testing.T) {
	short := func(c *store.Config) { c.Timeout = 50 * time.Millisecond }
	for _, deaf := range []bool{false, true} {
		base := silent(t, deaf)
		s := openURL(t, base, short)
		_, err := s.Open(t.Context(), "/x")
		mustFail(t, base, err, store.Timeout, "HEAD BASE/x: no response within 50ms", "raise --timeout")
		for _, size := range []int64{10, long, 64 * long} {
			if err := put(t.Context(), s, "/x", size); store.CauseOf(err) != store.Timeout {
				t.Errorf("%d bytes: %v", size, err)
			}
		}
	}
}

func TestConnectionErrors(t *testing.T) {
	nonsense := listen(t, func(c *net.TCPConn) {
		_, _ = c.Read(make([]byte, 1))
		_, _ = io.WriteString(c, "220 mail.example ESMTP\r\n")
		_, _ = io.Copy(io.Discard, c)
	})
	plain := strings.Replace(nonsense, "http:", "https:", 1)
	closing := listen(t, func(*net.TCPConn) {})
	for base, want := range map[string][3]string{
		nonsense: {store.Protocol, "HEAD BASE/x: the response is not HTTP",
			"check that the port is that of an HTTP server; use https: if it expects TLS"},
		plain: {store.TLS, "HEAD BASE/x: the server does not speak TLS", "use http: instead of https:"},
		"http://127.0.0.1:1": {store.Refused, "HEAD BASE/x: dial tcp 127.0.0.1:1: connect: connection refused",
			"nothing listens there; check the host and the port"},
		closing:                  {store.Reset, "", ""},
		"http://nobody..invalid": {store.Unresolvable, "", ""}, // no name: no resolver is asked
	} {
		_, err := openURL(t, base).Open(t.Context(), "/x")
		if want[1] == "" {
			if store.CauseOf(err) != want[0] {
				t.Errorf("%s: %v", base, err)
			}
			continue
		}
		mustFail(t, base, err, want[0], want[1], want[2])
	}
}
