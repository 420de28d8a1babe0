package ws

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/workload/reach"
)

// DefaultDial is the Dial of a run for which nothing was given.
func DefaultDial() Dial { return Dial{Headers: Headers{}, MaxMessage: DefaultMaxMessage} }

// Dial says how a connection is made.
type Dial struct {
	reach.Options
	Headers     Headers
	Origin      string
	Subprotocol []string
	Bearer      string
	Cookies     string // on or off
	Compress    bool   // messages, both ways
	MaxMessage  int    // bytes of a message that the server sends; 0: DefaultMaxMessage
}

// Settings declares them.
func (d *Dial) Settings() []*setting.Setting {
	return slices.Concat([]*setting.Setting{
		setting.Each("header", "'Name: value'", "header of the handshake request; repeatable",
			d.Headers.Add).
			At("dial.headers").WrittenAs(func() any { return d.Headers }).OmitZero(),
		reach.Bearer(&d.Bearer, "the handshake request"),
		reach.Cookies(&d.Cookies, "keep cookies of the handshake for later connections of a client (default off)").
			At("dial.cookies"),
		setting.Text(&d.Origin, "origin", "origin", "Origin header of the handshake request").
			At("dial.origin").OmitZero().Rule(d.checkOrigin),
		setting.List(&d.Subprotocol, "subprotocol", "name",
			"WebSocket subprotocol to offer; repeatable").
			At("dial.subprotocols").OmitZero().Rule(d.checkSubprotocols),
	}, d.Options.Settings("wss"), []*setting.Setting{
		setting.Switch(&d.Compress, "compress", "compress messages (permessage-deflate); the server must support it").
			At("dial.compress").OmitZero(),
		setting.Size(&d.MaxMessage, "max-message", "maximum size of a received message after decompression; a "+
			"client can use several times as much memory").
			At("dial.max_message_bytes").
			OmitIf(func() bool { return d.MaxMessage == 0 || d.MaxMessage == DefaultMaxMessage }).
			Rule(d.checkMaxMessage),
	})
}

// authorize adds the token of --bearer to the headers of a connection. A header that was given comes before it.
func (d *Dial) authorize(h http.Header) error {
	if d.Bearer == "" || h.Get("Authorization") != "" {
		return nil
	}
	token, err := reach.Secret("--bearer", d.Bearer)
	if err == nil {
		h.Set("Authorization", "Bearer "+token)
	}
	return err
}

// usage is a usage error without a hint.
func usage(format string, args ...any) *fault.Error { return fault.New(fault.Usage, format, args...) }

// ServerArgs are the arguments of a demo server that takes such connections.
func (d *Dial) ServerArgs() []string {
	if d.Origin == "" {
		return nil
	}
	return []string{"--allow-origin=" + d.Origin}
}

func (d *Dial) checkOrigin(flag string) error {
	if d.Origin == "" || d.Origin == "null" {
		return nil
	}
	if redact.HasUser(d.Origin) { // which reports and documents would show
		return usage("%s contains a user name or password, which an origin cannot have", flag).
			Hint("write scheme and host, for example --origin https://example.org")
	}
	if u, err := url.Parse(d.Origin); err != nil || u.Scheme == "" || u.Host == "" {
		return usage("%s %q is not an origin", flag, d.Origin).
			Hint("write scheme and host, for example --origin https://example.org")
	}
	return nil
}

// mostMessage bounds --max-message: more than a GiB is no message.
const mostMessage = 1 << 30

func (d *Dial) checkMaxMessage(flag string) error {
	if d.MaxMessage < 1 || d.MaxMessage > mostMessage {
		return usage("%s is %d bytes: it must be from 1 byte to 1 GiB", flag, d.MaxMessage).
			Hint("set it to the size of the longest message that the service sends, such as 64MiB")
	}
	return nil
}

func (d *Dial) checkSubprotocols(flag string) error {
	for _, p := range d.Subprotocol {
		if !isToken(p) {
			return usage("%s %q is not a valid subprotocol name: use letters, digits and -._~", flag, p)
		}
	}
	return nil
}

// Check refuses what cannot be done with connections to a target.
func (d *Dial) Check(target string, load *plan.Load) error {
	if d.Bearer != "" && redact.HasUser(target) {
		return usage("--bearer is given, but the URL contains a user, too").Hint("remove one of them")
	}
	return d.Options.Check(target, "wss", load)
}

// Headers are request headers. Their values may be secrets: written as JSON they show their
// names only.
type Headers http.Header

// MarshalJSON writes the names, and "…" for every value.
func (h Headers) MarshalJSON() ([]byte, error) {
	names := make(map[string]string, len(h))
	for name := range h {
		names[name] = "…"
	}
	return json.Marshal(names)
}

// Add reads a header as "Name: value" and adds it. Headers that the WebSocket handshake
// itself sets (RFC 6455, section 4.1) are refused. An error names the header but not its
// value, which may be a secret.
func (h Headers) Add(line string) error {
	name, value, found := strings.Cut(line, ":")
	name = strings.TrimSpace(name)
	if !found {
		// The line may be a bare token; it is not shown.
		return fmt.Errorf("a header must have the form 'Name: value'")
	}
	if !isToken(name) {
		return fmt.Errorf("%q is not a valid header name: write 'Name: value'", name)
	}
	value = strings.TrimSpace(value)
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return fmt.Errorf("the value of %s contains a control character", name)
	}
	key := textproto.CanonicalMIMEHeaderKey(name)
	switch key {
	case "Host", "Connection", "Upgrade", "Content-Length", "Transfer-Encoding",
		"Sec-Websocket-Key", "Sec-Websocket-Version", "Sec-Websocket-Extensions", "Sec-Websocket-Accept":
		return fmt.Errorf("%s is set by the handshake and cannot be changed", name)
	case "Origin":
		return fmt.Errorf("%s cannot be set as a header: use --origin", name)
	case "Sec-Websocket-Protocol":
		return fmt.Errorf("%s cannot be set as a header: use --subprotocol", name)
	}
	h[key] = append(h[key], value)
	return nil
}

// isToken reports whether s is a token of RFC 9110, section 5.6.2.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}
