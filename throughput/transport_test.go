package throughput

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// kept is an observer that keeps what it gets and wakes who waits for it.
type kept struct {
	mu   sync.Mutex
	list []*Timeline
	got  chan struct{}
}

func newKept() *kept { return &kept{got: make(chan struct{}, 64)} }

func (k *kept) Observe(_ context.Context, t *Timeline) {
	k.mu.Lock()
	k.list = append(k.list, t)
	k.mu.Unlock()
	k.got <- struct{}{}
}

// wait returns the next timelines once there are n, in the order of their starts: an attempt may
// be over after one that began later. It fails if there are more.
func (k *kept) wait(tb testing.TB, n int) []*Timeline {
	tb.Helper()
	for range n {
		<-k.got
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.list) != n {
		tb.Fatalf("%d timelines instead of %d", len(k.list), n)
	}
	list := k.list
	k.list = nil
	slices.SortStableFunc(list, func(a, b *Timeline) int { return a.Started.Compare(b.Started) })
	return list
}

// swallow reads the body of each request and answers with answer bytes.
func swallow(answer int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = w.Write(make([]byte, answer))
	})
}

func serve(tb testing.TB, h http.Handler) *httptest.Server {
	tb.Helper()
	s := httptest.NewServer(h)
	tb.Cleanup(s.Close)
	return s
}

// client is one whose attempts are kept, over a transport of its own.
func client(tb testing.TB, base *http.Transport) (*http.Client, *kept) {
	tb.Helper()
	if base == nil {
		base = &http.Transport{}
	}
	tb.Cleanup(base.CloseIdleConnections)
	k := newKept()
	return &http.Client{Transport: Wrap(base, k)}, k
}

func put(tb testing.TB, client *http.Client, url string, body []byte) {
	tb.Helper()
	send(tb, client, request(tb, http.MethodPut, url, bytes.NewReader(body)))
}

func request(tb testing.TB, method, url string, body io.Reader) *http.Request {
	tb.Helper()
	req, err := http.NewRequest(method, url, body)
	if err != nil {
		tb.Fatal(err)
	}
	return req
}

func send(tb testing.TB, client *http.Client, req *http.Request) *http.Response {
	tb.Helper()
	resp, err := client.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	if e := resp.Body.Close(); err == nil {
		err = e
	}
	if err != nil {
		tb.Fatal(err)
	}
	return resp
}

// ordered fails unless the stamps have happened, in this order.
func ordered(tb testing.TB, t *Timeline, stamps map[string]Stamp, names ...string) {
	tb.Helper()
	for i, name := range names {
		if !stamps[name].Happened() {
			tb.Errorf("%s did not happen: %+v", name, t)
		} else if i > 0 && stamps[name] < stamps[names[i-1]] {
			tb.Errorf("%s at %d is before %s at %d", name, stamps[name], names[i-1], stamps[names[i-1]])
		}
	}
}

func stamps(t *Timeline) map[string]Stamp {
	return map[string]Stamp{
		"connect": t.ConnectStart, "connected": t.ConnectDone, "tls": t.TLSStart, "secure": t.TLSDone,
		"got": t.ConnectionGot, "headers": t.WroteHeaders, "continued": t.Continued, "first read": t.FirstBodyRead,
		"last read": t.LastBodyRead, "written": t.RequestWritten, "drained": t.Drained,
		"first byte": t.FirstResponseByte, "last byte": t.LastResponseByte, "ended": t.Ended,
	}
}

func TestTimelineOfAnUpload(t *testing.T) {
	s := serve(t, swallow(100_000))
	c, k := client(t, nil)
	const size = 300_000
	var reused []bool // as net/http says, which gives a connection up when its writer is late
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) { reused = append(reused, info.Reused) },
	})
	for range 2 {
		send(t, c, request(t, http.MethodPut, s.URL+"/path?secret=1", bytes.NewReader(make([]byte, size))).
			WithContext(ctx))
	}
	all := k.wait(t, 2)
	ordered(t, all[0], stamps(all[0]), "connect", "connected", "got", "headers", "first read", "last read",
		"written", "ended")
	ordered(t, all[0], stamps(all[0]), "got", "first byte", "last byte", "ended")
	host := strings.TrimPrefix(s.URL, "http://")
	for i, got := range all {
		if got.Reused != reused[i] || got.ConnectStart.Happened() == reused[i] {
			t.Errorf("request %d: of a connection that was there %v: %+v", i, reused[i], got)
		}
		want := Timeline{
			Method: "PUT", Scheme: "http", Host: host, Proto: "HTTP/1.1", Status: 200, Attempt: 1,
			HasBody: true, ContentLength: size, RequestBytes: size, ResponseBytes: 100_000, ResponseEnded: true,
		}
		kept := Timeline{
			Method: got.Method, Scheme: got.Scheme, Host: got.Host, Proto: got.Proto, Status: got.Status,
			Attempt: got.Attempt, Err: got.Err,
			HasBody: got.HasBody, ContentLength: got.ContentLength, RequestBytes: got.RequestBytes,
			ResponseBytes: got.ResponseBytes, ResponseEnded: got.ResponseEnded,
			DecodedBytes: got.DecodedBytes, Sendfile: got.Sendfile, Shared: got.Shared, Uncompressed: got.Uncompressed,
		}
		if !reflect.DeepEqual(want, kept) {
			t.Errorf("want %+v\ngot  %+v", want, kept)
		}
		if got.RequestReads < 2 || got.ResponseReads < 2 {
			t.Errorf("%d and %d reads", got.RequestReads, got.ResponseReads)
		}
	}
}

func TestOtherProtocols(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		s := httptest.NewUnstartedServer(swallow(10))
		s.EnableHTTP2 = http2
		s.StartTLS()
		k := newKept()
		c := s.Client()
		c.Transport = Wrap(c.Transport, k)
		put(t, c, s.URL, make([]byte, 300_000))
		got := k.wait(t, 1)[0]
		ordered(t, got, stamps(got), "connect", "connected", "tls", "secure", "got", "first read", "last read",
			"written", "ended")
		if got.Shared || got.WriteQuality() == SharedConnection || got.RequestBytes != 300_000 {
			t.Errorf("HTTP/2 %v: %s %+v", http2, got.WriteQuality(), got)
		}
		s.Close()
	}
}

// Without TLS only the response tells that the connection was shared.
func TestHTTP2WithoutTLS(t *testing.T) {
	s := httptest.NewUnstartedServer(swallow(0))
	protocols := &http.Protocols{}
	protocols.SetUnencryptedHTTP2(true)
	s.Config.Protocols = protocols
	s.Start()
	defer s.Close()
	c, k := client(t, &http.Transport{Protocols: protocols})
	put(t, c, s.URL, make([]byte, 300_000))
	if got := k.wait(t, 1)[0]; got.WriteQuality() != SharedConnection || got.Drained.Happened() || got.Proto != "HTTP/2.0" {
		t.Errorf("%s %+v", got.WriteQuality(), got)
	}
	c.CloseIdleConnections()
}

func TestDownload(t *testing.T) {
	s := serve(t, swallow(1_000_000))
	c, k := client(t, nil)
	send(t, c, request(t, "GET", s.URL, nil))
	resp, err := c.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.ReadFull(resp.Body, make([]byte, 10))
	_ = resp.Body.Close()
	_ = resp.Body.Close()
	send(t, c, request(t, "HEAD", s.URL, nil))
	all := k.wait(t, 3)
	whole, part, head := all[0], all[1], all[2]
	if whole.ResponseBytes != 1_000_000 || !whole.ResponseEnded || whole.HasBody || whole.FirstBodyRead.Happened() {
		t.Errorf("%+v", whole)
	}
	if part.ResponseEnded || part.ReadQuality() != Aborted || part.ResponseBytes != 10 || part.Err != nil {
		t.Errorf("%+v", part)
	}
	if _, ok := part.TTLB(); ok {
		t.Error("there was no last byte")
	}
	if !head.ResponseEnded || head.LastResponseByte < head.FirstResponseByte {
		t.Errorf("%+v", head)
	}
}

// An SDK reads the body to hash it, rewinds it, and sends it: only that counts.
func TestHashedBefore(t *testing.T) {
	s := serve(t, swallow(0))
	c, k := client(t, nil)
	body := bytes.NewReader(make([]byte, 200_000))
	req := request(t, "PUT", s.URL, body)
	_, _ = io.Copy(io.Discard, req.Body)
	_, _ = body.Seek(0, io.SeekStart)
	send(t, c, req)
	got := k.wait(t, 1)[0]
	if got.RequestBytes != 200_000 || got.FirstBodyRead < got.ConnectionGot {
		t.Errorf("%+v", got)
	}
}

// A connection that dies when it is used again makes net/http send the request once more. The
// network is one of pipes in fake time: on a real one a connection is used again only if the
// goroutine that wrote the request is back within 50 ms.
func TestResent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := func(r *bufio.Reader, c net.Conn) bool {
			req, err := http.ReadRequest(r)
			if err != nil {
				return false
			}
			_, _ = io.Copy(io.Discard, req.Body)
			time.Sleep(time.Second) // no two attempts begin at the same time
			_, err = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
			return err == nil
		}
		var served sync.WaitGroup
		connections := 0
		serve := func(c net.Conn, first bool) {
			r := bufio.NewReader(c)
			if answer(r, c) && first {
				if req, err := http.ReadRequest(r); err == nil { // the second request: take it and hang up
					_, _ = io.Copy(io.Discard, req.Body)
					time.Sleep(time.Second)
				}
			} else {
				_, _ = r.ReadByte() // until the client hangs up
			}
			_ = c.Close()
		}
		c, k := client(t, &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			here, there := net.Pipe()
			connections++
			first := connections == 1
			served.Go(func() { serve(there, first) })
			return here, nil
		}})
		for range 2 {
			req := request(t, "PUT", "http://pipe", bytes.NewReader(make([]byte, 100_000)))
			req.Header.Set("Idempotency-Key", "1") // or net/http would not dare
			send(t, c, req)
		}
		c.CloseIdleConnections()
		served.Wait()
		all := k.wait(t, 3)
		first, lost, again := all[0], all[1], all[2]
		if first.Attempt != 1 || lost.Attempt != 1 || !errors.Is(lost.Err, ErrResent) || lost.WriteQuality() != Aborted ||
			!lost.Reused {
			t.Errorf("lost: %+v", lost)
		}
		if again.Attempt != 2 || again.Err != nil || again.RequestBytes != 100_000 || again.Reused {
			t.Errorf("again: %+v", again)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// What net/http looks for in a request has to stay as it is.
func TestRequestStays(t *testing.T) {
	k := newKept()
	rt := Wrap(roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.Body != nil {
			_, _ = io.Copy(io.Discard, r.Body)
			_ = r.Body.Close()
		}
		return &http.Response{StatusCode: 200, Request: r,
			Header: http.Header{"Proto": {r.Proto}, "Nobody": {fmt.Sprint(r.Body == http.NoBody)}}}, nil
	}), k)
	req := &http.Request{Method: "PUT", URL: &url.URL{Scheme: "http", Host: "x"}, Body: http.NoBody,
		GetBody: func() (io.ReadCloser, error) { return http.NoBody, nil }}
	resp, err := rt.RoundTrip(req)
	if err != nil || resp.Header.Get("Proto") != "" || resp.Header.Get("Nobody") != "true" || resp.Request != req {
		t.Errorf("%+v %v", resp, err)
	}
	if got := k.wait(t, 1)[0]; got.HasBody {
		t.Errorf("%+v", got)
	}
	body := io.NopCloser(strings.NewReader("x"))
	req = &http.Request{Method: "PUT", URL: req.URL, Body: body}
	if _, err := rt.RoundTrip(req); err != nil || req.Body != body {
		t.Error("the caller's request was changed")
	}
	// A transport without hooks has a timeline too.
	if got := k.wait(t, 1)[0]; got.RequestBytes != 1 {
		t.Errorf("%+v", got)
	}
}

func TestSendfile(t *testing.T) {
	const size = 3_000_000
	name := filepath.Join(t.TempDir(), "body")
	if err := os.WriteFile(name, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	secure := httptest.NewTLSServer(swallow(0))
	defer secure.Close()
	plain := serve(t, swallow(0))
	c, k := client(t, secure.Client().Transport.(*http.Transport))
	for _, address := range []string{plain.URL, secure.URL} {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		req := request(t, "PUT", address, f)
		req.ContentLength = size
		send(t, c, req)
	}
	all := k.wait(t, 2)
	bySystem, byReads := all[0], all[1]
	if !bySystem.Sendfile || bySystem.RequestBytes != size || bySystem.RequestReads != 0 ||
		bySystem.WriteQuality() != Sendfile {
		t.Errorf("plain: %s %+v", bySystem.WriteQuality(), bySystem)
	}
	if _, ok := bySystem.WriteThroughputHandoff(); ok {
		t.Error("nobody saw the body being taken")
	}
	ordered(t, bySystem, stamps(bySystem), "got", "first read", "last read", "written")
	if byReads.Sendfile || byReads.RequestBytes != size || byReads.RequestReads < 2 {
		t.Errorf("TLS: %+v", byReads)
	}
	x := &exchange{request: &http.Request{}}
	x.beginAttempt(1)
	if _, ok := x.body(io.NopCloser(strings.NewReader(""))).(syscall.Conn); ok {
		t.Error("a body that is no file looks like one")
	}
}

func TestInformational(t *testing.T) {
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		_, _ = io.Copy(io.Discard, r.Body) // sends 100 Continue
		w.WriteHeader(http.StatusCreated)
	}))
	c, k := client(t, &http.Transport{ExpectContinueTimeout: 1 << 40})
	var seen []int
	ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{
		Got1xxResponse: func(code int, _ textproto.MIMEHeader) error { seen = append(seen, code); return nil },
	})
	req := request(t, "PUT", s.URL, bytes.NewReader(make([]byte, 200_000))).WithContext(ctx)
	req.Header.Set("Expect", "100-continue")
	send(t, c, req)
	got := k.wait(t, 1)[0]
	ordered(t, got, stamps(got), "got", "continued", "first read", "last read", "first byte", "ended")
	if got.Status != http.StatusCreated || len(seen) != 2 {
		t.Errorf("%v %+v", seen, got)
	}
}

// An answer that does not wait for the body ends the attempt only when the body is done with.
func TestAnswerBeforeTheBody(t *testing.T) {
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	}))
	c, k := client(t, nil)
	for range 2 {
		resp, err := c.Do(request(t, "PUT", s.URL, io.LimitReader(endless{}, 50<<20)))
		if err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	}
	for _, got := range k.wait(t, 2) {
		if got.WriteQuality() == OK && got.RequestBytes != 50<<20 {
			t.Errorf("%s %+v", got.WriteQuality(), got)
		}
	}
}

func TestRedirect(t *testing.T) {
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
		}
	}))
	c, k := client(t, nil)
	put(t, c, s.URL+"/", make([]byte, 50_000))
	all := k.wait(t, 2)
	if all[0].Status != 307 || all[1].Status != 200 || all[0].RequestBytes != 50_000 || all[1].RequestBytes != 50_000 {
		t.Errorf("%+v %+v", all[0], all[1])
	}
}

func TestProxy(t *testing.T) {
	s := httptest.NewTLSServer(swallow(5))
	defer s.Close()
	over := make(chan struct{})
	proxy := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			_, _ = io.Copy(io.Discard, r.Body)
			return
		}
		out, err := net.Dial("tcp", r.Host)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer close(over) // the server does not wait for what was taken from it
		in, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(in, "HTTP/1.1 200 OK\r\n\r\n")
		forth := make(chan struct{})
		go func() { _, _ = io.Copy(out, in); _ = out.Close(); close(forth) }()
		_, _ = io.Copy(in, out)
		_ = in.Close()
		<-forth
	}))
	via, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	base := s.Client().Transport.(*http.Transport)
	base.Proxy = http.ProxyURL(via)
	c, k := client(t, base)
	put(t, c, s.URL, make([]byte, 100_000))
	put(t, c, "http://nowhere.invalid/", make([]byte, 100_000))
	c.CloseIdleConnections()
	<-over
	for _, got := range k.wait(t, 2) {
		if got.RequestBytes != 100_000 || got.Status != 200 || !got.RequestWritten.Happened() {
			t.Errorf("%+v", got)
		}
	}
}
