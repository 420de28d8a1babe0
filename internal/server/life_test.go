package server

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/peertest"
)

// life runs a server until the test ends or calls end, which gives what Serve did.
func life(t *testing.T, h *HTTP) (address string, end func() error) {
	t.Helper()
	h.Log = slog.New(slog.DiscardHandler)
	var p Port
	if err := p.Bind(t.Context(), net.ListenConfig{}, "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- h.Serve(ctx, p) }()
	end = func() error {
		cancel()
		err := <-done
		done <- err
		return err
	}
	t.Cleanup(func() { _ = end() })
	return p.Address(), end
}

// request sends a request as it is written, and gives the connection to read the answer from. The server
// may have had enough before it has all.
func request(t *testing.T, address, text string) *bufio.Reader {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_, _ = io.WriteString(c, text)
	return bufio.NewReader(c)
}

const plain = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

// TestRequestsInFlightEnd: one is answered although the server was told to end before it was.
func TestRequestsInFlightEnd(t *testing.T) {
	here, go_on := make(chan struct{}), make(chan struct{})
	address, end := life(t, &HTTP{ShutdownTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			close(here)
			<-go_on
			if r.Context().Err() != nil {
				w.WriteHeader(http.StatusGone)
			}
		})})
	answer := request(t, address, plain)
	<-here
	ended := make(chan error, 1)
	go func() { ended <- end() }()
	close(go_on)
	if line, err := answer.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Errorf("%q, %v", line, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestShutdownIsBounded: of what net/http serves, and of what has left it.
func TestShutdownIsBounded(t *testing.T) {
	here := make(chan struct{})
	var left error
	address, end := life(t, &HTTP{
		ShutdownTimeout: time.Millisecond,
		Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			close(here)
			<-r.Context().
				Done()
		}),
		Ending: func(patience context.Context) { <-patience.Done(); left = patience.Err() },
	})
	answer := request(t, address, plain)
	<-here
	if err := end(); err != nil || !errors.Is(left, context.DeadlineExceeded) {
		t.Errorf("%v, %v", err, left)
	}
	if said, _ := io.ReadAll(answer); len(said) > 0 {
		t.Errorf("what was cut off got %q", said)
	}
}

func TestHeadersAreBounded(t *testing.T) {
	address, _ := life(t, &HTTP{Handler: http.NotFoundHandler()})
	answer := request(t, address, "GET / HTTP/1.1\r\nHost: x\r\nA: "+strings.Repeat("a", 2*MaxHeader)+"\r\n\r\n")
	if line, err := answer.ReadString('\n'); err != nil || !strings.Contains(line, "431") {
		t.Errorf("%q, %v", line, err)
	}
}

func TestResetClosesTheConnection(t *testing.T) {
	h := &HTTP{ShutdownTimeout: time.Minute}
	h.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { h.Reset(w) })
	address, end := life(t, h)
	if said, err := io.ReadAll(request(t, address, plain)); err == nil || len(said) > 0 {
		t.Errorf("%q, %v: no reset", said, err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

func TestAcceptingFails(t *testing.T) {
	ended := false
	err := ServeUntil(t.Context(), time.Minute, func() error { return errors.New("no more") },
		func(patience context.Context) {
			ended = patience.Err() == nil
		})
	if fault.CodeOf(err) != fault.RunFailed || err.Error() != "the server stopped accepting connections: no more" ||
		!ended {
		t.Errorf("%v; ended: %v", err, ended)
	}
}

// A server that cannot accept says why, and so does one of TLS, which answers nothing without it.
func TestServingFails(t *testing.T) {
	own, _, err := SelfSigned("Lab", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	for name, with := range map[string]*tls.Config{"plain": nil, "TLS": {Certificates: []tls.Certificate{own}}} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		_ = l.Close()
		h := &HTTP{Handler: http.NotFoundHandler(), Log: slog.New(slog.DiscardHandler), ShutdownTimeout: time.Minute, TLS: with}
		if err := h.Serve(t.Context(), l); !errors.Is(err, net.ErrClosed) || fault.CodeOf(err) != fault.RunFailed {
			t.Errorf("%s: %v", name, err)
		}
		address, end := life(t, &HTTP{Handler: http.NotFoundHandler(), ShutdownTimeout: time.Minute, TLS: with})
		line, _ := request(t, address, plain).ReadString('\n')
		if strings.Contains(line, "404") != (with == nil) {
			t.Errorf("%s answers %q", name, line)
		}
		if err := end(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A connection that cannot be taken out of net/http is closed by it.
func TestNoHijack(t *testing.T) {
	h := &HTTP{crowd: NewCrowd(0)}
	if c, b, leave, err := h.Hijack(httptest.NewRecorder()); c != nil || b != nil || leave != nil || !errors.Is(err, http.ErrNotSupported) {
		t.Errorf("%v, %v, %v", c, b, err)
	}
	defer func() {
		if why := recover(); why != http.ErrAbortHandler {
			t.Error(why)
		}
	}()
	h.Reset(httptest.NewRecorder())
}

// What was taken out of net/http keeps its place, and is not sent away, until it leaves.
func TestHijackedConnectionKeepsItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := make(peertest.Pipes)
		leaves := make(chan func(), 1)
		h := &HTTP{MaxConnections: 1, HeaderTimeout: time.Hour, ShutdownTimeout: time.Minute}
		h.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			conn, buffered, leave, err := h.Hijack(w)
			if err != nil || buffered == nil {
				t.Error(err)
				return
			}
			leaves <- func() { leave(); _ = conn.Close() }
		})
		end := serveOn(t, h, p)
		first := come(p, plain)
		time.Sleep(time.Hour)
		if late := come(p, ""); !closed(late) || closed(first) {
			t.Error("its place is taken")
		}
		(<-leaves)()
		synctest.Wait()
		if next := come(p, ""); closed(next) {
			t.Error("its place is not given back")
		} else {
			_ = next.Close()
		}
		end()
	})
}

// Only the loopback of TCP is known to be reached from this machine alone.
func TestOnLoopback(t *testing.T) {
	for address, want := range map[string]bool{"127.0.0.1:0": true, "0.0.0.0:0": false} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if got := OnLoopback(l); got != want {
			t.Errorf("%s: %v", address, got)
		}
		_ = l.Close()
	}
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	l, err := net.Listen("unix", dir+"/s") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if OnLoopback(l) {
		t.Error("a socket of files is one of TCP")
	}
}
