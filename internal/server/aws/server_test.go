package aws

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// running is a server with what it observed.
type running struct {
	*Server
	t    testing.TB
	stop func() // ends the server; what it observed is complete then
	mu   sync.Mutex
	seen []Exchange
}

// start runs a server until the test ends.
func start(t testing.TB, change func(*Config)) *running {
	t.Helper()
	r := &running{t: t}
	cfg := Default()
	cfg.Listen = "127.0.0.1:0"
	cfg.ShutdownTimeout, cfg.HeaderTimeout = time.Minute, time.Minute // what is under way may take its time
	cfg.Observe = func(e Exchange) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.seen = append(r.seen, e)
	}
	if change != nil {
		change(&cfg)
	}
	s, err := New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Server = s
	s.lingering = time.Minute // likewise a client that has to hear that it is wrong
	if err := s.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
		if s.file != "" && s.cfg.Certificate == "" {
			if _, err := os.Stat(s.file); !os.IsNotExist(err) {
				t.Errorf("the certificate is still there: %v", err)
			}
		}
	})
	t.Cleanup(r.stop)
	return r
}

// exchanges ends the server and gives all that was observed, in the order of the answers: the next
// request, when it comes on another connection, may be observed before the one that was answered.
func (r *running) exchanges() []Exchange {
	r.stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.SortedStableFunc(slices.Values(r.seen),
		func(a, b Exchange) int { return a.Answering.Compare(b.Answering) })
}

// client is net/http's, with HTTP/2 if asked for.
func (r *running) client(http2 bool) *http.Client {
	transport := &http.Transport{DisableCompression: true}
	transport.Protocols = new(http.Protocols)
	transport.Protocols.SetHTTP1(!http2)
	transport.Protocols.SetHTTP2(http2)
	if file := r.CertificateFile(); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			r.t.Fatal(err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(text) {
			r.t.Fatalf("%s holds no certificate", file)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool}
	}
	r.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: readable{transport}}
}

// readable gives net/http bodies that can be read, and no more. Those of the SDK, which closes them with
// the answer, fail then when they are to write themselves; net/http closes the connection for that,
// and the next request, on another one, may be observed before this one.
type readable struct{ *http.Transport }

func (r readable) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil && req.Body != http.NoBody {
		req = req.WithContext(req.Context())
		req.Body = struct{ io.ReadCloser }{req.Body}
	}
	return r.Transport.RoundTrip(req)
}
