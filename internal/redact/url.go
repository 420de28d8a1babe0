package redact

import (
	"net/url"
	"slices"
	"strings"
)

// room is the place in a chat's URL where a client puts its room. It is no value, and so no secret.
const room = "{room}"

// URL is raw as it may be shown and stored: without user name, password and fragment, and with "…" for every value
// of the query, where tokens often travel. What cannot be parsed is shown up to its scheme only.
func URL(raw string) string { return URLBut(raw, nil) }

// URLBut is URL with the values of options that are never secret.
func URLBut(raw string, public []string) string {
	scheme, _, found := strings.Cut(raw, "://")
	name, path, ok := strings.Cut(raw, ":/")
	if !found && ok && !strings.Contains(raw, "@") && !strings.ContainsAny(name, "?=") {
		path, values, ok := strings.Cut(path, "?") // a file's URL has no host
		return name + ":/" + path + query(values, ok, public)
	}
	if strings.ContainsAny(scheme, "@?=#") {
		return "…"
	}
	if !found {
		return raw
	}
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" {
		return scheme + "://…"
	}
	return u.Scheme + "://" + u.Host + u.Path + query(u.RawQuery, u.RawQuery != "", public)
}

// URLsIn returns a text in which each word that contains a URL is shown as URL shows it.
func URLsIn(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	words := strings.Split(text, " ")
	for i, word := range words {
		if strings.Contains(word, "://") {
			words[i] = URL(word)
		}
	}
	return strings.Join(words, " ")
}

// HasUser reports whether a URL has a user name or a password, of which URL leaves no trace where it shows the host.
func HasUser(raw string) bool {
	_, rest, _ := strings.Cut(raw, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return strings.Contains(rest, "@")
}

// query is the query of a URL, if there is one, with its question mark.
func query(raw string, there bool, public []string) string {
	if !there {
		return ""
	}
	pairs := strings.Split(raw, "&")
	for i, pair := range pairs {
		name, value, found := strings.Cut(pair, "=")
		switch {
		case !found: // a bare word may be a token as well
			pairs[i] = "…"
		case value != room && !slices.Contains(public, name):
			pairs[i] = name + "=…"
		}
	}
	return "?" + strings.Join(pairs, "&")
}
