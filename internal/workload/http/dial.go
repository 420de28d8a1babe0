package http

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"sync/atomic"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/engine/wire"
	"github.com/plimsoll/plimsoll/internal/http1"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
	"github.com/plimsoll/plimsoll/internal/workload/reach"
	"github.com/plimsoll/plimsoll/throughput"
)

// dialer makes connections to a service.
type dialer struct {
	*reach.Dialer
	secure bool
	http2  bool
	made   *connecting
}

// link is a connection.
type link struct {
	net.Conn // TLS, or wire
	wire     *wire.Conn
	http     *http1.Conn
	stages   reach.Stages     // of making it
	rates    *throughput.Conn // what Conn is, where rates are measured
	measured bool             // so is the present request
	secure   bool
	attempt  *op.Attempt // the present one
	sent     func()      // says so of its request
	cut      atomic.Bool // it was closed since an attempt had ended
}

// gone reports whether the server has closed it.
func (l *link) gone() bool { return l.wire.Gone() }

func newDialer(s script.Service, d Dial) (*dialer, error) {
	protocols := []string{"http/1.1"}
	if d.HTTP2 {
		protocols = []string{"h2", "http/1.1"} // the second, so that the server says what it speaks
	}
	to, err := reach.NewDialer(reach.Service{Secure: s.Secure, Address: s.Address, Name: s.Name}, d.Options, protocols...)
	return &dialer{Dialer: to, secure: s.Secure, http2: d.HTTP2, made: newConnecting()}, err
}

// dial connects.
func (d *dialer) dial(ctx context.Context, measure *throughput.Transport) (*link, error) {
	c, err := d.Dial(ctx)
	if err != nil {
		return nil, err
	}
	l := &link{Conn: c.Conn, wire: c.Wire, stages: c.Stages, secure: d.secure}
	if d.http2 {
		return l, d.agreed(l)
	}
	if measure != nil {
		l.rates = measure.NewConn(l.Conn)
		l.Conn = l.rates
	}
	l.http = http1.New(l.Conn, http1.DefaultLimits())
	l.sent = func() { l.attempt.Sent() }
	l.http.First = func() { l.attempt.Answering(l.wire) }
	return l, nil
}

// agreed is an error when a server of TLS does not speak HTTP/2.
func (d *dialer) agreed(l *link) error {
	if !d.secure {
		return nil
	}
	secured := l.Conn.(*tls.Conn)
	if chosen := secured.ConnectionState().NegotiatedProtocol; chosen != "h2" {
		_ = l.Close()
		if chosen == "" {
			chosen = "no protocol"
		}
		return &op.Failure{Cause: noHTTP2, Final: true,
			Err: fmt.Errorf("the client offered HTTP/2 (ALPN), the server chose %s", chosen)}
	}
	return nil
}
