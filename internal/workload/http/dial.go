package http

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/engine/wire"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/http1"
	"github.com/plimsoll/plimsoll/internal/infile"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/workload/http/reach"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
	"github.com/plimsoll/plimsoll/throughput"
)

// connectTimeout is the cause of a try to connect that took too long.
const connectTimeout = "connect-timeout"

// dialer makes connections to a service.
type dialer struct {
	secure  bool
	http2   bool
	address string
	net     net.Dialer
	tls     *tls.Config
	times   *wire.Times // stamp what is received; nil: nothing does
	made    *connecting
	proxy   *reach.Proxy // nil: none
	// Several addresses of the service that were given; each has its turn.
	given []string
	turn  atomic.Uint64
}

// link is a connection.
type link struct {
	net.Conn // TLS, or wire
	wire     *wire.Conn
	http     *http1.Conn
	stages   stages           // of making it
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
	dl := &dialer{secure: s.Secure, http2: d.HTTP2, address: s.Address, made: newConnecting()}
	if d.ConnectTo != "" {
		dl.address = d.ConnectTo
	}
	if d.Source != "" {
		dl.net.LocalAddr = &net.TCPAddr{IP: net.ParseIP(d.Source)}
	}
	if err := dl.goThrough(s, d); err != nil {
		return nil, err
	}
	if !s.Secure {
		return dl, nil
	}
	dl.tls = &tls.Config{ServerName: s.Name, InsecureSkipVerify: d.Insecure, MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"}}
	if d.HTTP2 {
		dl.tls.NextProtos = []string{"h2", "http/1.1"} // the second, so that the server says what it speaks
	}
	if d.ServerName != "" {
		dl.tls.ServerName = d.ServerName
	}
	if err := dl.trust(d.CAFile); err != nil {
		return nil, err
	}
	if d.CertFile == "" {
		return dl, nil
	}
	own, err := infile.KeyPair(d.CertFile, d.KeyFile)
	if err != nil {
		return nil, fault.New(fault.Usage, "--cert %s and --key %s: %w", d.CertFile, d.KeyFile, err).
			Hint("give a certificate and its key in PEM form")
	}
	dl.tls.Certificates = []tls.Certificate{own}
	return dl, nil
}

func (d *dialer) trust(file string) error {
	if file == "" {
		return nil
	}
	pem, err := infile.Read(file, infile.MaxPEM)
	if err != nil {
		return fault.New(fault.Usage, "--ca: %w", err).Hint("give a file of certificates in PEM form")
	}
	d.tls.RootCAs = x509.NewCertPool()
	if !d.tls.RootCAs.AppendCertsFromPEM(pem) {
		return fault.New(fault.Usage, "--ca: %s holds no certificate", file).
			Hint("give a file of certificates in PEM form")
	}
	return nil
}

// goThrough takes the proxy and the addresses of the settings.
func (d *dialer) goThrough(s script.Service, of Dial) (err error) {
	if of.Proxy != "" {
		text, err := secret("--proxy", of.Proxy)
		if err == nil {
			d.proxy, err = reach.ParseProxy(text)
		}
		if err != nil {
			return usage("--proxy %s is no URL of a proxy", redact.URL(of.Proxy)).
				Hint("write http://HOST:PORT, or with 'USER:${env.PASSWORD}@' before the host")
		}
	}
	given, others, err := reach.Resolved(of.Resolve, s.Address)
	switch {
	case err != nil:
		return usage("--resolve %w", err).Hint("write HOST:PORT:ADDRESS, or several addresses with commas between them")
	case len(others) > 0:
		return usage("--resolve names %s, and all requests go to %s", others[0], s.Address).Hint("write what the URL has")
	}
	d.given = given
	return nil
}

// next is the address to connect to now.
func (d *dialer) next() string {
	switch {
	case d.proxy != nil:
		return d.proxy.Address
	case len(d.given) > 0:
		return d.given[(d.turn.Add(1)-1)%uint64(len(d.given))]
	}
	return d.address
}

// dial connects.
func (d *dialer) dial(ctx context.Context, measure *throughput.Transport) (*link, error) {
	l := &link{}
	raw, err := d.net.DialContext(l.stages.watch(ctx), "tcp", d.next())
	if err != nil {
		return nil, d.failure(ctx, err)
	}
	l.stages.connected = time.Now()
	stamped := wire.Wrap(raw, d.times)
	l.Conn, l.wire = stamped, stamped
	if d.secure && d.proxy != nil {
		if err := d.proxy.Tunnel(ctx, raw, d.address); err != nil {
			_ = raw.Close()
			return nil, d.failure(ctx, err)
		}
		l.stages.tunnel = time.Now()
	}
	if d.secure {
		secured := tls.Client(stamped, d.tls)
		if err := secured.HandshakeContext(ctx); err != nil {
			_ = raw.Close()
			return nil, d.failure(ctx, err)
		}
		l.Conn, l.secure, l.stages.secured = secured, true, time.Now()
	}
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
			Err: fmt.Errorf("offered HTTP/2 by ALPN, the server chose %s", chosen)}
	}
	return nil
}

// failure names why there was no connection.
func (d *dialer) failure(ctx context.Context, err error) *op.Failure {
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var name x509.HostnameError
	var plain tls.RecordHeaderError
	var refused *reach.Refused
	switch {
	case errors.As(err, &refused):
		return &op.Failure{Cause: "proxy:" + cause.Status(refused.Status), Err: err, Final: true}
	case ctx.Err() != nil || errors.Is(err, os.ErrDeadlineExceeded):
		return &op.Failure{Cause: connectTimeout, Timeout: true, Err: err}
	case errors.As(err, &unknown), errors.As(err, &invalid), errors.As(err, &name):
		return &op.Failure{Cause: cause.TLS, Err: reach.Worded(err, d.tls.ServerName), Final: true}
	case errors.As(err, &plain):
		return &op.Failure{Cause: cause.Scheme, Err: err, Final: true}
	}
	switch found := cause.Of(err); {
	case found == cause.Timeout:
		return &op.Failure{Cause: connectTimeout, Timeout: true, Err: err}
	case found != "":
		return &op.Failure{Cause: found, Err: err}
	case d.secure:
		return &op.Failure{Cause: cause.TLS, Err: err}
	}
	return &op.Failure{Cause: "connect", Err: err}
}
