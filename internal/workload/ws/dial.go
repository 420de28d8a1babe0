package ws

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lxzan/gws"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/workload/reach"
	"github.com/plimsoll/plimsoll/internal/wsproto"
)

const (
	// The buffers of a connection. Of receivers there may be thousands: a buffer holds what came at once, which is a
	// few messages, and what is longer passes it by.
	readBuffer     = 4 << 10
	receiverBuffer = 2 << 10

	// DefaultMaxMessage is the longest message that a server may send, in bytes.
	DefaultMaxMessage = 4 << 20

	// compressFrom is the size from which messages are compressed where each is compressed on its own. Where the server
	// keeps the window from one to the next, all are.
	compressFrom = 64
)

// dialer makes connections to a target.
type dialer struct {
	*reach.Dialer
	url      string             // may hold {room}
	path     *template.Template // of the protocol, in place of the URL's; nil: the URL's
	given    []wsproto.Header   // by the protocol, for each connection
	secret   []string           // what the URL and the headers have that a server may repeat, and nobody is to see
	rooms    bool               // a connection has a room
	secure   bool
	host     string // without port
	headers  http.Header
	cookies  bool // are kept from one connection of a client to the next
	compress bool
	lenient  bool // a server that does not compress will do, too
	longest  int  // bytes of a message, as it is when it has been inflated
}

const roomPlace = plan.Room

func newDialer(target string, d Dial, p *wsproto.Protocol) (*dialer, error) {
	u, err := url.Parse(strings.ReplaceAll(target, roomPlace, "1"))
	if err != nil || u.Host == "" || u.Scheme != "ws" && u.Scheme != "wss" {
		return nil, fault.New(fault.Usage, "%q is not a WebSocket address", target).
			Hint("for example ws://localhost:8080/chat/{room}")
	}
	dl := &dialer{url: target, secure: u.Scheme == "wss", host: u.Hostname(), headers: http.Header(d.Headers).Clone(),
		compress: d.Compress, longest: cmp.Or(d.MaxMessage, DefaultMaxMessage), cookies: d.Cookies == reach.CookiesOn}
	port := u.Port()
	if port == "" {
		port = map[bool]string{false: "80", true: "443"}[dl.secure]
	}
	if dl.headers == nil {
		dl.headers = http.Header{}
	}
	if err := d.authorize(dl.headers); err != nil {
		return nil, err
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
	to := reach.Service{Secure: dl.secure, Address: net.JoinHostPort(dl.host, port), Name: dl.host}
	if dl.Dialer, err = reach.NewDialer(to, d.Options, "http/1.1"); err != nil {
		return nil, err
	}
	dl.Tunnel = true // a proxy takes no other requests for WebSocket (RFC 6455, section 4.1)
	return dl, nil
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

// headersFor are the headers of a connection: those of the command line replace those of the protocol, and the client's
// cookies are added.
func (d *dialer) headersFor(v *template.Values, target string, j *jar) http.Header {
	h := d.headers.Clone()
	for _, given := range d.given {
		if name := textproto.CanonicalMIMEHeaderKey(given.Name); d.headers[name] == nil || name == "User-Agent" {
			h.Add(name, string(given.Value.Append(nil, v)))
		}
	}
	if j.Jar != nil {
		own := []byte(strings.Join(h["Cookie"], "; "))
		h.Set("Cookie", string(j.Append(nil, pathOf(target), time.Now(), own, true, nil)))
	}
	return h
}

// dial makes a connection with a buffer of this size, which reports its events. The values are in its path and in its
// headers.
func (d *dialer) dial(ctx context.Context, events gws.Event, v *template.Values, buffer int, j *jar) (*link, error) {
	c, err := d.Dial(ctx)
	if err != nil {
		return nil, err
	}
	l := &link{Conn: c.Conn, wire: c.Wire, plain: !d.secure, left: maxHandshake}
	return l, d.upgrade(ctx, l, events, v, buffer, j)
}
