package http_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/plimsoll/plimsoll/internal/infile"
	room "github.com/plimsoll/plimsoll/internal/workload/http"
	"github.com/plimsoll/plimsoll/internal/workload/http/rates"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
)

// pattern is a body of which each part is unlike the others.
func pattern(size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(i>>16) ^ byte(i>>8) ^ byte(i)
	}
	return b
}

// bodyFile is a file with such a body, and a request that sends it.
func bodyFile(t *testing.T, size int, r script.Request) (name string, sent script.Request) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "body")
	if err := os.WriteFile(name, pattern(size), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.TakeFile(name, new(infile.Files).Open); err != nil {
		t.Fatal(err)
	}
	return name, r
}

// A receiver hashes what it gets.
type receiver struct {
	wrong, right, bytes atomic.Int64
	want                [32]byte
}

func (s *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := sha256.New()
	n, err := io.Copy(h, r.Body)
	s.bytes.Add(n)
	if err != nil || [32]byte(h.Sum(nil)) != s.want {
		s.wrong.Add(1)
		return
	}
	s.right.Add(1)
}

// TestBodiesArriveUnchanged: what is sent in pieces, from the memory or from the disk, is what the server gets, and both count the
// same.
func TestBodiesArriveUnchanged(t *testing.T) {
	for _, c := range []struct {
		size int
		way  string
	}{
		{1, "closed"}, {1, "all rates"}, {64<<10 - 1, "closed"}, {64 << 10, "open"}, {script.Small, "tls"},
		{script.Small + 1, "closed"}, {script.Small + 1, "no rates"}, {3<<20 + 7, "tls"}, {3<<20 + 7, "open"},
	} {
		size, way := c.size, c.way
		t.Run(fmt.Sprint(size, " ", way), func(t *testing.T) {
			s := &receiver{want: sha256.Sum256(pattern(size))}
			server := httptest.NewUnstartedServer(s)
			if way == "tls" {
				server.StartTLS()
			} else {
				server.Start()
			}
			defer server.Close()
			_, request := bodyFile(t, size, script.Request{URL: server.URL + "/"})
			if (request.File != nil) != (size > script.Small) {
				t.Fatalf("it is sent from the disk: %v", request.File)
			}
			const n = 10
			_, total, w := runs(t, flow(t, nil, request), n, func(p *room.Plan) {
				p.Dial.Insecure = true
				switch way {
				case "open":
					p.Load.Rate, p.Load.MaxWaiting = 100, 100
				case "all rates":
					p.Request.Rates = rates.All
				case "no rates":
					p.Request.Rates = rates.None
				}
			})
			if total.OK != n || s.right.Load() != n || s.wrong.Load() != 0 || s.bytes.Load() != total.Bytes {
				t.Errorf("%d ok of %d bytes, and the server had %d, %d of them wrong, of %d bytes; %+v", total.OK, total.Bytes,
					s.right.Load(), s.wrong.Load(), s.bytes.Load(), total.Causes)
			}
			up, _ := w.Bodies()
			measured := way != "no rates" && (size >= 64<<10 || way == "all rates")
			if (up != nil) != measured || up != nil && up.Bodies != n {
				t.Errorf("rates: %+v", up)
			}
			if f := w.BodyFiles(); (len(f) == 1) != (size > script.Small) || len(f) == 1 && f[0].ReadBytes != int64(n*size) {
				t.Errorf("files: %+v", f)
			}
		})
	}
}

// TestBodiesFromDiskOverHTTP2: bodies of any size go through the windows of the server, several at a time.
func TestBodiesFromDiskOverHTTP2(t *testing.T) {
	for _, size := range []int{script.Small + 1, 3<<20 + 7} {
		for _, way := range []string{"closed", "open", "tls"} {
			t.Run(fmt.Sprint(size, " ", way), func(t *testing.T) {
				s := &receiver{want: sha256.Sum256(pattern(size))}
				url := serveHTTP2(t, s, way == "tls")
				_, request := bodyFile(t, size, script.Request{URL: url + "/"})
				const n = 12
				_, total, w := runs(t, flow(t, nil, request), n, http2(func(p *room.Plan) {
					p.Dial.Insecure, p.Load.Clients, p.Load.Pipeline = true, 2, 3
					if way == "open" {
						p.Load.Rate, p.Load.MaxWaiting = 100, 100
					}
				}))
				if total.OK != n || s.right.Load() != n || s.wrong.Load() != 0 || s.bytes.Load() != total.Bytes {
					t.Errorf("%d ok of %d bytes, and the server had %d, %d of them wrong, of %d bytes; %+v", total.OK, total.Bytes,
						s.right.Load(), s.wrong.Load(), s.bytes.Load(), total.Causes)
				}
				if f := w.BodyFiles(); len(f) != 1 || f[0].ReadBytes != int64(n*size) {
					t.Errorf("files: %+v", f)
				}
			})
		}
	}
}

// serveHTTP2 starts a server of HTTP/2, within TLS or without.
func serveHTTP2(t *testing.T, h http.Handler, secure bool) (url string) {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	t.Cleanup(server.Close)
	if secure {
		server.EnableHTTP2 = true
		server.StartTLS()
		return server.URL
	}
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	return server.URL
}

// TestRefusedBodyFromDiskOverHTTP2: the status of a server that does not want a body counts, and what was not sent does
// not; the connection is used again.
func TestRefusedBodyFromDiskOverHTTP2(t *testing.T) {
	const size, n = 16 << 20, 6
	url := serveHTTP2(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.CopyN(io.Discard, r.Body, 100)
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	}), false)
	_, request := bodyFile(t, size, script.Request{URL: url + "/"})
	doc, total := run(t, flow(t, nil, request), n, http2(func(p *room.Plan) { p.Load.Clients = 1 }))
	if total.Failed != n || len(total.Causes) != 1 || total.Causes[0].Cause != "status-413" || doc.Connections.Opened != 1 {
		t.Errorf("%d failed by %d connections: %+v", total.Failed, doc.Connections.Opened, total.Causes)
	}
	if sent := doc.HTTP().SentBytes; sent >= n*size/2 {
		t.Errorf("%d bytes were counted as sent", sent)
	}
}

// refuser answers each request when it has read so much of it, and closes the connection or does not.
func refuser(t *testing.T, read int64, answer string, closes bool) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	over := make(chan struct{})
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer func() { _ = conn.Close() }()
				in := bufio.NewReader(conn)
				if _, err := http.ReadRequest(in); err != nil {
					return
				}
				_, _ = io.CopyN(io.Discard, in, read)
				_, _ = io.WriteString(conn, answer)
				if !closes {
					<-over
				}
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		close(over)
		all.Wait()
	})
	return "http://" + l.Addr().String() + "/"
}

// TestResponseBeforeTheEndOfTheBody: a server that refuses a body before it has it all gives its status, whether it closes the
// connection, with what comes of that, or just reads no more.
func TestResponseBeforeTheEndOfTheBody(t *testing.T) {
	const size = 16 << 20 // more than all buffers on the way
	body := string(pattern(size))
	const refused = "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno"
	for name, c := range map[string]struct {
		answer string
		closes bool
		way    string
	}{
		"closes":            {refused, true, "memory"},
		"closes, from disk": {refused, true, "disk"},
		"reads no more":     {refused, false, "disk"},
		"keeps it, it says": {strings.Replace(refused, "Connection: close\r\n", "", 1), false, "open"},
		"hints before":      {"HTTP/1.1 103 Early Hints\r\n\r\n" + refused, false, "memory"},
	} {
		t.Run(name, func(t *testing.T) {
			request := script.Request{URL: refuser(t, 100, c.answer, c.closes), HasBody: true, Body: body}
			if c.way == "disk" {
				_, request = bodyFile(t, size, script.Request{URL: request.URL})
			}
			doc, total := run(t, flow(t, nil, request), 2, func(p *room.Plan) {
				p.Load.Clients = 2
				if c.way == "open" {
					p.Load.Rate, p.Load.MaxWaiting = 100, 100
				}
			})
			if total.Failed != 2 || len(total.Causes) != 1 || total.Causes[0].Cause != "status-413" {
				t.Errorf("%d failed: %+v", total.Failed, total.Causes)
			}
			// One that did not say so has not closed the connection: the client has.
			if closed := doc.HTTP().Closed; (closed == 2) != strings.Contains(c.answer, "close") || closed == 1 {
				t.Errorf("the server closed %d connections behind answers", closed)
			}
		})
	}
}

// TestExpectContinue waits for 100 Continue; where it is refused, nothing of it is sent.
func TestExpectContinue(t *testing.T) {
	var bodies atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/refused" {
			w.WriteHeader(http.StatusExpectationFailed)
			return
		}
		n, _ := io.Copy(io.Discard, r.Body) // which says 100 Continue
		bodies.Add(n)
	}))
	defer server.Close()
	for _, size := range []int{10, 100_000} {
		bodies.Store(0)
		request := script.Request{URL: server.URL + "/", Headers: []string{"Expect: 100-continue"}, HasBody: true,
			Body: string(pattern(size)[1:])}
		_, total := run(t, flow(t, nil, request), 10, nil)
		if total.OK != 10 || bodies.Load() != int64(10*(size-1)) {
			t.Errorf("%d ok of %d bytes: %+v", total.OK, bodies.Load(), total.Causes)
		}
		request.URL = server.URL + "/refused"
		_, total = run(t, flow(t, nil, request), 10, nil)
		if total.Failed != 10 || total.Causes[0].Cause != "status-417" || total.Bytes != 0 {
			t.Errorf("%d failed, %d bytes: %+v", total.Failed, total.Bytes, total.Causes)
		}
	}
}

// TestChangedBodyFileFailsTheRequest has its cause, and no request goes on with what is another body.
func TestChangedBodyFileFailsTheRequest(t *testing.T) {
	for name, protocol := range protocols {
		t.Run(name, func(t *testing.T) { testChangedBodyFile(t, protocol) })
	}
}

func testChangedBodyFile(t *testing.T, protocol func(func(p *room.Plan)) func(p *room.Plan)) {
	const size = 2 << 20
	for name, c := range map[string]struct {
		change func(name string) error
		cause  string
	}{
		"gone":     {os.Remove, "body-file:gone"},
		"replaced": {func(name string) error { return os.Rename(other(name), name) }, "body-file:gone"},
		"shrunk":   {func(name string) error { return os.Truncate(name, size/2) }, "body-file:shrunk"},
		"written": {func(name string) error {
			return os.WriteFile(name, bytes.Repeat([]byte("x"), size+1), 0o600)
		}, "body-file:changed"},
		"another name": {func(name string) error { return os.Link(name, name+"2") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var served atomic.Int64
			var file string
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if served.Add(1) == 5 {
					if err := c.change(file); err != nil {
						t.Error(err)
					}
				}
			}))
			server.Config.Protocols = new(http.Protocols)
			server.Config.Protocols.SetHTTP1(true)
			server.Config.Protocols.SetUnencryptedHTTP2(true)
			server.Start()
			defer server.Close()
			var request script.Request
			file, request = bodyFile(t, size, script.Request{URL: server.URL + "/"})
			doc, total := run(t, flow(t, nil, request), 20, protocol(func(p *room.Plan) { p.Load.Clients = 1 }))
			if c.cause == "" {
				if total.OK != 20 {
					t.Errorf("%d ok: %+v", total.OK, total.Causes)
				}
				return
			}
			if total.OK != 5 || served.Load() != 5 || len(total.Causes) != 1 || total.Causes[0].Cause != c.cause {
				t.Errorf("%d ok, %d served, causes %+v", total.OK, served.Load(), total.Causes)
			}
			if found := doc.HTTP().Found; len(found) != 1 || found[0].Cause != c.cause || !strings.HasPrefix(found[0].What, file+" ") {
				t.Errorf("found %+v", found)
			}
		})
	}
}

// other is a file with another body beside one.
func other(name string) string {
	_ = os.WriteFile(name+"new", []byte("new"), 0o600)
	return name + "new"
}
