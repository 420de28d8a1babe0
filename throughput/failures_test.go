package throughput

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestFailures(t *testing.T) {
	const closed = "http://127.0.0.1:1" // below all ports that are given to those who ask for any
	s := serve(t, swallow(0))
	broken := errors.New("broken")
	for _, test := range []struct {
		name, url string
		body      io.Reader
		want      error
	}{
		{"refused", closed, strings.NewReader("x"), syscall.ECONNREFUSED},
		{"refused without body", closed, nil, syscall.ECONNREFUSED},
		{"body breaks", s.URL, io.MultiReader(strings.NewReader("x"), failing{broken}), broken},
		{"too short", s.URL, strings.NewReader("x"), nil},
	} {
		c, k := client(t, nil)
		req := request(t, "PUT", test.url, test.body)
		if test.name == "too short" {
			req.ContentLength = 10
		}
		if resp, err := c.Do(req); err == nil {
			_ = resp.Body.Close()
			t.Errorf("%s: no error", test.name)
		}
		got := k.wait(t, 1)[0]
		want := Aborted
		if test.body == nil {
			want = NoBody
		}
		if got.Err == nil || test.want != nil && !errors.Is(got.Err, test.want) || got.WriteQuality() != want ||
			got.ReadQuality() != Aborted {
			t.Errorf("%s: %s %s %v", test.name, got.WriteQuality(), got.ReadQuality(), got.Err)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestCancelled(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		arrived, release := make(chan struct{}), make(chan struct{})
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = r.Body.Read(make([]byte, 1))
			close(arrived)
			<-release
		}))
		s.EnableHTTP2 = http2
		s.StartTLS()
		c := s.Client()
		k := newKept()
		c.Transport = Wrap(c.Transport, k)
		ctx, cancel := context.WithCancel(context.Background())
		go func() { <-arrived; cancel() }()
		resp, err := c.Do(request(t, "PUT", s.URL, endless{}).WithContext(ctx))
		if err == nil {
			_ = resp.Body.Close()
		}
		got := k.wait(t, 1)[0]
		if !errors.Is(got.Err, context.Canceled) || got.WriteQuality() != Aborted || got.RequestBytes == 0 {
			t.Errorf("HTTP/2 %v: %s %+v", http2, got.WriteQuality(), got)
		}
		close(release)
		s.Close()
	}
}

func TestSwitchedProtocols(t *testing.T) {
	over := make(chan struct{})
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		defer close(over) // the server does not wait for what was taken from it
		c, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n")
		line, _ := rw.ReadString('\n')
		_, _ = io.WriteString(c, line)
		_ = c.Close()
	}))
	c, k := client(t, nil)
	req := request(t, "GET", s.URL, nil)
	req.Header.Set("Connection", "upgrade")
	req.Header.Set("Upgrade", "echo")
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	both, ok := resp.Body.(io.ReadWriteCloser)
	if !ok {
		t.Fatal("the response cannot be written to")
	}
	_, _ = io.WriteString(both, "hello\n")
	text, err := io.ReadAll(both)
	if err != nil || string(text) != "hello\n" {
		t.Errorf("%q %v", text, err)
	}
	_ = both.Close()
	<-over
	if got := k.wait(t, 1)[0]; got.ResponseBytes != 6 {
		t.Errorf("%+v", got)
	}
}

func TestDecodedLength(t *testing.T) {
	s := serve(t, swallow(0))
	c, k := client(t, nil)
	for _, value := range []string{"70", "-1", "x", ""} {
		req := request(t, "PUT", s.URL, strings.NewReader(strings.Repeat("x", 100)))
		req.Header.Set("X-Amz-Decoded-Content-Length", value)
		send(t, c, req)
	}
	for i, got := range k.wait(t, 4) {
		if n, ok := got.DecodedBytes.Bytes(); ok != (i == 0) || i == 0 && n != 70 {
			t.Errorf("%d: %d %v", i, n, ok)
		}
	}
}

func TestObservers(t *testing.T) {
	s := serve(t, swallow(0))
	k, inner, innermost := newKept(), newKept(), newKept()
	var panics []any
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	rt := &Transport{
		Base:     base,
		Observer: Observers{nil, ObserverFunc(nil), ObserverFunc(func(context.Context, *Timeline) { panic("mine") }), k},
		OnPanic:  func(v any) { panics = append(panics, v) },
	}
	ctx := WithObserver(WithObserver(WithObserver(context.Background(), inner), nil), innermost)
	send(t, &http.Client{Transport: rt}, request(t, "GET", s.URL, nil).WithContext(ctx))
	if k.wait(t, 1)[0] != inner.wait(t, 1)[0] || innermost.wait(t, 1)[0].Status != 200 {
		t.Error("the observers got different timelines")
	}
	if !slices.Equal([]any{"mine"}, panics) {
		t.Errorf("%v", panics)
	}
	rt.OnPanic = nil
	send(t, &http.Client{Transport: rt}, request(t, "GET", s.URL, nil))
}

func TestNil(t *testing.T) {
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	s := serve(t, swallow(0))
	for _, rt := range []*Transport{nil, {}, Wrap(nil, nil), Wrap(nil, newKept())} {
		c := &http.Client{Transport: rt}
		put(t, c, s.URL, []byte("x"))
		k := newKept()
		send(t, c, request(t, "PUT", s.URL, strings.NewReader("x")).WithContext(WithObserver(context.Background(), k)))
		k.wait(t, 1)
		rt.CloseIdleConnections()
	}
	var none *Timeline
	for _, figure := range []func() (float64, bool){none.WriteThroughputHandoff, none.WriteThroughputDelivered,
		none.ReadThroughput, none.WriteThroughputError} {
		if _, ok := figure(); ok {
			t.Error("a figure of nothing")
		}
	}
	if _, ok := none.TTFB(); ok || none.WriteQuality() != NoBody || none.ReadQuality() != NoBody {
		t.Error("a figure of nothing")
	}
}
