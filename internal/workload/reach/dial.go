package reach

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http/httptrace"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/engine/wire"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/infile"
	"github.com/plimsoll/plimsoll/internal/redact"
)

// Service is what connections are made to.
type Service struct {
	Secure  bool
	Address string // host:port
	Name    string // of the host, as its certificate has it
}

// Dialer makes connections to a service. Its fields are set before the first; Dial may be called from any goroutine.
type Dialer struct {
	Proxy *Proxy      // nil: none
	TLS   *tls.Config // nil: without
	// Tunnel says that the proxy makes a way to the service (CONNECT). It always does with TLS.
	Tunnel bool
	Times  *wire.Times // stamp what is received; nil: nothing does

	options   Options
	protocols []string // that are offered by ALPN
	address   string
	net       net.Dialer
	// Several addresses of the service that were given; each has its turn.
	given []string
	turn  atomic.Uint64
	asked atomic.Bool // the server asked for a certificate, and there is none
	probe sync.Once
	only2 bool // the server speaks HTTP/2 alone; set by probe
}

// HTTP2Only is the cause of a connection that was to speak HTTP/1.1, to a server that speaks HTTP/2 alone.
const HTTP2Only = "http2-only"

// chooses reports whether a server chooses this protocol if it is offered no other.
func (d *Dialer) chooses(ctx context.Context, protocol string) bool {
	c, err := d.dial(ctx, protocol)
	if err != nil {
		return false
	}
	defer func() { _ = c.Close() }()
	return c.Conn.(*tls.Conn).ConnectionState().NegotiatedProtocol == protocol
}

// NewDialer makes a dialer that offers these protocols with TLS (ALPN).
func NewDialer(s Service, o Options, protocols ...string) (*Dialer, error) {
	d := &Dialer{options: o, protocols: protocols, address: s.Address}
	if o.ConnectTo != "" {
		d.address = o.ConnectTo
	}
	if o.Source != "" {
		d.net.LocalAddr = &net.TCPAddr{IP: net.ParseIP(o.Source)}
	}
	if err := d.goThrough(); err != nil {
		return nil, err
	}
	given, others, err := resolved(o.Resolve, s.Address)
	switch {
	case err != nil:
		return nil, usage("--resolve %w", err).Hint("write HOST:PORT:ADDRESS, with commas between several addresses")
	case len(others) > 0:
		return nil, usage("--resolve names %s, but the URL names %s", others[0], s.Address).
			Hint("use the host and port of the URL")
	}
	d.given = given
	if s.Secure {
		err = d.secure(s.Name)
	}
	return d, err
}

// goThrough reads the proxy's URL.
func (d *Dialer) goThrough() error {
	if d.options.Proxy == "" {
		return nil
	}
	text, err := Secret("--proxy", d.options.Proxy)
	if err == nil {
		d.Proxy, err = parseProxy(text)
	}
	if err != nil {
		return usage("--proxy %s is not a valid proxy URL", redact.URL(d.options.Proxy)).
			Hint("write http://HOST:PORT or 'http://USER:${env.PASSWORD}@HOST:PORT'")
	}
	return nil
}

// secure sets TLS up.
func (d *Dialer) secure(name string) error {
	o := &d.options
	d.TLS = &tls.Config{ServerName: name, InsecureSkipVerify: o.Insecure, MinVersion: tls.VersionTLS12,
		NextProtos: d.protocols,
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			d.asked.Store(true)
			return &tls.Certificate{}, nil // none: not every server that asks insists
		}}
	if o.ServerName != "" {
		d.TLS.ServerName = o.ServerName
	}
	if o.CAFile != "" {
		pem, err := infile.Read(o.CAFile, infile.MaxPEM)
		if err != nil {
			return usage("--ca: %w", err).Hint("use a file with certificates in PEM format")
		}
		d.TLS.RootCAs = x509.NewCertPool()
		if !d.TLS.RootCAs.AppendCertsFromPEM(pem) {
			return usage("--ca: %s contains no certificate", o.CAFile).Hint("use a file with certificates in PEM format")
		}
	}
	if o.CertFile == "" {
		return nil
	}
	own, err := infile.KeyPair(o.CertFile, o.KeyFile)
	if err != nil {
		return fault.New(fault.Usage, "--cert %s and --key %s: %s", o.CertFile, o.KeyFile, plainly(err)).
			Hint("use a certificate and its key in PEM format")
	}
	d.TLS.GetClientCertificate, d.TLS.Certificates = nil, []tls.Certificate{own}
	return nil
}

// next is the network and the address to connect to now.
func (d *Dialer) next() (network, address string) {
	switch {
	case d.options.UnixSocket != "":
		return "unix", d.options.UnixSocket
	case d.Proxy != nil:
		return "tcp", d.Proxy.Address
	case len(d.given) > 0:
		return "tcp", d.given[(d.turn.Add(1)-1)%uint64(len(d.given))]
	}
	return "tcp", d.address
}

// Conn is an established connection.
type Conn struct {
	net.Conn            // TLS, or Wire
	Wire     *wire.Conn // below TLS
	Stages   Stages
}

// Stages are the moments of making one connection.
type Stages struct {
	Began        time.Time
	Asked, Found time.Time // of looking the name up; zero: nothing was looked up
	Connected    time.Time
	Tunnel       time.Time // when the proxy had made the way; zero: there is none
	Secured      time.Time // zero: without TLS
}

// watch has the lookup of a name noted.
func (s *Stages) watch(ctx context.Context) context.Context {
	s.Began = time.Now()
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart: func(httptrace.DNSStartInfo) { s.Asked = time.Now() },
		DNSDone:  func(httptrace.DNSDoneInfo) { s.Found = time.Now() },
	})
}

// Dial connects. An error is an *op.Failure.
//
// A server that does not choose HTTP/1.1, when it is offered nothing else, may know nothing of ALPN and speak it all
// the same, or speak HTTP/2 alone: not every such server refuses the connection. One more connection, the first time,
// finds out which it is.
func (d *Dialer) Dial(ctx context.Context) (*Conn, error) {
	c, err := d.dial(ctx, d.protocols...)
	if d.TLS == nil || !slices.Equal(d.protocols, []string{protocol1}) {
		return c, err
	}
	if err != nil && !choseNone(err) || err == nil && c.Conn.(*tls.Conn).ConnectionState().NegotiatedProtocol != "" {
		return c, err
	}
	d.probe.Do(func() { d.only2 = d.chooses(ctx, "h2") })
	if !d.only2 {
		return c, err
	}
	if err == nil {
		_ = c.Close()
	}
	return nil, &op.Failure{Cause: HTTP2Only, Final: true,
		Err: &Trouble{What: "the server speaks only HTTP/2 here", Err: err}}
}

const protocol1 = "http/1.1"

// dial makes a connection that offers these protocols.
func (d *Dialer) dial(ctx context.Context, protocols ...string) (*Conn, error) {
	c := &Conn{}
	network, address := d.next()
	raw, err := d.net.DialContext(c.Stages.watch(ctx), network, address)
	if err != nil {
		return nil, d.failure(ctx, connecting{network, address}, err)
	}
	c.Stages.Connected = time.Now()
	c.Wire = wire.Wrap(raw, d.Times)
	c.Conn = c.Wire
	if d.Proxy != nil && (d.Tunnel || d.TLS != nil) {
		if err := d.Proxy.Tunnel(ctx, raw, d.address); err != nil {
			_ = raw.Close()
			return nil, d.failure(ctx, tunneling, err)
		}
		c.Stages.Tunnel = time.Now()
	}
	if d.TLS != nil {
		config := d.TLS
		if !slices.Equal(protocols, d.protocols) {
			config = config.Clone()
			config.NextProtos = protocols
		}
		secured := tls.Client(c.Wire, config)
		if err := secured.HandshakeContext(ctx); err != nil {
			_ = raw.Close()
			return nil, d.failure(ctx, securing, err)
		}
		c.Conn, c.Stages.Secured = secured, time.Now()
	}
	return c, nil
}
