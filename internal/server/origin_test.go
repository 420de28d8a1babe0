package server_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/server"
)

// Which requests to a server at 127.0.0.1:9000 are refused.
func TestPagesOfOtherOriginsAreRefused(t *testing.T) {
	const own, foreign = "http://127.0.0.1:9000", "https://evil.example"
	for name, c := range map[string]struct {
		method, origin, site, mode string
		refused                    bool
	}{
		"curl":                            {"DELETE", "", "", "", false},
		"the address was typed":           {"GET", "", "none", "navigate", false},
		"a link was followed":             {"GET", "", "cross-site", "navigate", false},
		"its own page":                    {"DELETE", own, "same-origin", "cors", false},
		"its own page, an old browser":    {"DELETE", own, "", "", false},
		"an image on a foreign page":      {"GET", "", "cross-site", "no-cors", true},
		"a script of a foreign page":      {"GET", foreign, "cross-site", "cors", true},
		"a form of a foreign page":        {"POST", foreign, "cross-site", "navigate", true},
		"a deletion":                      {"DELETE", foreign, "cross-site", "cors", true},
		"a question whether it may":       {"OPTIONS", foreign, "cross-site", "cors", true},
		"another port of this machine":    {"PUT", "http://127.0.0.1:3000", "same-site", "cors", true},
		"an old browser, a foreign page":  {"POST", foreign, "", "", true},
		"a page without an origin":        {"POST", "null", "", "", true},
		"a page that was not sent at all": {"POST", "null", "cross-site", "cors", true},
	} {
		r := httptest.NewRequest(c.method, "http://127.0.0.1:9000/bucket/key", nil)
		for header, value := range map[string]string{
			"Origin": c.origin, "Sec-Fetch-Site": c.site, "Sec-Fetch-Mode": c.mode, "Sec-Fetch-Dest": "document",
		} {
			if value != "" && (header != "Sec-Fetch-Dest" || c.mode == "navigate") {
				r.Header.Set(header, value)
			}
		}
		if got := server.CrossOrigin(r); got != c.refused {
			t.Errorf("%s: refused %v", name, got)
		}
		if c.origin != "" && (server.CrossOrigin(r, c.origin) || server.CrossOrigin(r, "https://a", server.AnyOrigin)) {
			t.Errorf("%s: an origin that is allowed is refused", name)
		}
	}
}

// Whatever a server answers, it does so to no page of another origin.
func TestAServerRefusesPagesOfOtherOrigins(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	reached := 0
	h := &server.HTTP{
		Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }),
		Log:     slog.New(slog.DiscardHandler), HeaderTimeout: time.Minute, ShutdownTimeout: time.Second,
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(ctx, l) }()
	r, _ := http.NewRequest(http.MethodDelete, "http://"+l.Addr().String()+"/", nil)
	r.Header.Set("Origin", "https://evil.example")
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(got.Body)
	_ = got.Body.Close()
	if got.StatusCode != http.StatusForbidden || !strings.Contains(string(text), "other origins") || reached > 0 {
		t.Errorf("%d %s", got.StatusCode, text)
	}
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	http.DefaultClient.CloseIdleConnections()
}

// A client that is no browser costs two look-ups.
func BenchmarkCrossOrigin(b *testing.B) {
	r := httptest.NewRequest("GET", "http://127.0.0.1:9000/", nil)
	for name, value := range map[string]string{
		"User-Agent": "x", "Accept": "*/*", "Content-Type": "text/plain", "Authorization": "a", "X-Amz-Date": "d",
	} {
		r.Header.Set(name, value)
	}
	b.ReportAllocs()
	for b.Loop() {
		if server.CrossOrigin(r) {
			b.Fatal("it is refused")
		}
	}
}
