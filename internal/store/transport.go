package store

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/plimsoll/plimsoll/throughput"
)

// NewClient makes the HTTP client of a store: it keeps a connection for each request that may
// be in flight, leaves bodies as they are, sends a Part with sendfile where that is possible,
// and has its attempts observed. Its caller ends it with CloseIdleConnections.
func NewClient(c *Config) *http.Client {
	base := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: connectTimeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   connectTimeout,
		ExpectContinueTimeout: time.Second,
		MaxIdleConns:          0,
		MaxIdleConnsPerHost:   1 << 16,
		IdleConnTimeout:       90 * time.Second,
		DisableCompression:    true,
		ReadBufferSize:        bufferSize,
		WriteBufferSize:       bufferSize,
	}
	return &http.Client{Transport: partSender{&throughput.Transport{Base: base}}}
}

const (
	connectTimeout = 15 * time.Second
	bufferSize     = 64 << 10
)

type partKey struct{}

// WithPart returns a context whose request has this part as its body, whatever the client
// wraps it in: a transport that sees the file itself can have the kernel send it.
func WithPart(ctx context.Context, p *Part) context.Context {
	return context.WithValue(ctx, partKey{}, p)
}

// partSender puts the file of a part in the place of the request's body.
type partSender struct{ next http.RoundTripper }

// RoundTrip sends the request.
func (s partSender) RoundTrip(req *http.Request) (*http.Response, error) {
	p, _ := req.Context().Value(partKey{}).(*Part)
	// A body of another length has framing around the part (aws-chunked). Under TLS the bytes
	// have to pass through this process anyway.
	if p == nil || req.Body == nil || req.URL.Scheme != "http" || req.ContentLength != int64(len(p.bytes)) {
		return s.next.RoundTrip(req)
	}
	f, err := p.file()
	if err != nil {
		return s.next.RoundTrip(req)
	}
	_ = req.Body.Close()
	out := req.Clone(req.Context())
	out.Body = f
	out.GetBody = func() (io.ReadCloser, error) { return p.file() }
	return s.next.RoundTrip(out)
}

// CloseIdleConnections closes those of the transport below.
func (s partSender) CloseIdleConnections() {
	if c, ok := s.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
