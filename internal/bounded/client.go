package bounded

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	// Connect is how long a connection may take, and its TLS, each.
	Connect = 15 * time.Second
	// Within is how long a request may take for which nobody says it.
	Within = 10 * time.Second
	// Answer is how many bytes of an answer are read that says little: a token, a setting, an error.
	Answer = 1 << 20
	// mostHeaders is how many bytes the headers of an answer may have, and what comes before them.
	mostHeaders = 1 << 20
)

// Tune has a transport keep to the rule, before its first use. Bodies stay as they were sent: what unpacks one has no
// bound, and few bytes become many.
func Tune(t *http.Transport) {
	t.DialContext = (&net.Dialer{Timeout: Connect, KeepAlive: 30 * time.Second}).DialContext
	t.TLSHandshakeTimeout = Connect
	t.MaxResponseHeaderBytes = mostHeaders
	t.DisableCompression = true
}

// NewTransport makes a transport that keeps to the rule, and asks through the proxy of the environment.
func NewTransport() *http.Transport {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment}
	Tune(t)
	return t
}

// Client makes a client whose requests take no longer than within, with what is read of their answers (0: as the
// context says), whose answers have most bytes at most, and which nobody leads elsewhere.
func Client(rt http.RoundTripper, within time.Duration, most int64) *http.Client {
	return &http.Client{Transport: transport{rt, most}, Timeout: within, CheckRedirect: Stay}
}

// Stay follows no redirect: what has secrets, or a signature for one server, goes where it was sent.
func Stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// transport bounds the bodies of answers.
type transport struct {
	http.RoundTripper
	most int64
}

// RoundTrip sends the request.
func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := Answered(t.RoundTripper.RoundTrip(req))
	if err == nil {
		Body(resp, t.most)
	}
	return resp, err
}

// Answered refuses an answer that leaves HTTP, which nobody asked for: what follows it has no end that net/http knows,
// and no context ends the reading of it.
func Answered(resp *http.Response, err error) (*http.Response, error) {
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		return resp, err
	}
	_ = resp.Body.Close()
	return nil, errSwitched
}

var errSwitched = errors.New("the server switched to an unexpected protocol")

// CloseIdleConnections closes those of the transport below.
func (t transport) CloseIdleConnections() {
	if c, ok := t.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// Few has a transport keep to the rule for a library that brings a client of its own, to ask a few questions whose
// answers it reads itself, however long they are: each has a connection of its own, which ends within a time, and
// behind Answer bytes, and a redirect is refused.
func Few(t *http.Transport, within time.Duration) {
	Tune(t)
	dial := t.DialContext
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		// The end of a context is not enough: where an answer leaves HTTP (101), net/http knows no end of it.
		return &conn{c, NewReader(c, Answer)}, c.SetDeadline(time.Now().Add(within))
	}
	t.DisableKeepAlives = true
	t.Proxy = func(r *http.Request) (*url.URL, error) {
		if r.Response != nil { // the answer that made this request of it
			return nil, errLed
		}
		return http.ProxyFromEnvironment(r)
	}
}

var errLed = errors.New("the server redirects to another location; credentials are requested only from the " +
	"configured one")

// conn bounds what is read of a connection.
type conn struct {
	net.Conn
	in *Reader
}

// Read reads.
func (c *conn) Read(p []byte) (int, error) { return c.in.Read(p) }
