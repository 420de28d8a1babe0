package http

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"github.com/plimsoll/plimsoll/internal/http2"
	"github.com/plimsoll/plimsoll/internal/selector"
)

// personal reports whether the request has headers that are not the same in every request.
func (x *exchange) personal() bool {
	h := x.of
	return h.tokens != nil && !x.request.authorized || h.signer != nil || x.jar != nil && !x.request.cookied
}

// headers are those that are not the same in every request.
func (x *exchange) headers() []byte {
	x.more = x.more[:0]
	if t := x.of.tokens; t != nil && !x.request.authorized {
		x.more = x.request.header(x.more, "Authorization", t.Value())
	}
	if x.jar != nil && !x.request.cookied {
		x.text = x.request.step.Target.Append(x.text[:0], &x.values)
		x.more = x.appendCookies(x.more, string(x.text))
	}
	return x.more
}

// appendCookies adds the line of what the client has to show at a path.
func (x *exchange) appendCookies(b []byte, target string) []byte {
	u, err := x.place(target)
	if err != nil {
		return b
	}
	var line []byte
	for _, c := range x.jar.Cookies(u) {
		if line != nil {
			line = append(line, "; "...)
		}
		line = append(append(append(line, c.Name...), '='), c.Value...)
	}
	if line == nil {
		return b
	}
	return x.request.header(b, "Cookie", line)
}

// header adds a header, as the protocol has it.
func (r *request) header(b []byte, name string, value []byte) []byte {
	if r.streams {
		return http2.AppendField(b, strings.ToLower(name), string(value))
	}
	return append(append(append(append(b, name...), ": "...), value...), "\r\n"...)
}

// place is the address of what is at the service by this path and query.
func (x *exchange) place(target string) (*url.URL, error) {
	u, err := url.ParseRequestURI(target)
	if err != nil {
		return nil, err
	}
	s := &x.of.script.Service
	u.Scheme, u.Host = "http", s.Host
	if s.Secure {
		u.Scheme = "https"
	}
	return u, nil
}

// mostCookies bounds those that one answer may set.
const mostCookies = 100

// keepCookies takes what an answer sets.
func (x *exchange) keepCookies(fields selector.Fields) {
	for n := range mostCookies {
		line, found := fields.Value("Set-Cookie", n)
		if !found {
			return
		}
		cookie, err := http.ParseSetCookie(string(line))
		if err != nil {
			continue // as browsers do
		}
		u, err := x.place(x.target())
		if err != nil {
			return
		}
		if x.jar == nil {
			x.jar, _ = cookiejar.New(nil) // without options it cannot fail; all of its cookies are of one host
		}
		x.jar.SetCookies(u, []*http.Cookie{cookie})
	}
}
