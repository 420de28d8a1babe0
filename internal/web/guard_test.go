package web

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// page answers that it was reached.
var page = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "page "+r.URL.Path) })

// ask asks a guard for what a request line names.
func ask(g *guard, method, target string, change func(*http.Request)) *http.Response {
	r := httptest.NewRequest(method, target, nil)
	r.Host = "127.0.0.1:8080"
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	g.ServeHTTP(w, r)
	return w.Result()
}

// A name of a foreign site that was pointed at this machine opens nothing.
func TestForeignHostNamesAreRefused(t *testing.T) {
	for host, want := range map[string]int{
		"127.0.0.1:8080": 200, "localhost:8080": 200, "LOCALHOST": 200, "[::1]:9": 200, "127.8.8.8": 200, "box:1": 200,
		"evil.example:8080": 403, "127.0.0.1.evil.example": 403, "localhost.evil.example:8080": 403, "10.0.0.1:8080": 403,
		"": 403, "[": 403,
	} {
		got := ask(newGuard(page, "Box", "8080", true, ""), "GET", "/", func(r *http.Request) { r.Host = host })
		if got.StatusCode != want {
			t.Errorf("host %q: status %d, want %d", host, got.StatusCode, want)
		}
	}
	if got := ask(newGuard(page, "", "1", false, "t"), "GET", "/?token=t", func(r *http.Request) { r.Host = "any.example" }); got.StatusCode != 303 {
		t.Errorf("an address of all: status %d", got.StatusCode)
	}
}

func TestMethods(t *testing.T) {
	for method, want := range map[string]int{
		"GET": 200, "HEAD": 200, "POST": 405, "PUT": 405, "DELETE": 405, "OPTIONS": 405, "TRACE": 405, "PROPFIND": 405,
	} {
		got := ask(newGuard(page, "", "1", true, ""), method, "/", nil)
		if got.StatusCode != want || want == 405 && got.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: status %d, allowed %q", method, got.StatusCode, got.Header.Get("Allow"))
		}
	}
}

// What a browser must not do with an answer stands on each, also on those that say no.
func TestHeaders(t *testing.T) {
	g := newGuard(page, "", "1", true, "")
	for _, r := range []*http.Response{ask(g, "GET", "/", nil), ask(g, "POST", "/", nil)} {
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
			"X-Frame-Options": "DENY", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%d: %s is %q", r.StatusCode, name, got)
			}
		}
		if csp := r.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors 'none'") {
			t.Errorf("%d: policy %q", r.StatusCode, csp)
		}
	}
}

// A token becomes a cookie that no script and no other site has a use for, and is gone from the address.
func TestToken(t *testing.T) {
	const token = "0123456789abcdef"
	g := newGuard(page, "", "8080", false, token)
	in := ask(g, "GET", "//evil.example/?token="+token, nil)
	if in.StatusCode != 303 || in.Header.Get("Location") != "/" {
		t.Errorf("with the token: status %d, on to %q", in.StatusCode, in.Header.Get("Location"))
	}
	cookies := in.Cookies()
	if len(cookies) != 1 {
		t.Fatalf("cookies: %v", cookies)
	}
	if c := cookies[0]; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Name != "plimsoll-8080" ||
		strings.Contains(c.Value, token) || len(c.Value) < 26 {
		t.Errorf("cookie %v", c)
	}
	for name, c := range map[string]struct {
		target string
		change func(*http.Request)
		want   int
	}{
		"nothing":         {"/", nil, 403},
		"the cookie":      {"/", func(r *http.Request) { r.AddCookie(cookies[0]) }, 200},
		"a bearer":        {"/", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }, 200},
		"a wrong bearer":  {"/", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token+"0") }, 403},
		"no bearer":       {"/", func(r *http.Request) { r.Header.Set("Authorization", token) }, 403},
		"a wrong token":   {"/?token=" + token[1:], nil, 403},
		"an empty token":  {"/?token=", nil, 403},
		"two tokens":      {"/?token=" + token + "&token=x", nil, 403},
		"a wrong cookie":  {"/", func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "plimsoll-8080", Value: token}) }, 403},
		"an empty cookie": {"/", func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "plimsoll-8080"}) }, 403},
		"a cookie of another port": {"/", func(r *http.Request) {
			r.AddCookie(&http.Cookie{Name: "plimsoll-8081", Value: cookies[0].Value})
		}, 403},
	} {
		got := ask(g, "GET", c.target, c.change)
		body, _ := io.ReadAll(got.Body)
		if got.StatusCode != c.want {
			t.Errorf("%s: status %d, want %d", name, got.StatusCode, c.want)
		}
		if c.want == 403 && (strings.Count(string(body), "\n") != 1 || strings.Contains(string(body), token)) {
			t.Errorf("%s: %q", name, body)
		}
	}
}

func TestAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"8080": "127.0.0.1:8080", ":8080": "127.0.0.1:8080", "0": "127.0.0.1:0", "0.0.0.0:80": "0.0.0.0:80",
		"localhost:1": "localhost:1", "[::1]:2": "[::1]:2", "[::]:65535": "[::]:65535",
		"": "", "host": "", "host:": "", ":http": "", "1.2.3.4": "", "65536": "", ":-1": "", "08": "", "a b:1": "",
		"http://x:1": "", "x/y:1": "", "::1:2": "",
	} {
		got, err := CheckAddress("--ui", text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
		if err != nil && (fault.CodeOf(err) != fault.Usage || !strings.HasPrefix(err.Error(), "--ui ") || fault.HintOf(err) == "") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzCheckAddress(f *testing.F) {
	for _, seed := range []string{"8080", ":1", "[::1]:2", "a:b", "%zz:1", "[", "x]:1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := CheckAddress("--ui", text)
		if err != nil {
			return
		}
		if host, port, err := net.SplitHostPort(got); err != nil || host == "" || !isPort(port) {
			t.Errorf("%q became %q: %v", text, got, err)
		}
	})
}

// Where others can reach the address there is a token, whoever made it, and only one that was made is shown.
func TestTokenIsRequiredOffLoopback(t *testing.T) {
	listen := func(address, token string) (*Server, error) {
		s, err := Listen(context.Background(), Options{Flag: "--ui", Address: address, Token: token})
		if err == nil {
			t.Cleanup(func() { _ = s.Close() })
		}
		return s, err
	}
	const chosen = "abcdefgh.0123456"
	for _, c := range []struct {
		address, token string
		shown, needed  bool
	}{
		{"0", "", false, false}, {"localhost:0", "", false, false}, {"0.0.0.0:0", "", true, true}, {"[::]:0", "", true, true},
		{"0", chosen, false, true}, {"0.0.0.0:0", chosen, false, true},
	} {
		s, err := listen(c.address, c.token)
		if err != nil {
			if strings.Contains(c.address, "::") {
				continue // without IPv6
			}
			t.Fatal(err)
		}
		made := s.token != "" && strings.HasSuffix(s.URL(), "?token="+s.token)
		if made != c.shown || (s.token != "") != c.needed || strings.Contains(s.URL(), chosen) ||
			c.token != "" && !strings.HasSuffix(s.URL(), "?token=$PLIMSOLL_UI_TOKEN") {
			t.Errorf("%+v: %s, needed %v", c, s.URL(), s.token != "")
		}
	}
	one, _ := listen("0.0.0.0:0", "")
	two, _ := listen("0.0.0.0:0", "")
	if one.token == two.token {
		t.Error("two servers have the same token")
	}
	for _, bad := range []string{"short", "0123456789abcde", "0123456789abcde&", "0123456789 abcdef"} {
		if _, err := listen("0", bad); fault.CodeOf(err) != fault.Usage || strings.Contains(err.Error(), bad) {
			t.Errorf("token %q: %v", bad, err)
		}
	}
	_, err := listen(one.port.Addr().String(), "")
	if fault.CodeOf(err) != fault.Usage || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("an address that is taken: %v", err)
	}
	if diff := cmp.Diff("choose another port; 0 selects a free one", fault.HintOf(err)); diff != "" {
		t.Error(diff)
	}
}

// Requests that come when all places are taken get those of the slowest, and are refused only where all came just now.
// One address has half of the places at most.
func TestSlowClientsTakeNobodysPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reached, cut atomic.Int64
		g := newGuard(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			reached.Add(1)
			<-r.Context().Done() // as a stream of events, or an answer that is read slowly
			cut.Add(1)
		}), "", "1", true, "")
		ctx, end := context.WithCancel(t.Context())
		come := func(from string) *http.Response {
			status := make(chan *http.Response, 1)
			go func() {
				status <- ask(g, "GET", "/", func(r *http.Request) {
					*r = *r.WithContext(ctx)
					r.RemoteAddr = from + ":1"
				})
			}()
			synctest.Wait()
			select {
			case got := <-status:
				return got
			default:
				return nil // it is being answered
			}
		}
		for range 32 {
			come("10.0.0.1")
		}
		if got := come("10.0.0.1"); got == nil || got.StatusCode != 503 {
			t.Error("one address has more than half of the places")
		}
		for range 32 {
			come("10.0.0.2")
		}
		if got := come("10.0.0.3"); got == nil || got.StatusCode != 503 {
			t.Error("one that came just now had to give way")
		}
		time.Sleep(2 * time.Second)
		for range 40 {
			if come("10.0.0.3") != nil {
				break
			}
		}
		if reached.Load() != 64+32 || cut.Load() != 32 {
			t.Errorf("%d requests were answered, and %d gave way", reached.Load(), cut.Load())
		}
		end()
		synctest.Wait()
		if n := len(g.places.inside); n != 0 {
			t.Errorf("%d places are taken, and nobody is there", n)
		}
	})
}
