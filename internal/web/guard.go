package web

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/server"
)

const (
	// mostRequests are answered at a time, and the streams of events among them.
	mostRequests = 64
	// answerTime bounds the writing of an answer; a stream bounds each of its events.
	answerTime = time.Minute
)

// guard stands before all pages.
type guard struct {
	pages   http.Handler
	given   string // the address, as it was
	local   bool   // only this machine can reach the address
	token   string // "": none is asked for
	session string // what the cookie has in place of the token
	cookie  string // its name: cookies of one host are those of all its ports
	places  *places
}

func newGuard(pages http.Handler, given, port string, local bool, token string) *guard {
	return &guard{
		pages: pages, given: given, local: local, token: token,
		session: rand.Text(), cookie: "plimsoll-" + port, places: newPlaces(mostRequests),
	}
}

// ServeHTTP refuses whoever may not see the pages, in one line each.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header())
	bounds := http.NewResponseController(w)
	_ = bounds.SetWriteDeadline(time.Now().Add(answerTime)) // where it cannot be set there is no connection either
	if r.ContentLength != 0 {                               // nobody asks for it, and net/http would wait for its end
		_ = bounds.SetReadDeadline(time.Now().Add(headerTime))
	}
	switch {
	case !g.knows(r.Host):
		refuse(w, http.StatusForbidden, "this server accepts browsers on its own machine only: use localhost")
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, "read-only: only GET and HEAD are allowed")
	default:
		in, leave, ok := g.places.enter(w, r)
		if !ok {
			refuse(w, http.StatusServiceUnavailable, "too many open pages")
			return
		}
		defer leave()
		g.admit(w, in)
	}
}

// admit asks for the token, where there is one. What came with it gets a cookie in its place and is sent on, so that
// it stays neither in the line of the address nor in what a browser remembers of it.
func (g *guard) admit(w http.ResponseWriter, r *http.Request) {
	shown := r.URL.Query()["token"]
	switch {
	case g.token == "":
		g.pages.ServeHTTP(w, r)
	case len(shown) == 1 && same(shown[0], g.token):
		http.SetCookie(w, &http.Cookie{
			Name: g.cookie, Value: g.session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		})
		w.Header().Set("Location", "/") // and nowhere that the request names: it may be a link of somebody else's
		w.WriteHeader(http.StatusSeeOther)
	case len(shown) == 0 && (g.remembered(r) || g.bears(r)):
		g.pages.ServeHTTP(w, r)
	default:
		refuse(w, http.StatusForbidden, "this page requires a token: open the address that was printed when it started")
	}
}

// knows reports whether a request meant this server by that name. Of an address that others reach too, nobody knows all
// names; a page of a foreign site that was pointed here has no cookie for them.
func (g *guard) knows(hostport string) bool {
	return !g.local || server.Local(hostport, g.given)
}

func (g *guard) remembered(r *http.Request) bool {
	for _, c := range r.CookiesNamed(g.cookie) {
		if same(c.Value, g.session) {
			return true
		}
	}
	return false
}

// bears reports whether a program shows the token, which needs no cookie.
func (g *guard) bears(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") && same(token, g.token)
}

// same compares what is secret in a time that tells nothing of it, its length included.
func same(one, other string) bool {
	a, b := sha256.Sum256([]byte(one)), sha256.Sum256([]byte(other))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// protect says to the browser what it must not do with an answer. Pages say themselves what of them may run.
func protect(h http.Header) {
	h.Set("Content-Security-Policy", "frame-ancestors 'none'; base-uri 'none'; object-src 'none'; form-action 'self'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// refuse answers with a line.
func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(why + "\n")) // whoever is gone reads nothing
}
