package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/peertest"
)

// come is a connection on which something was said.
func come(p peertest.Pipes, said string) net.Conn {
	c := p.Say(said)
	synctest.Wait()
	return c
}

// closed reports whether the other side has closed a connection; it says nothing by itself.
func closed(c net.Conn) bool {
	_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := c.Read(make([]byte, 1))
	return errors.Is(err, io.EOF)
}

// When all places are taken by those that say nothing, the one that has been silent for longest gives its place up; who
// is served does not, nor who has just come.
func TestSilentConnectionsGiveWayToNewOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, goOn := make(peertest.Pipes), make(chan struct{})
		h := &HTTP{MaxConnections: 3, HeaderTimeout: time.Hour, ShutdownTimeout: time.Minute,
			Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-goOn })}
		ended := serveOn(t, h, p)
		served := come(p, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		time.Sleep(time.Second)
		slow := come(p, "GET / HTTP/1.1\r\nHost: ")
		time.Sleep(time.Millisecond) // of two that are waited for as long either may go
		silent := come(p, "")
		if late := come(p, ""); !closed(late) || closed(slow) || closed(silent) {
			t.Error("among those that have just come there is no place, and one was made")
		}
		time.Sleep(grace)
		if next := come(p, ""); closed(next) || !closed(slow) || closed(silent) {
			t.Error("whoever was slow for longest has a place yet, or who came has none")
		} else {
			_ = next.Close()
			synctest.Wait()
		}
		if last := come(p, ""); closed(last) || closed(silent) {
			t.Error("a place that was given back is not taken again")
		}
		time.Sleep(2 * grace)
		if closed(served) {
			t.Error("who was served was sent away")
		}
		close(goOn)
		_, _ = io.ReadFull(served, make([]byte, 1))
		_ = served.Close()
		ended()
	})
}

// serveOn serves until the function that it gives is called, which waits for the end.
func serveOn(t *testing.T, h *HTTP, l net.Listener) (end func()) {
	h.Log = slog.New(slog.DiscardHandler)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- h.Serve(ctx, l) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// The end waits for whom it serves, and not for who says nothing, or says the headers letter by letter.
func TestShutdownDoesNotWaitForSilentConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := make(peertest.Pipes)
		end := serveOn(t, &HTTP{HeaderTimeout: time.Hour, ShutdownTimeout: time.Hour, Handler: http.NotFoundHandler()}, p)
		for _, said := range []string{"", "G", "GET / HTTP/1.1\r\nHost: "} {
			c := come(p, said)
			defer c.Close()
		}
		begun := time.Now()
		end()
		if took := time.Since(begun); took > 2*grace {
			t.Errorf("the end took %v", took)
		}
	})
}

// A page whose name was pointed at this machine gets nothing of it; whoever means it by an address, or by a name that
// is nobody's, does.
func TestRefusesForeignHostNames(t *testing.T) {
	for host, want := range map[string]bool{
		"": false, "x": false, "127.0.0.1:80": false, "[::1]:80": false, "::1": false, "10.0.0.1": false,
		"localhost:1": false, "b.localhost:1": false, "B.Localhost.": false, "demo.test": false, "example.org:1": false,
		"host.docker.internal": false, "s3.us-east-1.amazonaws.com": false, "box.corp.net:80": false,
		"BOX.corp.net": false, "b.s3.corp.org:80": false, "corp.org": true, "evil.com": true, "evil.com:80": true, "127.0.0.1.evil.com": true, "evil.com.": true,
		"localhost.evil.com": true, "evil.com..": true, "evillocalhost.de": true, "a.notexample.org": true, "corp.net": true, "evil.de:x": true,
	} {
		if got := Misdirected(host, "box.corp.net:0", "", "s3.corp.org"); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
	address, _ := life(t, &HTTP{Own: []string{"127.0.0.1:0"}, Handler: http.NotFoundHandler()})
	for host, want := range map[string]string{"evil.com": "421", "localhost": "404"} {
		answer := request(t, address, "GET / HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n")
		if line, err := answer.ReadString('\n'); err != nil || !strings.Contains(line, want) {
			t.Errorf("%s: %q, %v", host, line, err)
		}
		const why = "this server accepts local requests only, and the request names another host: use localhost\n"
		body, _ := io.ReadAll(answer)
		if want == "421" && !strings.Contains(string(body), why) {
			t.Errorf("%s: %q", host, body)
		}
	}
}
