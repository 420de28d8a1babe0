package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/throughput"
)

// part makes a part of its own memory, which is larger than the part by spare.
func part(t *testing.T, content []byte, spare int) *Part {
	t.Helper()
	m, err := newMemory(int64(len(content) + spare))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { freeMemory(m) })
	copy(m, content)
	for i := range m[len(content):] {
		m[len(content)+i] = 0xEE // must not be sent
	}
	return &Part{Number: 1, slab: m, bytes: m[:len(content)]}
}

// put sends a part, wrapped as a client's library wraps it.
func put(ctx context.Context, client *http.Client, url string, p *Part) (*http.Response, error) {
	req, err := http.NewRequestWithContext(WithPart(ctx, p), http.MethodPut, url, io.NopCloser(p.Body()))
	if err != nil {
		return nil, err
	}
	req.ContentLength = int64(len(p.Bytes()))
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return resp, errors.Join(err, resp.Body.Close())
}

// sink is a server that keeps what it got.
type sink struct {
	*httptest.Server
	mu  sync.Mutex
	got [][]byte
}

func newSink(t *testing.T, secure bool) *sink {
	t.Helper()
	s := &sink{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.got = append(s.got, b)
	}))
	if secure {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s
}

// trusting is a client that trusts the server.
func trusting(t *testing.T, s *httptest.Server, c *Config) *http.Client {
	t.Helper()
	client := NewClient(c, func(base *http.Transport) {
		if own, ok := s.Client().Transport.(*http.Transport); ok && own.TLSClientConfig != nil {
			base.TLSClientConfig = own.TLSClientConfig.Clone()
		}
	})
	t.Cleanup(client.CloseIdleConnections)
	return client
}

// A part arrives unchanged. Over plain HTTP it is not copied.
func TestSendPart(t *testing.T) {
	for _, secure := range []bool{false, true} {
		for _, spare := range []int{0, 5000} {
			for _, size := range []int{1, 4095, 1 << 20} {
				t.Run(fmt.Sprintf("tls %t, %d of %d bytes", secure, size, size+spare), func(t *testing.T) {
					s := newSink(t, secure)
					client := trusting(t, s.Server, &Config{})
					p := part(t, random(7, size), spare)
					seen := make(chan throughput.Timeline, 2)
					ctx := throughput.WithObserver(t.Context(),
						throughput.ObserverFunc(func(_ context.Context, t *throughput.Timeline) { seen <- *t }))
					for range 2 { // the second time on the same connection
						if _, err := put(ctx, client, s.URL, p); err != nil {
							t.Fatal(err)
						}
					}
					p.readers.Wait()
					<-seen
					timeline := <-seen
					for _, got := range s.got {
						if !bytes.Equal(got, p.Bytes()) {
							t.Errorf("%d other bytes arrived", len(got))
						}
					}
					if len(s.got) != 2 || timeline.RequestBytes != int64(size) {
						t.Errorf("%d requests; the last had %d bytes", len(s.got), timeline.RequestBytes)
					}
					// net/http copies in pieces of 32 KiB what it does not leave to the connection.
					if most := int64(2 + size/sendChunk); !secure && timeline.RequestReads > most {
						t.Errorf("the part was read in %d pieces, and not in %d: it was copied",
							timeline.RequestReads, most)
					}
				})
			}
		}
	}
}

// A connection that expects a part sends any other reader unchanged and leaves the memory of the part alone.
func TestConnSendsOtherReaders(t *testing.T) {
	for name, c := range map[string]struct {
		from   func(*partBody) io.Reader
		closed bool
		want   string
	}{
		"the part": {func(b *partBody) io.Reader { return io.LimitReader(b, 8) }, false, "the part"},
		"its rest": {func(b *partBody) io.Reader { _, _ = b.Read(make([]byte, 3)); return io.LimitReader(b, 5) },
			false, " part"},
		"something else": {func(*partBody) io.Reader { return io.LimitReader(strings.NewReader("others"), 6) },
			false, "others"},
		"without a limit": {func(*partBody) io.Reader { return strings.NewReader("others") }, false, "others"},
		"nothing":         {func(*partBody) io.Reader { return io.LimitReader(strings.NewReader(""), 6) }, false, ""},
		"one byte":        {func(*partBody) io.Reader { return io.LimitReader(strings.NewReader("o"), 6) }, false, "o"},
		"after its end": {func(*partBody) io.Reader { return io.LimitReader(strings.NewReader("others"), 6) },
			true, "others"},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			got := make(chan string)
			go func() {
				c, err := l.Accept()
				if err != nil {
					got <- err.Error()
					return
				}
				b, _ := io.ReadAll(c)
				_ = c.Close()
				got <- string(b)
			}()
			dial := wrapDial((&net.Dialer{}).DialContext, nil)
			conn, err := dial(t.Context(), "tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			p := part(t, []byte("the part"), 0)
			b := newPartBody(p)
			if c.closed {
				_ = b.Close()
			}
			pc := conn.(*partConn)
			pc.body.Store(b)
			from := c.from(b)
			n, err := pc.ReadFrom(from)
			_ = conn.Close()
			if text := <-got; err != nil || text != c.want || n != int64(len(c.want)) {
				t.Errorf("%q arrived of %q, %d bytes, %v", text, c.want, n, err)
			}
			if string(p.Bytes()) != "the part" || pc.body.Load() != nil {
				t.Errorf("the part is %q now, kept: %t", p.Bytes(), pc.body.Load() != nil)
			}
			_ = b.Close()
			p.readers.Wait()
			_ = l.Close()
		})
	}
}

// The memory of a part is released whatever the server does with the request.
func TestPartIsReleased(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var behaviour atomic.Int32
	var group sync.WaitGroup
	over := make(chan struct{})
	group.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			switch behaviour.Load() {
			case 0: // cut in the middle
				_, _ = io.CopyN(io.Discard, c, 100_000)
			case 1: // an answer before the end of the request
				_, _ = io.CopyN(io.Discard, c, 100)
				_, _ = io.WriteString(c, "HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\n\r\n")
				group.Go(func() { _, _ = io.Copy(io.Discard, c) })
				continue
			case 2: // nothing is read, and nothing answered
				group.Go(func() {
					<-over
					_ = c.Close()
				})
				continue
			case 3:
				_, _ = io.CopyN(io.Discard, c, 100)
				_, _ = io.WriteString(c, "nonsense\r\n\r\n")
			}
			_ = c.Close()
		}
	})
	client := NewClient(&Config{Timeout: 100 * time.Millisecond})
	for b := range int32(4) {
		behaviour.Store(b)
		p := part(t, random(9, 8<<20), 0)
		resp, err := put(t.Context(), client, "http://"+l.Addr().String(), p)
		if err == nil && resp.StatusCode < 300 {
			t.Errorf("behaviour %d: no error", b)
		}
		p.readers.Wait() // the test hangs when a body is not closed
	}
	client.CloseIdleConnections()
	_ = l.Close()
	close(over)
	group.Wait()
}

// slow answers by the path: never, with a pause before the end, or in drops.
func slow(pause time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		flush := w.(http.Flusher).Flush
		switch r.URL.Path {
		case "/never":
			<-r.Context().Done()
		case "/stops":
			_, _ = io.WriteString(w, "some")
			flush()
			<-r.Context().Done()
		case "/two":
			_, _ = io.WriteString(w, "one")
			flush()
			_, _ = io.WriteString(w, "two")
			flush()
		case "/drips":
			for range 8 {
				_, _ = io.WriteString(w, "drop")
				flush()
				select {
				case <-time.After(pause):
				case <-r.Context().Done():
					return
				}
			}
		}
	})
}

// An attempt ends at its timeout, before the response or in the middle of it. A patient one lasts while bytes move.
func TestTimeout(t *testing.T) {
	const timeout = time.Minute
	for _, c := range []struct {
		name, path string
		patient    bool
		rest       time.Duration // of the reader, after each read
		took       time.Duration
		late       bool
		got        string
	}{
		{"no answer", "/never", false, 0, timeout, true, ""},
		{"no answer, patiently", "/never", true, 0, timeout, true, ""},
		{"half an answer", "/stops", false, 0, timeout, true, "some"},
		{"half an answer, patiently", "/stops", true, 0, timeout, true, "some"},
		{"a slow answer", "/drips", false, 0, timeout, true, "dropdropdrop"},
		{"a slow answer, patiently", "/drips", true, 0, 8 * 25 * time.Second, false, strings.Repeat("drop", 8)},
		{"a slow reader, patiently", "/two", true, 2 * timeout, 6 * timeout, false, "onetwo"},
		{"a slow reader", "/two", false, 2 * timeout, 4 * timeout, true, "one"},
		{"a fast one", "/", false, 0, 0, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := make(peertest.Pipes)
				server := &http.Server{Handler: slow(25 * time.Second)}
				done := make(chan error)
				go func() { done <- server.Serve(network) }()
				client := NewClient(&Config{Timeout: timeout}, func(t *http.Transport) { t.DialContext = network.Dial })
				ctx := t.Context()
				if c.patient {
					ctx = WithPatience(ctx)
				}
				start := time.Now()
				got, err := get(ctx, client, "http://pipe"+c.path, c.rest)
				if late := CauseOf(err) == Timeout; late != c.late || (err != nil) != c.late {
					t.Errorf("the error is %v", err)
				}
				if took := time.Since(start); took != c.took || got != c.got {
					t.Errorf("got %q after %v, want %q after %v", got, took, c.got, c.took)
				}
				client.CloseIdleConnections()
				_ = server.Close()
				<-done
			})
		})
	}
}

// get reads a response in pieces of three bytes, and sleeps for rest after each.
//
// synctest: called only inside a bubble.
func get(ctx context.Context, client *http.Client, url string, rest time.Duration) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	var all []byte
	for p := make([]byte, 3); err == nil; time.Sleep(rest) {
		var n int
		n, err = resp.Body.Read(p)
		all = append(all, p[:n]...)
	}
	if err == io.EOF {
		err = nil
	}
	return string(all), errors.Join(err, resp.Body.Close())
}
