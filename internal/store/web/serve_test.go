package web

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/plimsoll/plimsoll/internal/store"
)

// The servers here are for faults, which real ones do not have at will.

// shelf is a server that keeps files, and does something else where a test wants that.
type shelf struct {
	t *testing.T
	// instead handles a request when it returns true.
	instead func(w http.ResponseWriter, r *http.Request) bool

	mu    sync.Mutex
	files map[string][]byte
	seen  []string // methods and paths
}

func serve(t *testing.T, instead func(w http.ResponseWriter, r *http.Request) bool) (*shelf, string) {
	t.Helper()
	s := &shelf{t: t, instead: instead, files: map[string][]byte{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server.URL
}

// ServeHTTP is the server.
func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.seen = append(s.seen, r.Method+" "+r.URL.Path)
	s.mu.Unlock()
	if s.instead != nil && s.instead(w, r) {
		return
	}
	switch r.Method {
	case http.MethodPut:
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.files[r.URL.Path] = b
		s.mu.Unlock()
		w.WriteHeader(http.StatusCreated)
	case http.MethodDelete:
		s.mu.Lock()
		delete(s.files, r.URL.Path)
		s.mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
	case http.MethodGet, http.MethodHead:
		s.mu.Lock()
		b, ok := s.files[r.URL.Path]
		s.mu.Unlock()
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(b)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// size of a file, or -1.
func (s *shelf) size(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, ok := s.files[path]; ok {
		return len(b)
	}
	return -1
}

// count of requests with this method and path.
func (s *shelf) count(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, seen := range s.seen {
		if seen == what {
			n++
		}
	}
	return n
}

// answer handles requests of a method with a status.
func answer(method string, status int) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != method {
			return false
		}
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(status)
		return true
	}
}

// hijack takes a connection over.
func hijack(t *testing.T, w http.ResponseWriter) *net.TCPConn {
	t.Helper()
	c, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		t.Error(err)
		return nil
	}
	return c.(*net.TCPConn)
}

// retries sets how often a request is sent again.
func retries(n int) func(*store.Config) { return func(c *store.Config) { c.Retries = n } }

// retried is how often requests of this name were, by cause.
func retried(s *webStore, name string) map[string]int64 {
	for _, f := range s.requests.Figures() {
		if f.Name == name {
			return f.Retries
		}
	}
	return nil
}

// listen accepts one connection after the other.
func listen(t *testing.T, handle func(*net.TCPConn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	group.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			group.Go(func() {
				defer c.Close()
				handle(c.(*net.TCPConn))
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		group.Wait()
	})
	return "http://" + l.Addr().String()
}
