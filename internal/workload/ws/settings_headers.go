package ws

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/textproto"
	"strings"
)

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
		return fmt.Errorf("a header needs a colon: write it as 'Name: value'")
	}
	if !isToken(name) {
		return fmt.Errorf("%q is not the name of a header: write it as 'Name: value'", name)
	}
	value = strings.TrimSpace(value)
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return fmt.Errorf("the value of %s holds a control character", name)
	}
	key := textproto.CanonicalMIMEHeaderKey(name)
	switch key {
	case "Host", "Connection", "Upgrade", "Content-Length", "Transfer-Encoding",
		"Sec-Websocket-Key", "Sec-Websocket-Version", "Sec-Websocket-Extensions", "Sec-Websocket-Accept":
		return fmt.Errorf("%s is set by the handshake itself and cannot be given", name)
	case "Origin":
		return fmt.Errorf("%s has a flag of its own: use --origin", name)
	case "Sec-Websocket-Protocol":
		return fmt.Errorf("%s has a flag of its own: use --subprotocol", name)
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
