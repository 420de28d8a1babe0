package overhead

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/aws/smithy-go/tracing"

	"github.com/plimsoll/plimsoll/internal/workload/overhead/services"
)

// kept is a request of the SDK, as it was sent.
type kept struct {
	at     time.Time
	method string
	url    *url.URL
	host   string
	header http.Header
	body   []byte
}

// keepLimit bounds the body that is kept: those of the operations are tiny.
const keepLimit = 64 << 10

// keepRequest notes the request of the first operation, for the null client to repeat.
func (o *Overhead) keepRequest(req *http.Request) {
	if k := copyOf(req); k != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.request = k
	}
}

// copyOf copies a request, which can be sent all the same; nil when its body cannot be read.
func copyOf(req *http.Request) *kept {
	k := &kept{at: time.Now(), method: req.Method, url: req.URL, host: req.Host, header: req.Header.Clone()}
	if req.Body != nil && req.Body != http.NoBody {
		var err error
		if k.body, err = io.ReadAll(io.LimitReader(req.Body, keepLimit)); err != nil {
			return nil
		}
		_ = req.Body.Close()
		req.Body = io.NopCloser(bytes.NewReader(k.body))
	}
	return k
}

// A signature is good for some minutes: AWS takes one that is five minutes old, and not one of a
// quarter of an hour. So the null client asks the SDK for another request from time to time, beside
// the calls that are measured.
const signedFor = time.Minute

// nuller is the null client: it sends a request that the SDK has made, again and again, and
// does nothing else. What its calls cost is what the others' would cost without the SDK.
type nuller struct {
	c    *client
	kept *kept
	req  *http.Request
	ask  services.Call // has the SDK send a request anew, which is kept
}

func newNuller(c *client) *nuller {
	n := &nuller{c: c}
	first := c.o.steps[0]
	kind := c.o.catalog[first.service]
	n.ask = kind.Open(c.o.Remote.Config(n, 1), tracing.NopTracerProvider{}, c.o.stand)[kind.Index(first.operation)]
	c.o.mu.Lock()
	defer c.o.mu.Unlock()
	n.kept = c.o.request
	return n
}

// Do sends a request of the SDK by a connection that no call is measured on, and keeps it.
func (n *nuller) Do(req *http.Request) (*http.Response, error) {
	if k := copyOf(req); k != nil {
		n.kept = k
	}
	return services.Guarded{Client: n.c.beside}.Do(req.WithContext(unobserved{req.Context()}))
}

// renew has the request signed anew when it was a while ago. When that fails, the one that is there
// goes on being sent, and its calls fail if it is too old.
func (n *nuller) renew() {
	if time.Since(n.kept.at) < signedFor {
		return
	}
	old := *n.kept
	bounded, cancel := context.WithTimeout(n.c.o.Hard, n.c.o.Plan.Timeout)
	defer cancel()
	if n.ask(bounded) != nil {
		old.at = time.Now() // try again in a minute
		n.kept = &old
	}
}

// prepare makes the request of the next call.
func (n *nuller) prepare(ctx context.Context) {
	n.renew()
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
	if err == nil {
		err = services.GuardAnswer(resp)
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close() // it was read to its end, or failed
	if err == nil && resp.StatusCode/100 != 2 {
		err = services.StatusError(resp.StatusCode)
	}
	return err
}
