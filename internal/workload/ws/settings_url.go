package ws

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/redact"
)

// CheckURL says what is wrong with the URL of a target, without showing secrets.
func CheckURL(raw string) error {
	shown := strconv.Quote(redact.URL(raw))
	if !strings.Contains(raw, "://") {
		return fault.New(fault.Usage, "%s is not a URL: it has no scheme", shown).
			Hint("write ws://HOST:PORT/PATH, for example ws://localhost:8080/chat/{room}")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return fault.New(fault.Usage, "%s is not a URL: %s", shown, plan.URLTrouble(raw, err)).
			Hint("write ws://HOST:PORT/PATH; special characters in a user name or password must be percent-encoded")
	}
	switch u.Scheme {
	case "ws", "wss":
	case "http", "https":
		return fault.New(fault.Usage, "the scheme of %s is %s, not ws or wss", shown, u.Scheme).
			Hint("write ws%s", strings.TrimPrefix(redact.URL(raw), "http"))
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
		rest := strings.ReplaceAll(part, plan.Room, "")
		if strings.ContainsAny(rest, "{}") {
			return fault.New(fault.Usage, "%s has a placeholder other than {room}", shown).
				Hint("{room} is the only one; write %%7B and %%7D for braces in a query")
		}
	}
	return nil
}
