package cookies

import (
	"bytes"
	"net/netip"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"
)

// Limits of a jar. Those on cookies are the browsers'.
const (
	maxCookies = 180
	maxCookie  = 4096     // bytes of name and value together
	maxBytes   = 64 << 10 // names, values and paths of all cookies together; servers accept far shorter headers
	maxRemoved = 180      // names of removed cookies that are remembered
	maxName    = 256      // bytes of such a name
)

// Jar holds the cookies that a service has set for one client. It is not safe for concurrent use.
type Jar struct {
	host    string
	address bool // host is an IP address
	secure  bool // the service may set and receive Secure cookies
	list    []cookie
	bytes   int
	clock   uint64 // orders the uses and creations of cookies
	removed []string
}

type cookie struct {
	name, value  string
	domain, path string
	hostOnly     bool
	expires      time.Time // zero: at the end of the session
	created      uint64
	used         uint64
}

func (c *cookie) size() int { return len(c.name) + len(c.value) + len(c.path) }

// New returns an empty jar for a host, without port, that is reached by TLS or not.
func New(host string, tls bool) *Jar {
	host = strings.ToLower(host)
	ip, err := netip.ParseAddr(host)
	local := host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && ip.IsLoopback()
	return &Jar{host: host, address: err == nil, secure: tls || local}
}

// Set stores the cookie of a Set-Cookie header field that came in response to a request for a path without query. If
// the cookie is refused, Set returns its name and the reason; a line that is no cookie has neither.
func (j *Jar) Set(line []byte, path string, now time.Time) (name, refused string) {
	s, ok := parse(string(line))
	if !ok {
		return "", ""
	}
	c := cookie{name: s.name, value: s.value, domain: j.host, hostOnly: true, path: s.path, expires: s.expiry(now)}
	if len(c.name)+len(c.value) > maxCookie {
		return s.name, "name and value are longer than 4,096 bytes"
	}
	switch {
	case s.domain == "" || s.domain == j.host && (j.address || isPublic(s.domain)):
	case !j.matches(s.domain):
		return s.name, "its Domain does not match the host"
	case isPublic(s.domain):
		return s.name, "its Domain is a public suffix"
	default:
		c.domain, c.hostOnly = s.domain, false
	}
	if !strings.HasPrefix(c.path, "/") {
		c.path = defaultPath(path)
	}
	switch prefix := strings.ToLower(s.name); {
	case s.secure && !j.secure:
		return s.name, "it is Secure, but the connection is not"
	case strings.HasPrefix(prefix, "__secure-") && !s.secure,
		strings.HasPrefix(prefix, "__host-") && !(s.secure && s.domain == "" && s.path == "/"):
		return s.name, "it lacks the attributes that its name prefix requires"
	}
	j.store(c, now)
	return "", ""
}

// store adds c, in place of the cookie with the same identity, or removes that if c has expired.
func (j *Jar) store(c cookie, now time.Time) {
	j.clock++
	c.created, c.used = j.clock, j.clock
	at := slices.IndexFunc(j.list, func(o cookie) bool {
		return o.name == c.name && o.path == c.path && o.domain == c.domain && o.hostOnly == c.hostOnly
	})
	if at >= 0 {
		c.created = j.list[at].created
		j.remove(at)
	}
	if c.expired(now) {
		j.forget(c.name)
		return
	}
	j.removed = slices.DeleteFunc(j.removed, func(name string) bool { return name == c.name })
	j.expire(now)
	for len(j.list) > 0 && (len(j.list) >= maxCookies || j.bytes+c.size() > maxBytes) {
		oldest := 0
		for i := range j.list {
			if j.list[i].used < j.list[oldest].used {
				oldest = i
			}
		}
		j.remove(oldest)
	}
	// Longer paths come first, and then older cookies (RFC 6265, section 5.4).
	at, _ = slices.BinarySearchFunc(j.list, c, func(o, c cookie) int {
		if len(o.path) != len(c.path) {
			return len(c.path) - len(o.path)
		}
		return int(int64(o.created) - int64(c.created))
	})
	j.list = slices.Insert(j.list, at, c)
	j.bytes += c.size()
}

func (c *cookie) expired(now time.Time) bool { return !c.expires.IsZero() && !c.expires.After(now) }

func (j *Jar) remove(at int) {
	j.bytes -= j.list[at].size()
	j.list = slices.Delete(j.list, at, at+1)
}

// forget remembers that the service has removed a cookie, or let it expire.
func (j *Jar) forget(name string) {
	if len(name) <= maxName && len(j.removed) < maxRemoved && !slices.Contains(j.removed, name) {
		j.removed = append(j.removed, name)
	}
}

func (j *Jar) expire(now time.Time) {
	for i := 0; i < len(j.list); {
		if !j.list[i].expired(now) {
			i++
			continue
		}
		j.forget(j.list[i].name)
		j.remove(i)
	}
}

// Append appends the value of a Cookie header field for a request for a path without query: "a=b; c=d". own holds
// further pairs, as such a field holds them. Of cookies with the same name, those of own are sent if ownWins is true,
// else those of the jar, unless the jar has no such cookie for this path. replaced, if not nil, is called with the name
// of each pair of own that is not sent.
func (j *Jar) Append(b []byte, path string, now time.Time, own []byte, ownWins bool, replaced func([]byte)) []byte {
	j.expire(now)
	from := len(b)
	add := func(text ...string) {
		if len(b) > from {
			b = append(b, "; "...)
		}
		for _, t := range text {
			b = append(b, t...)
		}
	}
	if ownWins {
		b = append(b, own...)
	} else {
		for pair := range bytes.SplitSeq(own, []byte{';'}) {
			pair = bytes.Trim(pair, " \t")
			name, _, _ := bytes.Cut(pair, []byte{'='})
			switch {
			case len(pair) == 0:
			case j.replaces(string(name), path):
				if replaced != nil {
					replaced(name)
				}
			default:
				add(string(pair))
			}
		}
	}
	j.clock++
	for i := range j.list {
		c := &j.list[i]
		if !matchesPath(path, c.path) || ownWins && names(own, c.name) {
			continue
		}
		c.used = j.clock
		add(c.name, "=", c.value)
	}
	return b
}

// replaces reports whether the service has set a cookie of this name for a path, or has removed one.
func (j *Jar) replaces(name, path string) bool {
	return slices.Contains(j.removed, name) ||
		slices.ContainsFunc(j.list, func(c cookie) bool { return c.name == name && matchesPath(path, c.path) })
}

// names reports whether a Cookie header field has a pair of this name.
func names(field []byte, name string) bool {
	for pair := range bytes.SplitSeq(field, []byte{';'}) {
		if of, _, _ := bytes.Cut(pair, []byte{'='}); string(bytes.Trim(of, " \t")) == name {
			return true
		}
	}
	return false
}

// Len returns the number of cookies.
func (j *Jar) Len() int { return len(j.list) }

// matches reports whether the host domain-matches a domain (RFC 6265, section 5.1.3).
func (j *Jar) matches(domain string) bool {
	return j.host == domain || !j.address && strings.HasSuffix(j.host, "."+domain)
}

// isPublic reports whether anybody can register names below a domain. No cookie is for all of those.
func isPublic(domain string) bool {
	suffix, _ := publicsuffix.PublicSuffix(domain)
	return suffix == domain
}

// defaultPath is the path of a cookie that has none (RFC 6265, section 5.1.4).
func defaultPath(path string) string {
	if at := strings.LastIndexByte(path, '/'); at > 0 && path[0] == '/' {
		return path[:at]
	}
	return "/"
}

// matchesPath reports whether the path of a request path-matches that of a cookie.
func matchesPath(path, of string) bool {
	rest, is := strings.CutPrefix(path, of)
	return is && (rest == "" || rest[0] == '/' || strings.HasSuffix(of, "/"))
}
