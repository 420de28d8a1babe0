package ws

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lxzan/gws"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/engine/wire"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/infile"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/wsproto"
)

// connectTimeout is the cause of a try to connect that took too long.
const connectTimeout = "connect-timeout"

const (
	// The buffers of a connection. Of receivers there may be thousands: a buffer holds what came at once, which is a
	// few messages, and what is longer passes it by.
	readBuffer     = 4 << 10
	receiverBuffer = 2 << 10

	// DefaultMaxMessage is the longest message that a server may send, in bytes.
	DefaultMaxMessage = 16 << 20

	// compressFrom is the size from which messages are compressed where each is compressed on its own. Where the server
	// keeps the window from one to the next, all are.
	compressFrom = 64
)

// dialer makes connections to a target.
type dialer struct {
	url       string             // may hold {room}
	path      *template.Template // of the protocol, in place of the URL's; nil: the URL's
	given     []wsproto.Header   // by the protocol, for each connection
	secret    []string           // what the URL and the headers have that a server may repeat, and nobody is to see
	rooms     bool               // a connection has a room
	secure    bool
	host      string // of the certificate
	address   string // host:port
	headers   http.Header
	tlsConfig *tls.Config
	compress  bool
	lenient   bool        // a server that does not compress will do, too
	longest   int         // bytes of a message, as it is when it has been inflated
	times     *wire.Times // stamp what is received; nil: nothing does
}

const roomPlace = plan.Room

func newDialer(target string, d Dial, p *wsproto.Protocol) (*dialer, error) {
	u, err := url.Parse(strings.ReplaceAll(target, roomPlace, "1"))
	if err != nil || u.Host == "" || u.Scheme != "ws" && u.Scheme != "wss" {
		return nil, fault.New(fault.Usage, "%q is not a WebSocket address", target).
			Hint("give one like ws://localhost:8080/chat/{room}")
	}
	dl := &dialer{url: target, secure: u.Scheme == "wss", host: u.Hostname(), headers: http.Header(d.Headers).Clone(),
		compress: d.Compress, longest: cmp.Or(d.MaxMessage, DefaultMaxMessage)}
	port := u.Port()
	if port == "" {
		port = map[bool]string{false: "80", true: "443"}[dl.secure]
	}
	dl.address = net.JoinHostPort(dl.host, port)
	if dl.headers == nil {
		dl.headers = http.Header{}
	}
	dl.secret = secretsOf(u, dl.headers)
	if u.User != nil {
		password, _ := u.User.Password()
		r := http.Request{Header: dl.headers}
		r.SetBasicAuth(u.User.Username(), password)
		dl.url = withoutUser(target)
	}
	if dl.headers.Get("User-Agent") == "" {
		dl.headers.Set("User-Agent", "plimsoll")
	}
	if d.Origin != "" {
		dl.headers.Set("Origin", d.Origin)
	}
	if subprotocols := asked(d.Subprotocol, p.Subprotocols); len(subprotocols) > 0 {
		dl.headers.Set("Sec-WebSocket-Protocol", strings.Join(subprotocols, ", "))
	}
	dl.speak(p, u)
	dl.tlsConfig, err = tlsConfig(dl.host, d)
	return dl, err
}

// secretsOf are the texts of a URL and of headers that documents do not show: see redact.URL and Headers.
func secretsOf(u *url.URL, h http.Header) (all []string) {
	if password, has := u.User.Password(); has {
		all = append(all, password)
	}
	for _, values := range u.Query() {
		all = append(all, values...)
	}
	for _, values := range h {
		for _, v := range values {
			_, token, _ := strings.Cut(v, " ") // behind the scheme of an Authorization
			all = append(all, v, token)
		}
	}
	return all
}

// asked are the subprotocols that were given, or else those of the protocol.
func asked(given, usual []string) []string {
	if len(given) > 0 {
		return given
	}
	return usual
}

// withoutUser takes the user and the password out of an address.
func withoutUser(target string) string {
	scheme, rest, _ := strings.Cut(target, "://")
	path := strings.IndexAny(rest, "/?#")
	if path < 0 {
		path = len(rest)
	}
	return scheme + "://" + rest[strings.LastIndexByte(rest[:path], '@')+1:]
}

func tlsConfig(host string, d Dial) (*tls.Config, error) {
	c := &tls.Config{ServerName: host, InsecureSkipVerify: d.Insecure, MinVersion: tls.VersionTLS12}
	if d.CAFile == "" {
		return c, nil
	}
	pem, err := infile.Read(d.CAFile, infile.MaxPEM)
	if err != nil {
		return nil, fault.New(fault.Usage, "--ca: %w", err)
	}
	c.RootCAs = x509.NewCertPool()
	if !c.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fault.New(fault.Usage, "--ca: %s holds no certificate", d.CAFile).
			Hint("give a file of certificates in PEM form")
	}
	return c, nil
}

// speak takes from the protocol what a connection needs: its path, where the URL has none, its headers, and whether
// each connection has a room.
func (d *dialer) speak(p *wsproto.Protocol, u *url.URL) {
	d.given = p.Headers
	if p.Path != nil && withoutPath(u) {
		d.path = p.Path
	}
	d.rooms = strings.Contains(d.url, roomPlace) || connectionsHaveRooms(p)
}

// target is where connections go, with the places of the protocol's path as they stand in it.
func (d *dialer) target() string {
	if d.path == nil {
		return d.url
	}
	return strings.TrimSuffix(d.url, "/") + d.path.String()
}

// withoutPath reports whether a URL leaves the path to the protocol.
func withoutPath(u *url.URL) bool { return (u.Path == "" || u.Path == "/") && u.RawQuery == "" }

// connectionsHaveRooms reports whether the room is in something that belongs to a connection.
func connectionsHaveRooms(p *wsproto.Protocol) bool {
	return p.Path != nil && p.Path.UsesRoom() ||
		slices.ContainsFunc(p.Headers, func(h wsproto.Header) bool { return h.Value.UsesRoom() }) ||
		slices.ContainsFunc(p.Open, func(s wsproto.Step) bool { return s.Send != nil && s.Send.UsesRoom() }) ||
		slices.ContainsFunc(p.Every, func(b wsproto.Beat) bool { return b.Send.UsesRoom() })
}

// perRoom says whether each client has a room of its own.
func (d *dialer) perRoom() bool { return d.rooms }

// urlFor is the address of a connection.
func (d *dialer) urlFor(v *template.Values) string {
	address := strings.ReplaceAll(d.url, roomPlace, strconv.FormatUint(v.Room, 10))
	if d.path != nil {
		address = strings.TrimSuffix(address, "/") + string(d.path.Append(nil, v))
	}
	return address
}

// headersFor are the headers of a connection: those that were given on the command line stand in for the protocol's.
func (d *dialer) headersFor(v *template.Values) http.Header {
	h := d.headers.Clone()
	for _, given := range d.given {
		if name := textproto.CanonicalMIMEHeaderKey(given.Name); d.headers[name] == nil || name == "User-Agent" {
			h.Add(name, string(given.Value.Append(nil, v)))
		}
	}
	return h
}

// dial makes a connection with a buffer of this size, whose events it is to tell; the values are in its path and in its
// headers.
func (d *dialer) dial(ctx context.Context, events gws.Event, v *template.Values, buffer int) (*link, error) {
	var nd net.Dialer
	raw, err := nd.DialContext(ctx, "tcp", d.address)
	if err != nil {
		return nil, d.connectFailure(err)
	}
	stamped := wire.Wrap(raw, d.times)
	l := &link{Conn: stamped, wire: stamped, plain: !d.secure, left: maxHandshake}
	if d.secure {
		secured := tls.Client(stamped, d.tlsConfig)
		if err := secured.HandshakeContext(ctx); err != nil {
			_ = raw.Close()
			return nil, d.connectFailure(err)
		}
		l.Conn = secured
	}
	return l, d.upgrade(ctx, l, events, v, buffer)
}

// upgrade does the WebSocket handshake, and closes the connection if that fails.
func (d *dialer) upgrade(ctx context.Context, l *link, events gws.Event, v *template.Values, buffer int) error {
	inTime := context.AfterFunc(ctx, func() { _ = l.Close() })
	bound := time.Minute
	if deadline, ok := ctx.Deadline(); ok {
		bound = max(time.Until(deadline), time.Millisecond)
	}
	conn, response, err := gws.NewClientFromConn(events, &gws.ClientOption{
		Addr:               d.urlFor(v),
		RequestHeader:      d.headersFor(v),
		HandshakeTimeout:   bound,
		ReadBufferSize:     buffer,
		ReadMaxPayloadSize: d.longest,
		CheckUtf8Enabled:   true,
		PermessageDeflate: gws.PermessageDeflate{Enabled: d.compress, Threshold: compressFrom,
			ServerContextTakeover: true, ClientContextTakeover: true},
	}, l)
	switch {
	case !inTime() || errors.Is(err, os.ErrDeadlineExceeded):
		_ = l.Close()
		return &op.Failure{Cause: connectTimeout, Timeout: true,
			Err: errors.New("the server did not answer the handshake in time")}
	case err == nil && d.compress && !d.lenient && !compresses(response):
		_ = l.Close()
		return &op.Failure{Cause: "handshake",
			Err: errors.New("the server does not compress (permessage-deflate), which --compress asks for")}
	case err == nil:
		l.ws, l.left = conn, -1
		return nil
	}
	return d.handshakeFailure(response, err)
}

// compresses says whether the server takes the offer to compress.
func compresses(response *http.Response) bool {
	name, _, _ := strings.Cut(response.Header.Get("Sec-WebSocket-Extensions"), ";")
	return strings.EqualFold(strings.TrimSpace(name), "permessage-deflate")
}

// connectFailure names why there was no connection.
func (d *dialer) connectFailure(err error) *op.Failure {
	why, ok := networkCause(err)
	if !ok {
		why = "connect"
		if d.secure {
			why = cause.TLS
		}
	}
	return &op.Failure{Cause: why, Timeout: why == connectTimeout, Err: err}
}

// handshakeFailure names why the WebSocket handshake failed.
func (d *dialer) handshakeFailure(response *http.Response, err error) *op.Failure {
	if response != nil {
		_ = response.Body.Close()
		if response.StatusCode != http.StatusSwitchingProtocols {
			return &op.Failure{
				Cause: fmt.Sprint("handshake:", response.StatusCode),
				Err:   fmt.Errorf("the server answered the handshake with HTTP %s", response.Status),
			}
		}
	}
	if why, ok := networkCause(err); ok {
		return &op.Failure{Cause: why, Err: err}
	}
	return &op.Failure{Cause: "handshake", Err: err}
}

// networkCause names an error of the network, if it is one that has a name.
func networkCause(err error) (string, bool) {
	switch found := cause.Of(err); found {
	case cause.Timeout:
		return connectTimeout, true
	case cause.Unresolvable, cause.Refused, cause.Reset, cause.Unreachable, cause.TooManyFiles, cause.NoLocalPort:
		return found, true
	}
	return "", false
}
