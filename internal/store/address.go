package store

import (
	"errors"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Naming says how the path of a URL names a file.
type Naming int

const (
	// Decoded names are percent-decoded: %23 is a number sign, and what follows a bare one is a fragment.
	Decoded Naming = iota
	// Literal names are taken byte for byte, as the stores' own tools do: ?, # and % are characters like any other.
	Literal
	// Escaped names are sent to the server as they are written.
	Escaped
)

// ParseURL parses the URL of a store. The path of a store with literal names is everything behind its host.
// The error of a URL that cannot be parsed holds no part of it.
func (all Drivers) ParseURL(raw string) (*url.URL, error) {
	scheme, rest, _ := strings.Cut(raw, ":")
	d, known := all.Find(strings.ToLower(scheme))
	switch {
	case known && d.Naming == Literal && strings.HasPrefix(rest, "/"):
		return parseLiteral(scheme, rest)
	case known && d.Naming == Decoded && strings.ContainsAny(raw, "?#"), known && strings.Contains(raw, "#"):
		return nil, Fail(Other, "it contains ? or #, which cannot be part of a file name").
			WithHint("write %%3F for a question mark and %%23 for a number sign")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, errUnparsable // the parser's error quotes the URL, with its secrets
	}
	if u.Opaque != "" {
		if u.Opaque, err = url.PathUnescape(u.Opaque); err != nil {
			return nil, errUnparsable
		}
	}
	return u, nil
}

var errUnparsable = errors.New("it is not a valid URL")

// parseLiteral parses what follows the colon of a URL whose names are literal.
func parseLiteral(scheme, rest string) (*url.URL, error) {
	host, name := "", rest
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		host, name, _ = strings.Cut(after, "/")
		name = "/" + name
		host = "//" + host
	}
	u, err := url.Parse(scheme + ":" + host)
	switch {
	case err != nil, u.Opaque != "":
		return nil, errUnparsable
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery || strings.HasSuffix(host, "#"):
		return nil, Fail(Other, "? and # are allowed only in the name, after a /").
			WithHint("write %s://HOST/NAME", strings.ToLower(scheme))
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return nil, Fail(Other, "the name contains a control character or is not valid UTF-8").WithHint("use another name")
	case hasCredential(name):
		return nil, Fail(NoCredentials, "the text after ? looks like a credential and would become part of the name").
			WithHint("remove it, and pass credentials as the store's own tools expect them: in environment variables, a " +
				"profile or a file")
	}
	u.Path = name
	return u, nil
}

// hasCredential reports whether a name ends in the query of a signed URL, or of one with another secret.
func hasCredential(name string) bool {
	_, query, _ := strings.Cut(name, "?")
	for pair := range strings.SplitSeq(query, "&") {
		switch key, value, _ := strings.Cut(pair, "="); strings.ToLower(key) {
		case "sig", "signature", "x-amz-signature", "x-amz-security-token", "x-goog-signature",
			"token", "access_token", "password", "secret", "key", "api_key":
			return value != ""
		}
	}
	return false
}

// Dotted reports whether a name has a segment . or .., for which some clients, proxies and servers take another name.
func Dotted(name string) bool {
	for segment := range strings.SplitSeq(name, "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

// PathOf returns the path of a file, as the store takes it, for the URL of that file.
func (d *Driver) PathOf(u *url.URL) string {
	if d.Naming == Escaped {
		return u.EscapedPath()
	}
	return u.Path
}

// Show returns the URL of a path without what must not be shown: the URL names that file and no other, but for the
// user, and the values of a query.
func (d *Driver) Show(u *url.URL, path string) string {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: path}
	if name := u.User.Username(); d.UserIsContainer && name != "" {
		shown.User = url.User(name)
	}
	switch d.Naming {
	case Literal:
		shown.Path = ""
		if shown.Host == "" {
			return shown.Scheme + "://" + path
		}
		return shown.String() + path
	case Escaped:
		if decoded, err := url.PathUnescape(path); err == nil {
			shown.Path, shown.RawPath = decoded, path
		}
	}
	return shown.String()
}
