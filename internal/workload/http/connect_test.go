package http_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
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
	"sync/atomic"
	"testing"
	"time"

	target "github.com/plimsoll/plimsoll/internal/server/http"
	room "github.com/plimsoll/plimsoll/internal/workload/http"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
	"github.com/plimsoll/plimsoll/internal/workload/reach"
)

// secure starts the embedded server with TLS, and gives the file of the certificate to trust.
func secure(t *testing.T) (url, trust string) {
	t.Helper()
	trust = filepath.Join(t.TempDir(), "trust.pem")
	url = serve(t, func(c *target.Config) { c.TLS, c.Trust = true, trust })
	if _, err := os.Stat(trust); err != nil {
		t.Fatal(err)
	}
	return url, trust
}

// TestStagesOfConnecting: names are looked up, and TLS has its handshake; each connection that is new has all of it.
func TestStagesOfConnecting(t *testing.T) {
	url, trust := secure(t)
	url = strings.Replace(url, "127.0.0.1", "localhost", 1)
	doc, total := run(t, flow(t, nil, script.Request{URL: url + "/"}), 40, func(p *room.Plan) {
		p.Dial.CAFile, p.Dial.NoKeepAlive = trust, true
	})
	c := doc.HTTP().Connecting
	if opened := doc.Connections.Opened; total.OK != 40 || opened < 40 || c.Lookup == nil || c.Lookup.Count != opened ||
		c.TCP.Count != opened || c.TLS == nil || c.TLS.Count != opened {
		t.Errorf("%d ok, %d opened: %+v", total.OK, doc.Connections.Opened, c)
	}
}

// TestNoKeepAliveUsesEachConnectionOnce: a server that goes on after it was told that a connection is for one request gets no second one.
func TestNoKeepAliveUsesEachConnectionOnce(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var connections, told atomic.Int64
	served := make(chan struct{})
	go func() {
		defer close(served)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			go func() {
				defer func() { _ = c.Close() }()
				for from := bufio.NewReader(c); ; {
					r, err := http.ReadRequest(from)
					if err != nil {
						return
					}
					if r.Close {
						told.Add(1)
					}
					_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
				}
			}()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-served })
	doc, total := run(t, flow(t, nil, script.Request{URL: "http://" + l.Addr().String() + "/"}), 40, func(p *room.Plan) {
		p.Dial.NoKeepAlive = true
	})
	if n := connections.Load(); total.OK != 40 || told.Load() != 40 || n != 40 || doc.Connections.Opened != n ||
		doc.HTTP().Churned != n || doc.HTTP().Closed != 0 {
		t.Errorf("%d ok, %d told, %d connections of %d, %d closed here and %d there", total.OK, told.Load(), n,
			doc.Connections.Opened, doc.HTTP().Churned, doc.HTTP().Closed)
	}
}

// TestInvalidCertificatesAreExplained: each says why.
func TestInvalidCertificatesAreExplained(t *testing.T) {
	url, trust := secure(t)
	for name, c := range map[string]struct {
		dial room.Dial
		want string
	}{
		"not trusted": {room.Dial{}, "the server's certificate is signed by an authority that this machine does not trust"},
		"other host":  {room.Dial{Options: reach.Options{CAFile: trust, ServerName: "other.example"}}, ", not for other.example"},
		"expired":     {room.Dial{}, "the server's certificate is valid from 2020-01-01 to 2020-01-02"},
	} {
		t.Run(name, func(t *testing.T) {
			to := url
			if name == "expired" {
				to, c.dial.CAFile = expired(t)
			}
			p := room.DefaultPlan()
			p.Dial = c.dial
			w, err := room.New(p, flow(t, nil, script.Request{URL: to + "/"}))
			if err != nil {
				t.Fatal(err)
			}
			client := w.NewClient(0, 1)
			defer client.Close()
			if err := client.Connect(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// expired starts a server whose certificate was valid for a day.
func expired(t *testing.T) (url, trust string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	from := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	of := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: from, NotAfter: from.AddDate(0, 0, 1), IsCA: true,
		BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	raw, err := x509.CreateCertificate(rand.Reader, of, of, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	trust = filepath.Join(t.TempDir(), "trust.pem")
	if err := os.WriteFile(trust, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: key}}}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL, trust
}

// TestMissingClientCertificateIsNamed: with TLS 1.3 a server refuses the client only after the handshake, and so each
// request.
func TestMissingClientCertificateIsNamed(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS13}
	s.StartTLS()
	t.Cleanup(s.Close)
	doc, total := run(t, flow(t, nil, script.Request{URL: s.URL + "/"}), 4, func(p *room.Plan) { p.Dial.Insecure = true })
	found := doc.HTTP().Found
	if total.OK != 0 || len(found) != 1 || found[0].Cause != "tls" || !strings.Contains(found[0].What, "--cert") {
		t.Errorf("%d ok, causes %v, found %+v", total.OK, total.Causes, found)
	}
}

// TestUnixSocketCarriesRequests: in both models, with either protocol.
func TestUnixSocketCarriesRequests(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	var hosts sync.Map
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { hosts.Store(r.Host, true) }))
	_ = s.Listener.Close()
	s.Listener = l
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	t.Cleanup(s.Close)
	for _, rate := range []float64{0, 1000} {
		for _, http2 := range []bool{false, true} {
			doc, total := run(t, flow(t, nil, script.Request{URL: "http://shop.example/"}), 100, func(p *room.Plan) {
				p.Dial.UnixSocket, p.Dial.HTTP2, p.Load.Rate, p.Load.MaxWaiting = socket, http2, rate, 1000
			})
			c := doc.HTTP().Connecting
			if total.OK != 100 || len(c.Addresses) != 1 || c.Addresses[0].Address != socket {
				t.Errorf("rate %v, HTTP/2 %v: %d ok, %v, %+v", rate, http2, total.OK, total.Causes, c)
			}
		}
	}
	if _, is := hosts.Load("shop.example"); !is {
		t.Error("the host of the URL was not sent")
	}
}
