package http

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path"
	"strings"

	"github.com/plimsoll/plimsoll/internal/engine/op"
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
		return http2.AppendValue(b, r.names[name], value)
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

// mostCookies bounds those that one answer may set; mostInJar those that a client has when it begins a flow. One that
// has been given more begins again as one that nobody knows.
const (
	mostCookies = 100
	mostInJar   = 1000
)

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
			x.inJar = map[string]bool{}
		}
		x.jar.SetCookies(u, []*http.Cookie{cookie})
		x.inJar[cookie.Name+";"+cookie.Path+";"+path.Dir(u.Path)] = true
	}
}

// target is the path and the query of the request that was sent last.
func (x *exchange) target() string {
	if x.request.streams {
		return string(x.request.step.Target.Append(nil, &x.values))
	}
	_, rest, _ := bytes.Cut(x.out, []byte(" "))
	target, _, _ := bytes.Cut(rest, []byte(" "))
	if _, path, found := strings.Cut(string(target), "://"); found { // through a proxy
		if at := strings.IndexByte(path, '/'); at >= 0 {
			return path[at:]
		}
		return "/"
	}
	return string(target)
}

// leads reports whether an answer leads elsewhere, and the plan is to go there.
func (x *exchange) leads(status int, fields selector.Fields) (to []byte, does bool) {
	if x.of.plan.Request.Redirects == 0 {
		return nil, false
	}
	switch status {
	case 301, 302, 303, 307, 308:
		return fields.Value("Location", 0)
	}
	return nil, false
}

// hop makes the request to where an answer leads: with the method and the body that the standards say (RFC 9110, 15.4,
// and Fetch), and the cookies of that place.
func (x *exchange) hop(status int, to []byte) *op.Failure {
	if x.hops++; x.hops > x.of.plan.Request.Redirects {
		return &op.Failure{Cause: "too-many-redirects",
			Err: fmt.Errorf("it leads on after %d redirects", x.of.plan.Request.Redirects)}
	}
	from, err := x.place(x.target())
	var next *url.URL
	if err == nil {
		next, err = from.Parse(string(to))
	}
	if err != nil {
		return &op.Failure{Cause: "bad-redirect", Err: errors.New("its Location is no URL")}
	}
	if next.Scheme != from.Scheme || !sameHost(next, from) {
		return &op.Failure{Cause: "redirected-elsewhere",
			Err: fmt.Errorf("it leads to %s://%s, and one run measures one service", next.Scheme, next.Host)}
	}
	bare := status == 303 && x.method != "HEAD" || (status == 301 || status == 302) && x.method == "POST"
	if bare {
		x.method = "GET"
	}
	end := bytes.Index(x.out, []byte("\r\n\r\n"))
	lines := bytes.Split(x.out[:end], []byte("\r\n"))
	body := x.out[end+4:]
	place := strings.ReplaceAll(next.RequestURI(), " ", "%20") // as servers write it, and no request may have it
	b := append([]byte(nil), x.method+" "...)
	if bytes.Contains(lines[0], []byte(" http://")) { // through a proxy
		b = append(b, from.Scheme+"://"+from.Host...)
	}
	b = append(b, place+" HTTP/1.1\r\n"...)
	for _, line := range lines[1:] {
		name, _, _ := bytes.Cut(line, []byte(":"))
		name = bytes.ToLower(name)
		if bare && bytes.HasPrefix(name, []byte("content-")) || string(name) == "cookie" && !x.request.cookied {
			continue
		}
		b = append(append(b, line...), "\r\n"...)
	}
	if x.jar != nil && !x.request.cookied {
		b = x.appendCookies(b, place)
	}
	b = append(b, "\r\n"...)
	if bare {
		body, x.outFile = nil, nil
	}
	x.out, x.outBody, x.patches = append(b, body...), len(body), x.patches[:0]
	if x.outFile != nil {
		x.outBody = int(x.outFile.Size())
	}
	if x.of.signer != nil && !x.request.authorized {
		x.out = x.of.signer.Sign(x.out)
	}
	x.counts.hops.Add(1)
	return nil
}

// sameHost compares hosts and ports, whatever their case, and a port that goes without saying.
func sameHost(a, b *url.URL) bool {
	port := func(u *url.URL) string {
		if p := u.Port(); p != "" {
			return p
		}
		return map[bool]string{false: "80", true: "443"}[u.Scheme == "https"]
	}
	return strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}
