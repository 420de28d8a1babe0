package http_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	target "github.com/plimsoll/plimsoll/internal/server/http"
	room "github.com/plimsoll/plimsoll/internal/workload/http"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
)

// proxy is one that takes who is known to it alone, and counts what it carries.
type proxy struct {
	requests, tunnels, refused atomic.Int64
}

func (p *proxy) serve(t *testing.T) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { p.one(c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	return "http://ann:pass%20word@" + l.Addr().String()
}

func (p *proxy) one(c net.Conn) {
	defer func() { _ = c.Close() }()
	in := bufio.NewReader(c)
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if r.Header.Get("Proxy-Authorization") != "Basic YW5uOnBhc3Mgd29yZA==" {
			p.refused.Add(1)
			_, _ = io.WriteString(c, "HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n")
			continue
		}
		if r.Method == http.MethodConnect {
			p.tunnels.Add(1)
			p.tunnel(c, in, r.Host)
			return
		}
		p.requests.Add(1)
		r.RequestURI = ""
		r.Header.Del("Proxy-Authorization")
		answer, err := transport.RoundTrip(r)
		if err != nil {
			return
		}
		_ = answer.Write(c)
		_ = answer.Body.Close()
	}
}

func (p *proxy) tunnel(c net.Conn, in io.Reader, to string) {
	there, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	_, _ = io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n")
	var both sync.WaitGroup
	both.Go(func() {
		_, _ = io.Copy(there, in)
		_ = there.Close()
	})
	_, _ = io.Copy(c, there)
	_ = c.Close()
	both.Wait()
}

// TestProxy: with http:// each request is the proxy's, with https:// each connection.
func TestProxy(t *testing.T) {
	p := new(proxy)
	through := p.serve(t)
	url := serve(t, nil)
	s := flow(t, nil, script.Request{URL: url + "/echo?headers", Checks: []string{"status 200",
		`not json headers.Proxy-Authorization`, `json host = "` + strings.TrimPrefix(url, "http://") + `"`}},
		script.Request{URL: url + "/redirect/1"})
	doc, total := run(t, s, 20, func(plan *room.Plan) { plan.Dial.Proxy, plan.Request.Redirects = through, 2 })
	if total.OK != 40 || p.requests.Load() != 60 || ask(t, url).Requests != 60 {
		t.Errorf("%d ok, the proxy had %d requests: %+v", total.OK, p.requests.Load(), total.Causes)
	}
	if c := doc.HTTP().Connecting; len(c.Addresses) != 1 || !strings.HasSuffix(through, "@"+c.Addresses[0].Address) {
		t.Errorf("connected to %+v", c.Addresses)
	}
	safe, trust := secure(t)
	s = flow(t, nil, script.Request{URL: safe + "/"})
	doc, total = run(t, s, 20, func(plan *room.Plan) { plan.Dial.Proxy, plan.Dial.CAFile = through, trust })
	if c := doc.HTTP().Connecting; total.OK != 20 || p.tunnels.Load() != doc.Connections.Opened ||
		c.Proxy.Count != doc.Connections.Opened || c.TLS.Count != c.Proxy.Count {
		t.Errorf("%d ok, the proxy made %d ways: %+v", total.OK, p.tunnels.Load(), total.Causes)
	}
	_, total = run(t, flow(t, nil, script.Request{URL: url + "/"}), 4, func(plan *room.Plan) {
		plan.Dial.Proxy = strings.Replace(through, "pass", "no", 1)
	})
	if total.Failed != 4 || total.Causes[0].Cause != "status-407" {
		t.Errorf("a stranger: %+v", total.Causes)
	}
	stranger := room.DefaultPlan()
	stranger.Dial.Proxy, stranger.Dial.CAFile = strings.Replace(through, "pass", "no", 1), trust
	w, err := room.New(stranger, s)
	if err != nil {
		t.Fatal(err)
	}
	client := w.NewClient(0, 1)
	defer client.Close()
	if err := client.Connect(t.Context()); err == nil || err.Error() !=
		"proxy:status-407: the proxy requires authentication (status 407)" {
		t.Errorf("a stranger: %v", err)
	}
}

// TestResolve: connections go to the addresses that are given, each in its turn.
func TestResolve(t *testing.T) {
	url := serve(t, func(c *target.Config) { c.Listen = "0.0.0.0:0" })
	port := url[strings.LastIndex(url, ":")+1:]
	s := flow(t, nil, script.Request{URL: "http://shop.example:" + port + "/echo?headers",
		Checks: []string{`json host = "shop.example:` + port + `"`}})
	doc, total := run(t, s, 40, func(p *room.Plan) {
		p.Dial.Resolve = []string{"SHOP.example:" + port + ":127.0.0.1,127.0.0.2"}
	})
	c := doc.HTTP().Connecting
	if total.OK != 40 || len(c.Addresses) != 2 || c.Addresses[0].Connections != 2 || c.Lookup != nil {
		t.Errorf("%d ok: %+v; %+v", total.OK, total.Causes, c)
	}
	for entry, want := range map[string]string{
		"shop.example:" + port:      "is not HOST:PORT:ADDRESS",
		"shop.example:80:127.0.0.1": "names shop.example:80, but the URL names shop.example:" + port,
		"shop.example:80:localhost": `"localhost" is not an IP address`,
		"[::1]:80:::1":              "names [::1]:80",
	} {
		p := room.DefaultPlan()
		p.Dial.Resolve = []string{entry}
		if _, err := room.New(p, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", entry, err)
		}
	}
}
