package http_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/leaktest"
	target "github.com/plimsoll/plimsoll/internal/server/http"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// serve starts a server for the time of a test.
func serve(t *testing.T, change func(c *target.Config)) (url string, client *http.Client) {
	t.Helper()
	c := target.Default()
	c.Listen, c.ShutdownTimeout, c.HeaderTimeout = "127.0.0.1:0", time.Minute, time.Minute
	if change != nil {
		change(&c)
	}
	s, err := target.New(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	transport := &http.Transport{}
	if c.Trust != "" {
		pem, err := os.ReadFile(c.Trust)
		if err != nil {
			t.Fatal(err)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool()}
		transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(pem)
	}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return strings.TrimSuffix(s.URL(), "/"), &http.Client{Transport: transport}
}

func do(t *testing.T, c *http.Client, method, url, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	got, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(got)
}

func TestAnswersAsAsked(t *testing.T) {
	url, c := serve(t, nil)
	for _, x := range []struct {
		method, path, body string
		status             int
		want               string // begins with it
		size               int    // 0: any
	}{
		{"GET", "/", "", 200, `{"method":"GET","ok":true,"path":"/"}`, 0},
		{"GET", "/any/where", "", 200, `{"method":"GET","ok":true,"path":"/any/where"}`, 0},
		{"GET", "/status/404", "", 404, `{"method":"GET","ok":false`, 0},
		{"GET", "/x?status=503", "", 503, `{"method":"GET","ok":false`, 0},
		{"GET", "/status/204", "", 204, "", 0},
		{"GET", "/size/100", "", 200, "The depth", 100},
		{"GET", "/size/1MiB?status=201", "", 201, "The depth", 1 << 20},
		{"GET", "/size/64", "", 200, "The depth", 64},
		{"HEAD", "/size/1GiB", "", 200, "", 0},
		{"GET", "/chunked/70000", "", 200, "The depth", 70000},
		{"POST", "/echo", "hello", 200, "hello", 5},
		{"POST", "/", "hello", 200, `{"method":"POST"`, 0},
		{"GET", "/delay/1ns", "", 200, `{"method"`, 0},
		{"GET", "/delay/soon", "", 400, `{"error":"delay is not a duration`, 0},
		{"GET", "/status/99", "", 400, `{"error":"status is not a number`, 0},
		{"GET", "/size/many", "", 400, `{"error":"size is not a size`, 0},
		{"GET", "/size/2TiB", "", 400, `{"error":"size is not a size`, 0},
		{"GET", "/?%zz", "", 400, `{"error":`, 0},
		{"GET", "/redirect/3", "", 200, `{"method":"GET","ok":true,"path":"/"}`, 0},
		{"GET", "/redirect/-1", "", 400, `{"error":`, 0},
	} {
		response, got := do(t, c, x.method, url+x.path, x.body)
		if response.StatusCode != x.status || !strings.HasPrefix(got, x.want) || x.size > 0 && len(got) != x.size {
			t.Errorf("%s %s: %d, %d bytes: %.60q", x.method, x.path, response.StatusCode, len(got), got)
		}
	}
	response, got := do(t, c, "GET", url+"/chunked/10", "")
	if response.Trailer.Get("X-Bytes") != "10" || response.ContentLength != -1 || len(got) != 10 {
		t.Errorf("chunked: length %d, trailers %v", response.ContentLength, response.Trailer)
	}
	response, got = do(t, c, "GET", url+"/gzip/5000", "", "Accept-Encoding", "gzip")
	z, err := gzip.NewReader(strings.NewReader(got))
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := io.ReadAll(z); err != nil || len(plain) != 5000 || response.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("gzip: %d bytes, %v", len(plain), err)
	}
	_, got = do(t, c, "PUT", url+"/echo?headers&a=b", "", "X-Mine", "yes")
	var seen struct {
		Method, Query string
		Headers       http.Header
	}
	if err := json.Unmarshal([]byte(got), &seen); err != nil || seen.Method != "PUT" || seen.Query != "headers&a=b" ||
		seen.Headers.Get("X-Mine") != "yes" {
		t.Errorf("headers: %s", got)
	}
}

// TestCounts: what the server says of itself is what was asked of it.
func TestCounts(t *testing.T) {
	base, c := serve(t, func(c *target.Config) { c.ErrorRate, c.MaxBody = 0.25, 1000 })
	failed := 0
	for range 400 {
		response, _ := do(t, c, "POST", base+"/size/10", "12345")
		if response.StatusCode == 503 {
			failed++
		}
	}
	response, _ := do(t, c, "POST", base+"/", strings.Repeat("x", 1001))
	for response.StatusCode == 503 {
		failed++
		response, _ = do(t, c, "POST", base+"/", strings.Repeat("x", 1001))
	}
	if response.StatusCode != 413 {
		t.Errorf("a body that is too long: %d", response.StatusCode)
	}
	do(t, c, "GET", base+"/health", "")
	_, got := do(t, c, "GET", base+"/counts", "")
	var counts struct {
		Requests, Errors int
		Statuses         map[string]int
	}
	if err := json.Unmarshal([]byte(got), &counts); err != nil {
		t.Fatal(err)
	}
	if counts.Errors != failed || counts.Statuses["503"] != failed || counts.Requests != 400+1+failedAfter(counts.Requests) ||
		counts.Statuses["200"] != 400-failed+failedAfter(counts.Requests) || counts.Statuses["413"] != 1 {
		t.Errorf("%d failed, and the server says %s", failed, got)
	}
	if failed < 60 || failed > 140 { // 100 ± 4.6 standard deviations
		t.Errorf("%d of 400 failed", failed)
	}
	_, metrics := do(t, c, "GET", base+"/metrics", "")
	if !strings.Contains(metrics, fmt.Sprintf("plimsoll_http_answers_total{status=\"503\"} %d\n", failed)) {
		t.Error("the metrics say something else")
	}
}

// failedAfter are the requests with a body that is too long which were answered with 503 instead.
func failedAfter(requests int) int { return requests - 401 }

// TestTheSameSeedTheSameFaults: which requests fail is a function of the seed.
func TestTheSameSeedTheSameFaults(t *testing.T) {
	var runs [3]string
	for i, seed := range []uint64{5, 5, 6} {
		base, c := serve(t, func(c *target.Config) { c.ErrorRate, c.Seed = 0.5, seed })
		for range 64 {
			response, _ := do(t, c, "GET", base+"/", "")
			runs[i] += fmt.Sprint(response.StatusCode / 100)
		}
	}
	if runs[0] != runs[1] || runs[0] == runs[2] {
		t.Errorf("%q", runs)
	}
}

func TestDrops(t *testing.T) {
	base, c := serve(t, func(c *target.Config) { c.DropRate = 1 })
	r, _ := http.NewRequestWithContext(t.Context(), "POST", base+"/", strings.NewReader("x"))
	if response, err := c.Do(r); err == nil {
		_ = response.Body.Close()
		t.Errorf("answered with %d", response.StatusCode)
	}
	if _, got := do(t, c, "GET", base+"/counts", ""); !strings.Contains(got, `"drops":1`) {
		t.Error(got)
	}
}

func TestLogin(t *testing.T) {
	base, c := serve(t, nil)
	for _, x := range []struct {
		kind, body string
		status     int
	}{
		{"application/json", `{"user":"ann","password":"ann-secret"}`, 200},
		{"application/x-www-form-urlencoded", "user=ann&password=ann-secret", 200},
		{"application/json", `{"user":"ann","password":"ann"}`, 401},
		{"application/json", `{"user":`, 400},
		{"application/x-www-form-urlencoded", "user=&password=-secret", 401},
	} {
		response, got := do(t, c, "POST", base+"/login", x.body, "Content-Type", x.kind)
		if response.StatusCode != x.status {
			t.Errorf("%s: %d %s", x.body, response.StatusCode, got)
		}
		if x.status != 200 {
			continue
		}
		var given struct{ Token string }
		if err := json.Unmarshal([]byte(got), &given); err != nil {
			t.Fatal(err)
		}
		for _, shown := range [][2]string{{"Authorization", "Bearer " + given.Token}, {"Cookie", "session=" + given.Token}} {
			if r, _ := do(t, c, "POST", base+"/cart", "{}", shown[0], shown[1]); r.StatusCode != 200 {
				t.Errorf("%s: %d", shown[0], r.StatusCode)
			}
		}
		if _, got := do(t, c, "GET", base+"/cart", "", "Authorization", "Bearer "+given.Token); got != "{\"things\":2}\n" {
			t.Errorf("the cart: %s", got)
		}
	}
	if r, _ := do(t, c, "GET", base+"/me", ""); r.StatusCode != 401 {
		t.Errorf("a stranger: %d", r.StatusCode)
	}
}

func TestClientCredentials(t *testing.T) {
	base, c := serve(t, nil)
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {"app"}, "client_secret": {"app-secret"}}
	response, got := do(t, c, "POST", base+"/token?expires_in=5", form.Encode(), "Content-Type", "application/x-www-form-urlencoded")
	var given struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int    `json:"expires_in"`
	}
	if err := json.Unmarshal([]byte(got), &given); err != nil || response.StatusCode != 200 || given.ExpiresIn != 5 {
		t.Fatalf("%d %s", response.StatusCode, got)
	}
	if r, _ := do(t, c, "GET", base+"/me", "", "Authorization", "Bearer "+given.AccessToken); r.StatusCode != 200 {
		t.Errorf("with the token: %d", r.StatusCode)
	}
	form.Set("client_secret", "wrong")
	if r, got := do(t, c, "POST", base+"/token", form.Encode(), "Content-Type", "application/x-www-form-urlencoded"); r.StatusCode != 401 {
		t.Errorf("a wrong secret: %d %s", r.StatusCode, got)
	}
}

func TestTLSAndHTTP2(t *testing.T) {
	trust := filepath.Join(t.TempDir(), "ca.pem")
	base, c := serve(t, func(c *target.Config) { c.TLS, c.Trust = true, trust })
	c.Transport.(*http.Transport).ForceAttemptHTTP2 = true
	response, _ := do(t, c, "GET", base+"/", "")
	if response.ProtoMajor != 2 || !strings.HasPrefix(base, "https://") {
		t.Errorf("%s over %s", response.Proto, base)
	}
	plain, c2 := serve(t, nil)
	var only http.Protocols
	only.SetUnencryptedHTTP2(true)
	c2.Transport.(*http.Transport).Protocols = &only
	if response, _ := do(t, c2, "GET", plain+"/", ""); response.ProtoMajor != 2 {
		t.Errorf("h2c: %s", response.Proto)
	}
}

// A client that stops in the middle of a body, or of taking an answer, holds the server up no longer than the idle time.
func TestStalledClientsAreDisconnected(t *testing.T) {
	url, _ := serve(t, func(c *target.Config) { c.IdleTimeout, c.ShutdownTimeout = 100*time.Millisecond, time.Hour })
	address := strings.TrimPrefix(url, "http://")
	for _, text := range []string{
		"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nx", // it ends, or the end of the server hangs
		"GET /size/1GiB HTTP/1.1\r\nHost: x\r\n\r\n",
		strings.Repeat("GET /size/64KiB HTTP/1.1\r\nHost: x\r\n\r\n", 2000),
	} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		go func() { _, _ = io.WriteString(conn, text) }() // of the last not all is taken
	}
}

// TestAStallHoldsUpWhatComes: a request that comes within the stall is answered when it has ended.
func TestAStallHoldsUpWhatComes(t *testing.T) {
	base, c := serve(t, func(c *target.Config) { c.StallAfter, c.StallFor = time.Nanosecond, 50*time.Millisecond })
	do(t, c, "GET", base+"/", "") // begins it: the stall is a nanosecond later, and the request itself is before it
	do(t, c, "GET", base+"/", "")
	_, got := do(t, c, "GET", base+"/counts", "")
	if !strings.Contains(got, `"requests":2`) {
		t.Error(got)
	}
}

func TestSettings(t *testing.T) {
	for name, x := range map[string]struct {
		change func(c *target.Config)
		want   string
	}{
		"listen":   {func(c *target.Config) { c.Listen = "here" }, "--listen"},
		"status":   {func(c *target.Config) { c.Status = 100 }, "--status"},
		"size":     {func(c *target.Config) { c.Size = -1 }, "--size"},
		"delay":    {func(c *target.Config) { c.Delay = -1 }, "--delay"},
		"rates":    {func(c *target.Config) { c.ErrorRate, c.DropRate = 0.6, 0.6 }, "add up to 120%"},
		"stall":    {func(c *target.Config) { c.StallAfter = 1 }, "--stall-for"},
		"key":      {func(c *target.Config) { c.TLS, c.Key = true, "k.pem" }, "--cert and --key"},
		"no tls":   {func(c *target.Config) { c.Trust = "t.pem" }, "--tls"},
		"body":     {func(c *target.Config) { c.MaxBody = 0 }, "--max-body"},
		"requests": {func(c *target.Config) { c.MaxRequests = -1 }, "--max-requests"},
		"no file":  {func(c *target.Config) { c.TLS, c.Certificate, c.Key = true, "none.pem", "none.pem" }, "none.pem"},
	} {
		c := target.Default()
		x.change(&c)
		if _, err := target.New(c, nil); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestShutdownEndsDelays(t *testing.T) {
	base, c := serve(t, func(c *target.Config) { c.ShutdownTimeout = time.Millisecond })
	ctx, cancel := context.WithCancel(t.Context())
	r, _ := http.NewRequestWithContext(ctx, "POST", base+"/delay/10h", bytes.NewReader(make([]byte, 10)))
	go func() {
		do(t, c, "GET", base+"/", "")
		cancel()
	}()
	if response, err := c.Do(r); err == nil {
		_ = response.Body.Close()
		t.Error("answered at once")
	}
}
