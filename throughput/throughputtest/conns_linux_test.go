package throughputtest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"

	"github.com/plimsoll/plimsoll/throughput"
)

// measuring is what measures the attempts of a base: a Transport around it, or with ACCURACY_CONN, connections of a
// client of its own, which takes nothing but the dialing from it.
func measuring(base *http.Transport, o throughput.Observer) http.RoundTripper {
	if os.Getenv("ACCURACY_CONN") == "" {
		return throughput.Wrap(base, o)
	}
	return &ownClient{dial: base.DialContext, measure: &throughput.Transport{Observer: o}}
}

// An ownClient speaks HTTP/1.1 by itself.
type ownClient struct {
	dial    func(context.Context, string, string) (net.Conn, error)
	measure *throughput.Transport

	mu   sync.Mutex
	idle []*ownConn
}

type ownConn struct {
	*throughput.Conn
	reader *bufio.Reader
}

func (o *ownClient) conn(ctx context.Context, address string) (c *ownConn, reused bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n := len(o.idle); n > 0 {
		c, o.idle = o.idle[n-1], o.idle[:n-1]
		return c, true, nil
	}
	raw, err := o.dial(ctx, "tcp", address)
	if err != nil {
		return nil, false, err
	}
	measured := o.measure.NewConn(raw)
	return &ownConn{measured, bufio.NewReader(measured)}, false, nil
}

func (o *ownClient) RoundTrip(r *http.Request) (*http.Response, error) {
	c, reused, err := o.conn(r.Context(), r.URL.Host)
	if err != nil {
		return nil, err
	}
	c.Begin(r.Context(), throughput.Request{Method: r.Method, Scheme: "http", Host: r.URL.Host, Reused: reused,
		ContentLength: r.ContentLength})
	resp, err := c.exchange(r)
	if err != nil {
		c.Fail(err)
		return nil, err
	}
	resp.Body = &ownBody{ReadCloser: resp.Body, conn: c, done: func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.idle = append(o.idle, c)
	}}
	return resp, nil
}

func (c *ownConn) exchange(r *http.Request) (*http.Response, error) {
	head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n", r.Method, r.URL.RequestURI(), r.URL.Host,
		r.ContentLength)
	_, err := io.WriteString(c, head)
	if r.Body != nil && err == nil {
		c.BodyBegins()
		var n int64
		// By itself the connection below would take pieces of any size.
		n, err = io.CopyBuffer(struct{ io.Writer }{c}, struct{ io.Reader }{r.Body}, make([]byte, 32<<10))
		c.RequestEnds(n, err)
	}
	if err != nil {
		return nil, err
	}
	resp, err := http.ReadResponse(c.reader, r)
	if err != nil {
		return nil, err
	}
	had := int64(c.reader.Buffered())
	if resp.ContentLength >= 0 {
		had = min(had, resp.ContentLength)
	}
	c.AnswerBegins(throughput.Answer{Proto: resp.Proto, Status: resp.StatusCode, Length: resp.ContentLength, Read: had})
	return resp, nil
}

// An ownBody tells of its end, once.
type ownBody struct {
	io.ReadCloser
	conn *ownConn
	n    int64
	done func()
}

func (b *ownBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.n += int64(n)
	if err == io.EOF {
		b.end(nil)
	}
	return n, err
}

func (b *ownBody) Close() error {
	_, err := io.Copy(io.Discard, b)
	b.end(err)
	return b.ReadCloser.Close()
}

func (b *ownBody) end(err error) {
	if b.done != nil {
		b.conn.AnswerEnds(b.n, err)
		b.done()
		b.done = nil
	}
}
