package storetest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// Proxy stands before a server and passes everything on, but for what its faults catch.
type Proxy struct {
	URL string

	mu     sync.Mutex
	target string
	to     *httputil.ReverseProxy
	faults []Fault
	seen   []string
	cuts   int64
}

// Fault does something else than to pass a request on, and says so; false passes it on.
type Fault func(http.ResponseWriter, *http.Request) bool

// NewProxy starts a proxy, which ends with the test. It needs a target before its first request.
func NewProxy(t *testing.T) *Proxy {
	t.Helper()
	p := &Proxy{}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	p.URL = s.URL
	return p
}

// Host is the proxy's host and port.
func (p *Proxy) Host() string { return strings.TrimPrefix(p.URL, "http://") }

// To sets the server behind the proxy. It sees the host that the proxy was asked for.
func (p *Proxy) To(t *testing.T, target string) {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = target
	connections := &http.Transport{DisableCompression: true}
	t.Cleanup(connections.CloseIdleConnections)
	p.to = &httputil.ReverseProxy{
		Transport: connections,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = u.Scheme, u.Host
			r.Out.Host = r.In.Host
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
}

// Target is the URL of the server behind the proxy.
func (p *Proxy) Target(t *testing.T) string {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.target == "" {
		t.Fatal("the proxy has no target")
	}
	return p.target
}

// Break replaces the faults: each request is shown to them in order.
func (p *Proxy) Break(faults ...Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults, p.seen, p.cuts = faults, nil, 0
}

// Seen lists the requests since Break: methods and paths with their queries.
func (p *Proxy) Seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.seen...)
}

// Cuts is how many answers were cut off since Break.
func (p *Proxy) Cuts() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cuts
}

// ServeHTTP answers a request.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	faults, to := p.faults, p.to
	p.seen = append(p.seen, r.Method+" "+r.URL.RequestURI())
	p.mu.Unlock()
	for _, f := range faults {
		if f(w, r) {
			return
		}
	}
	to.ServeHTTP(w, r)
}

// When limits a fault to the first requests that match; a negative number is all of them.
func When(times int, match func(*http.Request) bool, f Fault) Fault {
	var mu sync.Mutex
	return func(w http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		caught := times != 0 && match(r)
		if caught {
			times--
		}
		mu.Unlock()
		return caught && f(w, r)
	}
}

// Answer is a fault that answers by itself, after it has read the request.
func Answer(status int, contentType, body string) Fault {
	return func(w http.ResponseWriter, r *http.Request) bool {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
		return true
	}
}

// CutRequest is a fault that closes the connection after n bytes of the request's body.
func CutRequest(n int64) Fault {
	return func(_ http.ResponseWriter, r *http.Request) bool {
		_, _ = io.CopyN(io.Discard, r.Body, n)
		panic(http.ErrAbortHandler)
	}
}

// CutAnswer is a fault that passes the request on, and closes the connection after n bytes of
// the answer's body.
func (p *Proxy) CutAnswer(n int64) Fault {
	return func(w http.ResponseWriter, r *http.Request) bool {
		p.mu.Lock()
		to := p.to
		p.mu.Unlock()
		to.ServeHTTP(&cutting{ResponseWriter: w, proxy: p, left: n}, r)
		return true
	}
}

// Unheard is a fault that passes the request on, and closes the connection instead of answering.
func (p *Proxy) Unheard() Fault {
	return func(_ http.ResponseWriter, r *http.Request) bool {
		p.mu.Lock()
		to := p.to
		p.mu.Unlock()
		to.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	}
}

// cutting ends the connection when it has written enough.
type cutting struct {
	http.ResponseWriter
	proxy *Proxy
	left  int64
}

// Write writes what may still be written.
func (c *cutting) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b[:min(int64(len(b)), c.left)])
	c.left -= int64(n)
	if err == nil && n < len(b) {
		_ = http.NewResponseController(c.ResponseWriter).Flush()
		c.proxy.mu.Lock()
		c.proxy.cuts++
		c.proxy.mu.Unlock()
		panic(http.ErrAbortHandler)
	}
	return n, err
}
