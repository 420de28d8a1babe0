package plan

import (
	"net/url"
	"slices"
	"strings"
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

// URLTrouble is what the parser found, without the URL itself. Where a password may have
// been taken for a port, even the finding is kept back.
func URLTrouble(raw string, err error) string {
	if strings.Contains(raw, "@") {
		return "its user name, password or host cannot be read"
	}
	if e, ok := err.(*url.Error); ok {
		return e.Err.Error()
	}
	return err.Error()
}
