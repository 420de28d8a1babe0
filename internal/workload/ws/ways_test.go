package ws_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/workload/reach"
	"github.com/plimsoll/plimsoll/internal/workload/ws"
)

// echo is a server that sends back what comes, and keeps the requests of its handshakes.
type echo struct {
	mu       sync.Mutex
	requests []*http.Request
	answer   http.Header // of a handshake
}

func (e *echo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	e.requests = append(e.requests, r)
	e.mu.Unlock()
	c, err := (&websocket.Upgrader{}).Upgrade(w, r, e.answer)
	if err != nil {
		return
	}
	defer func() { _ = c.Close() }()
	for {
		kind, b, err := c.ReadMessage()
		if err != nil {
			return
		}
		_ = c.WriteMessage(kind, b)
	}
}

// last is the request of the last handshake.
func (e *echo) last() *http.Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.requests[len(e.requests)-1]
}

// serve starts the server on a listener, with TLS if c is not nil, and returns its address.
func (e *echo) serve(t *testing.T, l net.Listener, c *tls.Config) string {
	t.Helper()
	s := httptest.NewUnstartedServer(e)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	if l != nil {
		_ = s.Listener.Close()
		s.Listener = l
	}
	if c == nil {
		s.Start()
	} else {
		s.TLS = c
		s.StartTLS()
	}
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// tunnels is a proxy that makes ways alone; it returns its URL and how many it made.
func tunnels(t *testing.T) (url string, made func() int) {
	t.Helper()
	var n int
	var mu sync.Mutex
	url = scripted(t, func(c net.Conn, in *bufio.Reader) {
		r, err := http.ReadRequest(in)
		if err != nil || r.Method != http.MethodConnect {
			_, _ = io.WriteString(c, "HTTP/1.1 405 No\r\n\r\n")
			return
		}
		there, err := net.Dial("tcp", r.Host)
		if err != nil {
			return
		}
		defer func() { _ = there.Close() }()
		mu.Lock()
		n++
		mu.Unlock()
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
		go func() {
			_, _ = io.Copy(there, in)
			_ = there.(*net.TCPConn).CloseWrite()
		}()
		_, _ = io.Copy(c, there)
	})
	return "http" + strings.TrimSuffix(strings.TrimPrefix(url, "ws"), "/"), func() int {
		mu.Lock()
		defer mu.Unlock()
		return n
	}
}

// own makes files with a certificate of a client and its key.
func own(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().AddDate(1, 0, 0)}
	raw, err := x509.CreateCertificate(rand.Reader, of, of, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: raw}, key: {Type: "PRIVATE KEY", Bytes: bytes}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// TestWaysToAService: WebSocket reaches a service as HTTP does.
func TestWaysToAService(t *testing.T) {
	e := &echo{}
	plain := e.serve(t, nil, nil)
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	e.serve(t, l, nil)
	secure := e.serve(t, nil, &tls.Config{ClientAuth: tls.RequireAnyClientCert})
	cert, key := own(t)
	proxy, made := tunnels(t)
	_, port, _ := net.SplitHostPort(plain)
	for name, c := range map[string]struct {
		url  string
		with reach.Options
	}{
		"a Unix socket":         {"ws://shop.example/live", reach.Options{UnixSocket: socket}},
		"another address":       {"ws://shop.example/live", reach.Options{ConnectTo: plain}},
		"an address for a name": {"ws://shop.example:" + port + "/live", reach.Options{Resolve: []string{"shop.example:" + port + ":127.0.0.1"}}},
		"a proxy":               {"ws://" + plain + "/live", reach.Options{Proxy: proxy}},
		"a certificate":         {"wss://" + secure + "/live", reach.Options{CertFile: cert, KeyFile: key, Insecure: true}},
		"and through a proxy":   {"wss://" + secure + "/live", reach.Options{CertFile: cert, KeyFile: key, Insecure: true, Proxy: proxy}},
	} {
		client, _ := echoing(t, c.url, ws.Dial{Options: c.with, Bearer: "secret", Headers: ws.Headers{}})
		if cause, what := once(t, client); cause != "" {
			t.Errorf("%s: %s: %s", name, cause, what)
			continue
		}
		host, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(c.url, "ws://"), "wss://"), "/")
		if r := e.last(); r.Host != host || r.URL.Path != "/live" || r.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("%s: %s%s %v", name, r.Host, r.URL, r.Header)
		}
	}
	if n := made(); n != 2 {
		t.Errorf("the proxy made %d ways", n)
	}
}

// TestCookiesOfAHandshake: a client sends them back on its next connection, where it is to, and not to others.
func TestCookiesOfAHandshake(t *testing.T) {
	e := &echo{answer: http.Header{"Set-Cookie": {`route="b 1"; Path=/`, "other=x; Path=/elsewhere"}}}
	url := "ws://" + e.serve(t, nil, nil) + "/live"
	for cookies, want := range map[string]string{"on": `own=1; route="b 1"`, "off": "own=1", "": "own=1"} {
		client, w := echoing(t, url, ws.Dial{Cookies: cookies, Headers: ws.Headers{"Cookie": {"own=1"}}})
		for i := range 2 {
			if cause, what := once(t, client); cause != "" {
				t.Fatalf("%s: %s", cause, what)
			}
			if got := e.last().Header.Get("Cookie"); i == 0 && got != "own=1" || i == 1 && got != want {
				t.Errorf("--cookies %s: connection %d sent %s", cookies, i+1, got)
			}
			client.Cut(op.ErrTimeout)
		}
		stranger := w.NewClient(1, 1)
		defer stranger.Close()
		if err := stranger.Connect(t.Context()); err != nil || e.last().Header.Get("Cookie") != "own=1" {
			t.Errorf("another client: %v, %v", err, e.last().Header)
		}
	}
}

// TestHandshakeTroubleIsNamed: each cause says what happened and what to do.
func TestHandshakeTroubleIsNamed(t *testing.T) {
	answers := func(text string) string {
		return scripted(t, func(c net.Conn, in *bufio.Reader) {
			if _, err := http.ReadRequest(in); err == nil {
				_, _ = io.WriteString(c, text)
			}
		})
	}
	accepts := func(headers string) string {
		return scripted(t, func(c net.Conn, in *bufio.Reader) {
			shakeWith(c, in, headers)
			_, _ = io.Copy(io.Discard, in)
		})
	}
	sub := ws.Dial{Subprotocol: []string{"chat.v2", "chat.v1"}}
	for name, c := range map[string]struct {
		url               string
		dial              ws.Dial
		cause, what, hint string
	}{
		"no subprotocol": {accepts(""), sub, "subprotocol-refused", "none of the requested subprotocols (chat.v2, chat.v1)", "--subprotocol"},
		"another one":    {accepts("Sec-WebSocket-Protocol: mqtt\r\n"), sub, "subprotocol-refused", `the server chose subprotocol "mqtt"`, "--subprotocol"},
		"no compression": {accepts(""), ws.Dial{Compress: true}, "compression-refused", "does not support permessage-deflate", "remove --compress"},
		"not found":      {answers("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), ws.Dial{}, "handshake:404", "HTTP 404 Not Found", "check the path"},
		"who asks":       {answers("HTTP/1.1 401 No\x1b[1m\r\nContent-Length: 0\r\n\r\n"), ws.Dial{}, "handshake:401", "HTTP 401 No [1m", "--bearer"},
		"elsewhere":      {answers("HTTP/1.1 301 M\r\nLocation: https://me:pw@h/x\r\n\r\n"), ws.Dial{}, "handshake:301", "HTTP 301", "as the URL: https://h/x"},
		"too many":       {answers("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"), ws.Dial{}, "handshake:503", "HTTP 503", "lower --clients"},
		"not HTTP":       {answers("SSH-2.0-OpenSSH_9\r\n\r\n"), ws.Dial{}, "handshake", "is not HTTP", "write wss://"},
		"no answer":      {answers(""), ws.Dial{}, "handshake", "without a handshake response", "write wss://"},
		"no upgrade":     {answers("HTTP/1.1 101 S\r\n\r\n"), ws.Dial{}, "handshake", "invalid handshake response", "a WebSocket server"},
	} {
		client, _ := echoing(t, c.url, c.dial)
		err := client.Connect(t.Context())
		var why *op.Failure
		if !errors.As(err, &why) || why.Cause != c.cause || !strings.Contains(why.Error(), c.what) ||
			!strings.Contains(reach.HintOf(why), c.hint) {
			t.Errorf("%s: %v (%s)", name, err, reach.HintOf(err))
			continue
		}
		for _, library := range []string{"gws", "net/http", "EOF", "\x1b"} {
			if strings.Contains(why.Err.Error(), library) {
				t.Errorf("%s: %v", name, why)
			}
		}
	}
}
