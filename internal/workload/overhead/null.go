package overhead

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
)

// kept is a request of the SDK, as it was sent.
type kept struct {
	method string
	url    *url.URL
	host   string
	header http.Header
	body   []byte
}

// keepLimit bounds the body that is kept: those of the operations are tiny.
const keepLimit = 64 << 10

// keep notes the request of the first operation, for the null client to repeat.
func (o *Overhead) keep(req *http.Request) {
	k := &kept{method: req.Method, url: req.URL, host: req.Host, header: req.Header.Clone()}
	if req.Body != nil && req.Body != http.NoBody {
		var err error
		if k.body, err = io.ReadAll(io.LimitReader(req.Body, keepLimit)); err != nil {
			return
		}
		_ = req.Body.Close()
		req.Body = io.NopCloser(bytes.NewReader(k.body))
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.request = k
}

// nuller is the null client: it sends a request that the SDK has made, again and again, and
// does nothing else. What its calls cost is what the others' would cost without the SDK.
type nuller struct {
	c    *client
	kept *kept
	req  *http.Request
}

func newNuller(c *client) *nuller {
	c.o.mu.Lock()
	defer c.o.mu.Unlock()
	return &nuller{c: c, kept: c.o.request}
}

// prepare makes the request of the next call.
func (n *nuller) prepare(ctx context.Context) {
	k := n.kept
	req := &http.Request{
		Method: k.method, URL: k.url, Host: k.host, Header: k.header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: int64(len(k.body)),
	}
	if k.body != nil {
		req.Body = io.NopCloser(bytes.NewReader(k.body))
	}
	n.req = req.WithContext(ctx)
}

// send sends the request through the observing transport.
func (n *nuller) send(context.Context) error {
	p := n.c.probe
	n.c.sent()
	p.pass(attemptStart)
	err := n.roundTrip(n.c.wire)
	p.pass(attemptEnd)
	return err
}

func (n *nuller) roundTrip(rt http.RoundTripper) error {
	resp, err := rt.RoundTrip(n.req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close() // it was read to its end, or failed
	if err == nil && resp.StatusCode >= http.StatusBadRequest {
		err = errText("the server answers with " + resp.Status)
	}
	return err
}
