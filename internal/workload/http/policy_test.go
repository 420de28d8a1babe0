package http_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/runtest"
	target "github.com/plimsoll/plimsoll/internal/server/http"
	room "github.com/plimsoll/plimsoll/internal/workload/http"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestAuthorizationIsSent: each request shows what was given, but one that says itself who asks.
func TestAuthorizationIsSent(t *testing.T) {
	t.Setenv("PLIMSOLL_TEST_PASSWORD", "open: sesame")
	url := serve(t, nil)
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("ann:open: sesame"))
	for name, c := range map[string]struct {
		auth  room.Auth
		shown string
		own   []string
	}{
		"user":    {auth: room.Auth{User: "ann:${env.PLIMSOLL_TEST_PASSWORD}"}, shown: basic},
		"bearer":  {auth: room.Auth{Bearer: "abc"}, shown: "Bearer abc"},
		"its own": {auth: room.Auth{Bearer: "abc"}, shown: "Digest x", own: []string{"authorization: Digest x"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := flow(t, nil, script.Request{URL: url + "/echo?headers", Headers: c.own,
				Checks: []string{`json headers.Authorization = ["` + c.shown + `"]`}})
			if _, total := run(t, s, 8, func(p *room.Plan) { p.Auth = c.auth }); total.OK != 8 {
				t.Errorf("%d ok: %+v", total.OK, total.Causes)
			}
		})
	}
}

// TestCookiesBelongToOneClient: what a login sets is shown by the same client in the requests that follow, and in the open model by
// nobody who came later.
func TestCookiesBelongToOneClient(t *testing.T) {
	url := serve(t, nil)
	login := script.Request{Name: "login", URL: url + "/login", Headers: []string{"Content-Type: application/json"}, HasBody: true,
		Body: `{"user":"u${seq}","password":"u${seq}-secret"}`}
	cart := script.Request{Name: "cart", Method: "POST", URL: url + "/cart", Checks: []string{"json things = 1"}}
	look := script.Request{Name: "look", URL: url + "/cart", Checks: []string{"json things = 1"}}
	open := func(p *room.Plan) { p.Load.Rate, p.Load.MaxWaiting = 500, 1000 }
	if _, total := run(t, flow(t, nil, login, cart, look), 30, open); total.OK != 90 {
		t.Errorf("in sequence: %d ok: %+v", total.OK, total.Causes)
	}
	if _, total := run(t, flow(t, nil, login, cart, look), 30, http2(open)); total.OK != 90 {
		t.Errorf("in sequence, HTTP/2: %d ok: %+v", total.OK, total.Causes)
	}
	off := func(p *room.Plan) { p.Request.Cookies = "off" }
	if _, total := run(t, flow(t, nil, login, cart), 10, off); total.OK != 10 || total.Failed != 10 {
		t.Errorf("without: %d ok, %d failed", total.OK, total.Failed)
	}
	// A stranger has no session; in the closed model a client that stays has.
	who := script.Request{Name: "who", URL: url + "/echo?headers", Checks: []string{"not json headers.Cookie"}}
	if _, total := run(t, flow(t, nil, who, login, cart), 30, open); total.OK != 90 {
		t.Errorf("strangers: %d ok: %+v", total.OK, total.Causes)
	}
	// Where the machine gives some clients no turn, the others have all the flows; the first of each is a stranger's.
	if _, total := run(t, flow(t, nil, who, login), 20, nil); total.Failed < 16 || total.Failed > 19 {
		t.Errorf("of 20 flows by 4 clients %d found their cookies again", total.Failed)
	}
}

// TestRedirectsAreOneOperation: each hop is a request of the server's count, and all of them one operation.
func TestRedirectsAreOneOperation(t *testing.T) {
	for name, change := range map[string]func(p *room.Plan){
		"kept":          func(*room.Plan) {},
		"no keep-alive": func(p *room.Plan) { p.Dial.NoKeepAlive = true },
		"retried":       func(p *room.Plan) { p.Load.Retry.Max = 100 },
	} {
		t.Run(name, func(t *testing.T) {
			url := serve(t, func(c *target.Config) {
				if name == "retried" {
					c.Faults.ErrorRate = 0.2
				}
			})
			s := flow(t, nil, script.Request{URL: url + "/redirect/3", HasBody: true, Body: "text", Method: "POST",
				Checks: []string{`json method = GET`, `json path = /`}})
			if name == "retried" {
				s.Flows[0].Steps[0].Checks = nil
			}
			const n = 20
			doc, total := run(t, s, n, func(p *room.Plan) {
				p.Request.Redirects = 3
				change(p)
			})
			server, d := ask(t, url), doc.HTTP()
			if total.OK != n || total.Bytes <= 0 {
				t.Errorf("%d ok: %+v", total.OK, total.Causes)
			}
			if d.Redirects != server.Statuses["302"] || server.Requests != total.Attempts+d.Redirects {
				t.Errorf("%d redirects, %d attempts; the server: %+v", d.Redirects, total.Attempts, server)
			}
			if server.Connections != doc.Connections.Opened+1 {
				t.Errorf("%d connections were opened, the server has %d", doc.Connections.Opened, server.Connections-1)
			}
		})
	}
	url := serve(t, nil)
	for name, c := range map[string]struct {
		path, cause string
		most        int
	}{
		"an answer": {"/redirect/3", "", 0}, "too many": {"/redirect/3", "too-many-redirects", 2},
	} {
		_, total := run(t, flow(t, nil, script.Request{URL: url + c.path}), 4, func(p *room.Plan) { p.Request.Redirects = c.most })
		if c.cause == "" && total.OK != 4 || c.cause != "" && (len(total.Causes) != 1 || total.Causes[0].Cause != c.cause) {
			t.Errorf("%s: %d ok, %+v", name, total.OK, total.Causes)
		}
	}
}

// TestRedirectsStayAtTheService: to the same service alone, with the method that the standards say.
func TestRedirectsStayAtTheService(t *testing.T) {
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	var mu sync.Mutex // guards what the server's goroutines have in common with the test's
	var location, got string
	status := 0
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path == "/from/here" {
			http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1", Path: "/"})
			w.Header().Set("Location", location)
			w.WriteHeader(status)
			return
		}
		body := make([]byte, 10)
		n, _ := r.Body.Read(body)
		got = r.Method + " " + r.RequestURI + " " + string(body[:n]) + " " + r.Header.Get("Content-Type") + " " + r.Header.Get("Cookie")
	}))
	defer service.Close()
	for _, c := range []struct {
		method   string
		status   int
		location string
		want     string // cause, or what came
	}{
		{"POST", 301, "/to?a=b", "GET /to?a=b   seen=1"},
		{"POST", 302, "there", "GET /from/there   seen=1"},
		{"POST", 302, "/to?a= b c", "GET /to?a=%20b%20c   seen=1"},
		{"PUT", 302, "/to", "PUT /to text text/x seen=1"},
		{"PUT", 303, "/to", "GET /to   seen=1"},
		{"POST", 307, "/to#part", "POST /to text text/x seen=1"},
		{"DELETE", 308, service.URL + "/to", "DELETE /to text text/x seen=1"},
		{"POST", 307, other.URL + "/", "redirected-elsewhere"},
		{"POST", 307, "https" + strings.TrimPrefix(service.URL, "http") + "/", "redirected-elsewhere"},
		{"POST", 302, "http://%zz/", "bad-redirect"},
	} {
		mu.Lock()
		location, status, got = c.location, c.status, ""
		mu.Unlock()
		s := flow(t, nil, script.Request{URL: service.URL + "/from/here", Method: c.method, HasBody: true, Body: "text",
			Headers: []string{"Content-Type: text/x"}})
		_, total := run(t, s, 1, func(p *room.Plan) { p.Request.Redirects, p.Request.Cookies, p.Load.Clients = 5, "on", 1 })
		mu.Lock()
		if total.Failed > 0 {
			got = total.Causes[0].Cause
		}
		if got != c.want {
			t.Errorf("%s %d to %s: %q, want %q", c.method, c.status, c.location, got, c.want)
		}
		mu.Unlock()
	}
	if elsewhere.Load() != 0 {
		t.Error("another service was asked")
	}
}

// TestTokenIsFetchedOnce: each request shows a token that the server gave, and the server is asked once for all clients.
func TestTokenIsFetchedOnce(t *testing.T) {
	url := serve(t, nil)
	s := flow(t, nil, script.Request{URL: url + "/me", Checks: []string{"status 200"}})
	p := room.DefaultPlan()
	p.Load.Clients, p.Load.Operations, p.Load.WarmupClients = 4, 40, 0
	p.Load.Retry.Timeout, p.Load.Drain = runtest.Patience, runtest.Patience
	p.Auth = room.Auth{TokenURL: url + "/token", ClientID: "me", ClientSecret: "me-secret"}
	w, err := room.New(p, s)
	if err != nil {
		t.Fatal(err)
	}
	end, err := w.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	r := runtest.Engine(t, engine.Config{Load: p.Load, Workload: w})
	doc, total := runtest.Document(t, r, rundoc.WorkloadHTTP, func(doc *rundoc.Run) (rundoc.Detail, error) { return w.Detail(doc) })
	d := doc.HTTP()
	if server := ask(t, url); total.OK != 40 || d.Tokens.Fetched != 1 || server.Requests != 41 {
		t.Errorf("%d ok: %+v; %+v; the server: %+v", total.OK, total.Causes, d.Tokens, server)
	}
	p.Auth.ClientSecret = "nonsense"
	if w, err = room.New(p, s); err != nil {
		t.Fatal(err)
	}
	if _, err = w.Begin(t.Context()); err == nil || !strings.Contains(err.Error(), "invalid_client") ||
		strings.Contains(err.Error(), "nonsense") {
		t.Errorf("a wrong secret: %v", err)
	}
}
