package server

import (
	"net"
	"net/http"
	"slices"
	"strings"
)

// A page of a foreign site can have its own name point to 127.0.0.1 and then ask, as far as the browser can tell, its
// own server (DNS rebinding). The name in the header Host is what gives it away. An address, or a name that nobody else
// can own, cannot be had for that.

// notForSale are the ends of names that are nobody's (RFC 2606, RFC 6761, RFC 6762, RFC 8375; internal by ICANN), and
// of those of the service that the responder stands for.
var notForSale = [...]string{
	"localhost", "test", "invalid", "example", "local", "internal", "home.arpa", "example.com", "example.net",
	"example.org", "amazonaws.com", "api.aws",
}

// Misdirected reports whether a request to an address of this machine alone means the server of somebody else by its
// header Host. The server's own names are that of the address as it was given, and others, with all below them.
func Misdirected(host string, own ...string) bool {
	host = strings.TrimSuffix(hostOf(host), ".")
	if net.ParseIP(host) != nil || !strings.Contains(host, ".") {
		return false
	}
	below := func(end string) bool {
		name, is := strings.CutSuffix(host, end)
		return is && (name == "" || strings.HasSuffix(name, "."))
	}
	return !slices.ContainsFunc(notForSale[:], below) &&
		!slices.ContainsFunc(own, func(name string) bool { return hostOf(name) != "" && below(hostOf(name)) })
}

// Local reports whether a request means this machine by name or address: more than Misdirected asks for, where what is
// shown is worth it.
func Local(host, listen string) bool {
	host = hostOf(host)
	ip := net.ParseIP(host)
	return host == "localhost" || host != "" && host == hostOf(listen) || ip != nil && ip.IsLoopback()
}

// hostOf is the host of host:port, in lower case.
func hostOf(hostport string) string {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	return strings.ToLower(host)
}

// OnLoopback reports whether only this machine can reach a listener.
func OnLoopback(l net.Listener) bool {
	at, is := l.Addr().(*net.TCPAddr)
	return is && at.IP.IsLoopback()
}

// AnyOrigin, among the origins that a server allows, allows all.
const AnyOrigin = "*"

// CrossOrigin reports whether a browser sent a request for a page of another origin: any page that somebody opens could
// otherwise read from, write to and delete from a server of their own machine. Clients that are no browsers send
// neither of the headers that tell, and are never refused. A link to the server may be followed from anywhere: what it
// leads to is shown, and the page that the link stood on sees nothing of it.
//
// It is stricter than http.CrossOriginProtection, which lets every GET pass.
func CrossOrigin(r *http.Request, allowed ...string) bool {
	site, origin := first(r.Header["Sec-Fetch-Site"]), first(r.Header["Origin"])
	if site == "" && origin == "" {
		return false
	}
	if followed := r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document"; followed {
		return false
	}
	if origin != "" && (slices.Contains(allowed, AnyOrigin) || slices.Contains(allowed, origin)) {
		return false
	}
	switch site {
	case "same-origin", "none":
		return false
	case "": // a browser of before 2023, or one that speaks WebSocket
		_, from, _ := strings.Cut(origin, "://")
		return !strings.EqualFold(from, r.Host)
	}
	return true
}

// first is the first value of a header, which net/http has under its canonical name.
func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}
