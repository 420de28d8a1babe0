package http_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	room "github.com/plimsoll/plimsoll/internal/workload/http"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
	"github.com/plimsoll/plimsoll/rundoc"
)

// baker starts a server, also of HTTP/2 without TLS, that sets cookies in the responses to /login, and returns the
// Cookie headers of all requests for other paths.
func baker(t *testing.T, set ...string) (url string, came func() []string) {
	t.Helper()
	var mu sync.Mutex
	var list []string
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch r.URL.Path {
		case "/login":
			w.Header()["Set-Cookie"] = set
		case "/hop":
			http.Redirect(w, r, "/there", http.StatusSeeOther)
		default:
			list = append(list, strings.Join(r.Header["Cookie"], "&"))
		}
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	return server.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return list
	}
}

// protocols are the changes of a plan for each protocol.
var protocols = map[string]func(change func(p *room.Plan)) func(p *room.Plan){
	"HTTP/1.1": func(change func(p *room.Plan)) func(p *room.Plan) { return change }, "HTTP/2": http2,
}

func TestCookiesAreSentBackByteForByte(t *testing.T) {
	for name, protocol := range protocols {
		url, came := baker(t, `q="quoted"`, `j={"a":1}`, "uni=é", `bs=a\b`, "local=1; Secure")
		s := flow(t, nil, script.Request{URL: url + "/login"}, script.Request{URL: url + "/home"})
		_, total := run(t, s, 1, protocol(func(p *room.Plan) { p.Load.Clients = 1 }))
		if got := came(); total.OK != 2 || len(got) != 1 || got[0] != `q="quoted"; j={"a":1}; uni=é; bs=a\b; local=1` {
			t.Errorf("%s: %d ok, sent back %q", name, total.OK, got)
		}
	}
}

// TestRefusedCookiesAreReported: a cookie that is not kept is named with the reason, and its value is not shown.
func TestRefusedCookiesAreReported(t *testing.T) {
	url, _ := baker(t, "session=secret; Domain=example.com")
	s := flow(t, nil, script.Request{URL: url + "/login"}, script.Request{URL: url + "/home"})
	doc, _ := run(t, s, 3, func(p *room.Plan) { p.Load.Clients = 1 })
	list := doc.HTTP().RefusedCookies
	if len(list) != 1 || list[0] != (rundoc.HTTPCookie{Name: "session", Count: 3, Why: "its Domain does not match the host"}) {
		t.Errorf("%+v", list)
	}
}

// TestLiveCookiesReplaceRecordedOnes: what the service sets or removes wins over what was recorded, name by name.
func TestLiveCookiesReplaceRecordedOnes(t *testing.T) {
	for name, protocol := range protocols {
		url, came := baker(t, "session=live; Path=/", "old=; Max-Age=0")
		cookie := `"headers":[{"name":"Cookie","value":"session=recorded; theme=dark; old=1"},{"name":"Authorization","value":"x"}]`
		text := `{"log":{"entries":[`
		for i, path := range []string{"/before", "/login", "/after"} {
			if i > 0 {
				text += ","
			}
			text += `{"request":{"method":"GET","url":"http://recorded.example` + path + `",` + cookie + `}}`
		}
		s, err := script.ReadArchive("a.har", []byte(text+`]}}`), script.Options{Base: url})
		if err != nil {
			t.Fatal(err)
		}
		doc, total := run(t, s, 1, protocol(func(p *room.Plan) { p.Load.Clients = 1 }))
		got := came()
		if total.OK != 3 || len(got) != 2 || got[0] != "session=recorded; theme=dark; old=1" || got[1] != "theme=dark; session=live" {
			t.Errorf("%s: %d ok, came %q", name, total.OK, got)
		}
		if list := doc.HTTP().ReplacedCookies; len(list) != 2 || list[0] != (rundoc.HTTPCookie{Name: "old", Count: 1}) ||
			list[1] != (rundoc.HTTPCookie{Name: "session", Count: 1}) {
			t.Errorf("%s: replaced %+v", name, list)
		}
	}
}

// TestWrittenCookiesAreSentWithTheClients: a Cookie header of a file or of a flag comes first, and wins by its names.
func TestWrittenCookiesAreSentWithTheClients(t *testing.T) {
	for name, protocol := range protocols {
		url, came := baker(t, "session=live; Path=/", "lang=de; Path=/")
		own := []string{"Cookie: lang=en; at=${now unix}", "X: ${now unix}", "Cookie: id=${seq}"}
		s := flow(t, nil, script.Request{URL: url + "/login"}, script.Request{URL: url + "/home", Headers: own})
		_, total := run(t, s, 1, protocol(func(p *room.Plan) { p.Load.Rate, p.Load.MaxWaiting, p.Auth.Bearer = 1000, 1000, "token" }))
		want := regexp.MustCompile(`^lang=en; at=(?:1[1-9]|[2-9]\d)\d{8}; id=0; session=live$`)
		if got := came(); total.OK != 2 || len(got) != 1 || !want.MatchString(got[0]) {
			t.Errorf("%s: %d ok, came %q", name, total.OK, got)
		}
	}
	url, came := baker(t, "session=live; Path=/", "there=1; Path=/there")
	s := flow(t, nil, script.Request{URL: url + "/login"}, script.Request{URL: url + "/hop", Headers: []string{"Cookie: at=${now unix}"}})
	run(t, s, 1, func(p *room.Plan) { p.Load.Clients, p.Request.Redirects = 1, 1 })
	want := regexp.MustCompile(`^at=(?:1[1-9]|[2-9]\d)\d{8}; there=1; session=live$`)
	if got := came(); len(got) != 1 || !want.MatchString(got[0]) {
		t.Errorf("behind a redirect: %q", got)
	}
}

// TestPlanOverridesRecordedAuthorization: who asks is what the flags say.
func TestPlanOverridesRecordedAuthorization(t *testing.T) {
	var mu sync.Mutex
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, r.Header["Authorization"]...)
	}))
	defer server.Close()
	for token, want := range map[string]string{"": "Bearer recorded", "live": "Bearer live"} {
		s, err := script.ReadArchive("a.har", []byte(`{"log":{"entries":[{"request":{"method":"GET","url":"http://h/","headers":[`+
			`{"name":"authorization","value":"Bearer recorded"}]}}]}}`), script.Options{Base: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		got = nil
		mu.Unlock()
		run(t, s, 1, func(p *room.Plan) { p.Load.Clients, p.Auth.Bearer = 1, token })
		mu.Lock()
		if len(got) != 1 || got[0] != want {
			t.Errorf("--bearer %q: %q", token, got)
		}
		mu.Unlock()
	}
}
