package http

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/http2"
	"github.com/plimsoll/plimsoll/internal/selector"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/workload/http/cookies"
	"github.com/plimsoll/plimsoll/rundoc"
)

// personal reports whether the request has headers that are not the same in every request.
func (x *exchange) personal() bool {
	h := x.of
	return h.tokens != nil && !x.request.authorized || h.signer != nil || x.jar != nil || x.request.own != nil
}

// headers are those that are not the same in every request.
func (x *exchange) headers(patches *[]template.Patch) []byte {
	x.more = x.more[:0]
	if t := x.of.tokens; t != nil && !x.request.authorized {
		x.more = x.request.header(x.more, "Authorization", t.Value())
	}
	if x.jar != nil || x.request.own != nil {
		x.text = x.request.step.Target.Append(x.text[:0], &x.values)
		x.more = x.appendCookies(x.more, pathOf(string(x.text)), x.renderOwn(patches), patches)
	}
	return x.more
}

// renderOwn renders the cookies that the request has of its own. patches takes where the time stands in them.
func (x *exchange) renderOwn(patches *[]template.Patch) []byte {
	x.own = x.own[:0]
	v := x.values
	v.Patches = patches
	for i, t := range x.request.own {
		if i > 0 {
			x.own = append(x.own, "; "...)
		}
		x.own = t.Append(x.own, &v)
	}
	return x.own
}

// appendCookies adds the header with the cookies of a request for a path: its own and those of the client. Recorded
// ones give way to those that the service has set since; written ones do not. patches are those of own.
func (x *exchange) appendCookies(b []byte, path string, own []byte, patches *[]template.Patch) []byte {
	value := own
	if x.jar != nil {
		recorded := x.request.step.Recorded
		var replaced func(name []byte)
		if recorded && !x.warmup() {
			replaced = x.of.replaced.count
		}
		x.cookie = x.jar.Append(x.cookie[:0], path, time.Now(), own, !recorded, replaced)
		value = x.cookie
	}
	if len(value) == 0 {
		return b
	}
	b = x.request.header(b, "Cookie", value)
	at := len(b) - len(value)
	if !x.request.streams {
		at -= len("\r\n")
	}
	shift(patches, 0, written(patches), at)
	return b
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

// keepCookies stores the cookies that an answer sets.
func (x *exchange) keepCookies(fields selector.Fields) {
	line, found := fields.Value("Set-Cookie", 0)
	if !found {
		return
	}
	if x.jar == nil {
		s := &x.of.script.Service
		u := url.URL{Host: s.Host}
		x.jar = cookies.New(u.Hostname(), s.Secure)
	}
	path, now := pathOf(x.target()), time.Now()
	for n := 1; found; n++ {
		if name, why := x.jar.Set(line, path, now); why != "" && !x.warmup() {
			x.of.refused.add(name, why)
		}
		line, found = fields.Value("Set-Cookie", n)
	}
}

// warmup reports whether the client is one of the warm-up.
func (x *exchange) warmup() bool { return x.counts == &x.of.counts[len(x.of.counts)-1] }

// maxCookieNames limits how many names of cookies a document has.
const maxCookieNames = 32

// cookieCounts counts cookies by their names. It is safe for concurrent use.
type cookieCounts struct {
	mu   sync.Mutex
	list []rundoc.HTTPCookie
}

func (c *cookieCounts) count(name []byte) { c.add(string(name), "") }

func (c *cookieCounts) add(name, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.list {
		if c.list[i].Name == name {
			c.list[i].Count++
			return
		}
	}
	if len(c.list) < maxCookieNames {
		c.list = append(c.list, rundoc.HTTPCookie{Name: name, Why: why, Count: 1})
	}
}

// document returns the counts in the order of the names.
func (c *cookieCounts) document() []rundoc.HTTPCookie {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedFunc(slices.Values(c.list), func(a, b rundoc.HTTPCookie) int {
		return cmp.Compare(a.Name, b.Name)
	})
}

// pathOf is the path of a target: without its query, and without the address that a request to a proxy has.
func pathOf(target string) string {
	path, _, _ := strings.Cut(target, "?")
	if _, rest, found := strings.Cut(path, "://"); found {
		if at := strings.IndexByte(rest, '/'); at >= 0 {
			return rest[at:]
		}
		return "/"
	}
	return path
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
			Err: fmt.Errorf("still redirected after %d redirects", x.of.plan.Request.Redirects)}
	}
	from, err := x.place(x.target())
	var next *url.URL
	if err == nil {
		next, err = from.Parse(string(to))
	}
	if err != nil {
		return &op.Failure{Cause: "bad-redirect", Err: errors.New("the Location header is not a valid URL")}
	}
	if next.Scheme != from.Scheme || !sameHost(next, from) {
		return &op.Failure{Cause: "redirected-elsewhere",
			Err: fmt.Errorf("redirected to %s://%s, which is not the measured service", next.Scheme, next.Host)}
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
		name, value, _ := bytes.Cut(line, []byte(": "))
		name = bytes.ToLower(name)
		if x.of.cookies && string(name) == "cookie" {
			if x.request.own != nil && !x.request.step.Recorded {
				copy(x.own, value) // with the time that was sent
			}
			continue
		}
		if bare && bytes.HasPrefix(name, []byte("content-")) {
			continue
		}
		b = append(append(b, line...), "\r\n"...)
	}
	if x.request.own == nil {
		x.own = x.own[:0]
	}
	b = x.appendCookies(b, pathOf(place), x.own, nil)
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
