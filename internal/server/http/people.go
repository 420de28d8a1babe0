package http

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/plimsoll/plimsoll/internal/server"
)

// people are those who have logged in, by their tokens, with how many things they have in their carts.
type people struct {
	mu    sync.Mutex
	carts map[string]int
}

// mostPeople bounds how many are remembered; whoever comes then makes all the others strangers.
const mostPeople = 1 << 20

// welcome gives somebody a token.
func (p *people) welcome() string {
	var raw [16]byte
	_, _ = rand.Read(raw[:]) // never fails
	token := hex.EncodeToString(raw[:])
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.carts) >= mostPeople {
		clear(p.carts)
	}
	p.carts[token] = 0
	return token
}

// put puts things into a cart, and says how many are in it; false for a stranger.
func (p *people) put(token string, things int) (int, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, known := p.carts[token]
	if known {
		n += things
		p.carts[token] = n
	}
	return n, known
}

// credentials are of a form or of JSON, by the type of the body.
func credentials(r *http.Request, names ...string) (map[string]string, error) {
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		var given map[string]string
		err := json.NewDecoder(http.MaxBytesReader(nil, r.Body, 1<<16)).Decode(&given)
		return given, err
	}
	r.Body = http.MaxBytesReader(nil, r.Body, 1<<16)
	err := r.ParseForm()
	given := map[string]string{}
	for _, name := range names {
		given[name] = r.PostForm.Get(name)
	}
	return given, err
}

// login takes any user whose password is the name and "-secret", and gives a token, which is also in a cookie.
func (s *Server) login(w http.ResponseWriter, r *http.Request, _ wish) {
	given, err := credentials(r, "user", "password")
	switch {
	case err != nil:
		refuse(w, http.StatusBadRequest, "send user and password as JSON or as a form")
	case given["user"] == "" || given["password"] != given["user"]+"-secret":
		refuse(w, http.StatusUnauthorized, "the password of a user is the user name followed by -secret")
	default:
		token := s.people.welcome()
		http.SetCookie(w, &http.Cookie{Name: "session", Value: token, Path: "/", HttpOnly: true})
		server.AnswerJSON(w, http.StatusOK, map[string]any{"token": token, "user": given["user"]})
	}
}

// token gives an OAuth 2 client its token (RFC 6749, 4.4), for a minute, or for ?expires_in seconds.
func (s *Server) token(w http.ResponseWriter, r *http.Request, _ wish) {
	given, err := credentials(r, "grant_type", "client_id", "client_secret")
	id, secret, basic := r.BasicAuth()
	if basic { // both are form-encoded there (2.3.1)
		given["client_id"], _ = url.QueryUnescape(id)
		given["client_secret"], _ = url.QueryUnescape(secret)
	}
	switch {
	case err != nil || given["grant_type"] != "client_credentials":
		server.AnswerJSON(w, http.StatusBadRequest, map[string]string{"error": "unsupported_grant_type"})
	case given["client_id"] == "" || given["client_secret"] != given["client_id"]+"-secret":
		server.AnswerJSON(w, http.StatusUnauthorized, map[string]string{"error": "invalid_client"})
	default:
		expires := json.Number("60")
		if v := r.URL.Query().Get("expires_in"); v != "" {
			expires = json.Number(v)
		}
		w.Header().Set("Cache-Control", "no-store")
		server.AnswerJSON(w, http.StatusOK, map[string]any{
			"access_token": s.people.welcome(), "token_type": "Bearer", "expires_in": expires,
		})
	}
}

// who is the token that a request shows, in its Authorization or in its cookie.
func who(r *http.Request) string {
	if token, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); is {
		return token
	}
	if c, err := r.Cookie("session"); err == nil {
		return c.Value
	}
	return ""
}

func (s *Server) inCart(w http.ResponseWriter, r *http.Request, things int) {
	n, known := s.people.put(who(r), things)
	if !known {
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuse(w, http.StatusUnauthorized, "log in first, and send the token or the cookie")
		return
	}
	server.AnswerJSON(w, http.StatusOK, map[string]any{"things": n})
}

func (s *Server) me(w http.ResponseWriter, r *http.Request, _ wish) { s.inCart(w, r, 0) }

func (s *Server) addToCart(w http.ResponseWriter, r *http.Request, _ wish) {
	if drain(w, r) {
		s.inCart(w, r, 1)
	}
}
