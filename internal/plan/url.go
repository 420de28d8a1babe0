package plan

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Room is the place in a chat URL where a client puts its room.
const Room = "{room}"

// RedactURL is raw as it may be shown and stored: without user name and password, and with
// "…" for every value of the query, where tokens often travel. What cannot be parsed is
// shown up to its scheme only.
func RedactURL(raw string) string { return redact(raw, func(string) bool { return false }) }

// RedactURLBut is RedactURL with the values of options that are never secret.
func RedactURLBut(raw string, public []string) string {
	return redact(raw, func(name string) bool { return slices.Contains(public, name) })
}

func redact(raw string, open func(option string) bool) string {
	if raw == "" {
		return ""
	}
	scheme, _, found := strings.Cut(raw, "://")
	if strings.ContainsAny(scheme, "@?=") {
		return "…"
	}
	if !found {
		return raw
	}
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" {
		return scheme + "://…"
	}
	shown := u.Scheme + "://" + u.Host + u.Path
	if u.RawQuery == "" {
		return shown
	}
	pairs := strings.Split(u.RawQuery, "&")
	for i, pair := range pairs {
		name, value, found := strings.Cut(pair, "=")
		switch {
		case !found: // a bare word may be a token as well
			pairs[i] = "…"
		case value != Room && !open(name):
			pairs[i] = name + "=…"
		}
	}
	return shown + "?" + strings.Join(pairs, "&")
}

// checkWebSocketURL says what is wrong with the URL of a target, without showing secrets.
func checkWebSocketURL(raw string) error {
	shown := strconv.Quote(RedactURL(raw))
	if !strings.Contains(raw, "://") {
		return fault.New(fault.Usage, "%s is not a URL: it has no scheme", shown).
			Hint("write ws://HOST:PORT/PATH, for example ws://localhost:8080/chat/{room}")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return fault.New(fault.Usage, "%s is not a URL: %s", shown, urlTrouble(raw, err)).
			Hint("write ws://HOST:PORT/PATH; special characters in a user name or password must be percent-encoded")
	}
	switch u.Scheme {
	case "ws", "wss":
	case "http", "https":
		return fault.New(fault.Usage, "the scheme of %s is %s; a chat speaks WebSocket", shown, u.Scheme).
			Hint("write ws%s://%s", strings.TrimPrefix(u.Scheme, "http"), strings.TrimPrefix(RedactURL(raw), u.Scheme+"://"))
	default:
		return fault.New(fault.Usage, "the scheme of %s is %q, not ws or wss", shown, u.Scheme).
			Hint("write ws://HOST:PORT/PATH, or wss:// for TLS")
	}
	return checkURLParts(u, shown)
}

func checkURLParts(u *url.URL, shown string) error {
	if u.Hostname() == "" {
		return fault.New(fault.Usage, "%s names no host", shown).
			Hint("write ws://HOST:PORT/PATH, for example ws://localhost:8080/chat/{room}")
	}
	if p := u.Port(); p != "" {
		if n, err := strconv.Atoi(p); err != nil || n < 1 || n > 65535 {
			return fault.New(fault.Usage, "%s has the port %s: a port is from 1 to 65535", shown, p)
		}
	}
	if u.Fragment != "" {
		return fault.New(fault.Usage, "%s has a fragment (#…), which a WebSocket URL must not have", shown).
			Hint("leave it out, or write %%23 for a # in the path (RFC 6455, section 3)")
	}
	for _, part := range []string{u.Path, u.RawQuery} {
		rest := strings.ReplaceAll(part, Room, "")
		if strings.ContainsAny(rest, "{}") {
			return fault.New(fault.Usage, "%s has a placeholder other than {room}", shown).
				Hint("{room} is the only one; write %%7B and %%7D for braces in a query")
		}
	}
	return nil
}

// urlTrouble is what the parser found, without the URL itself. Where a password may have
// been taken for a port, even the finding is kept back.
func urlTrouble(raw string, err error) string {
	if strings.Contains(raw, "@") {
		return "its user name, password or host cannot be read"
	}
	if e, ok := err.(*url.Error); ok {
		return e.Err.Error()
	}
	return err.Error()
}
