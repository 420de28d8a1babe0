package aws

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// answered sends a request on a connection, and reports whether it was answered.
func answered(conn net.Conn) bool {
	_, err := io.WriteString(conn, headObject)
	return err == nil && headed(conn)
}

// headed reports whether the answer to a HEAD comes.
func headed(conn net.Conn) bool {
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: http.MethodHead})
	return err == nil && resp.Body.Close() == nil
}

// Who takes too long for the headers of a request is sent away, from the first bytes of each on; who has not begun one
// is idle and stays.
func TestCloseSlow(t *testing.T) {
	server := start(t, nil)
	silent, slow, between, idle := dial(t, server), dial(t, server), dial(t, server), dial(t, server)
	quick := dial(t, server)
	if !answered(between) || !answered(idle) {
		t.Fatal("not answered")
	}
	for _, conn := range []net.Conn{slow, between, quick} {
		if _, err := io.WriteString(conn, headObject[:20]); err != nil {
			t.Fatal(err)
		}
	}
	for begun := 0; begun < 4; runtime.Gosched() { // the three, and the silent one from its beginning
		begun = 0
		server.connections.Each(func(c *conn) {
			if c.begun.Load() != 0 {
				begun++
			}
		})
	}
	server.closeSlow(time.Now())
	if _, err := io.WriteString(quick, headObject[20:]); err != nil || !headed(quick) {
		t.Error("one that is within its time is closed")
	}
	if !answered(idle) {
		t.Error("an idle connection is closed")
	}
	server.closeSlow(time.Now().Add(server.cfg.HeaderTimeout + time.Second))
	if !answered(idle) {
		t.Error("an idle connection is closed for others that are slow")
	}
	for name, conn := range map[string]net.Conn{"silent": silent, "slow": slow, "between": between} {
		if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A page whose name was pointed at this machine is told nothing.
func TestRefusesForeignHostNames(t *testing.T) {
	server := start(t, nil)
	for host, want := range map[string]string{"localhost": "200", "evil.com": "421", "dynamodb.us-east-1.amazonaws.com": "200"} {
		said := say(t, server, "HEAD /b/k HTTP/1.1\r\nConnection: close\r\nHost: "+host+"\r\n\r\n")
		if !strings.HasPrefix(said, "HTTP/1.1 "+want) {
			t.Errorf("%s: %q", host, said)
		}
	}
}

// A page of another origin is told nothing either, and a client that is no browser sends no such header.
func TestPagesOfOtherOriginsAreRefused(t *testing.T) {
	server := start(t, nil)
	for headers, want := range map[string]string{
		"": "200", "Sec-Fetch-Site: none\r\n": "200", "Sec-Fetch-Site: same-origin\r\n": "200",
		"Sec-Fetch-Site: cross-site\r\n": "403", "Origin: https://evil.example\r\n": "403",
	} {
		said := say(t, server, "HEAD /b/k HTTP/1.1\r\nConnection: close\r\nHost: 127.0.0.1\r\n"+headers+"\r\n")
		if !strings.HasPrefix(said, "HTTP/1.1 "+want) {
			t.Errorf("%q: %q", headers, said)
		}
	}
}
