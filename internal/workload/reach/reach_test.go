package reach_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/workload/reach"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// secure starts a server with TLS as change has it.
func secure(t *testing.T, change func(*httptest.Server)) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{}
	change(s)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// try connects and, if that works, reads what a server may say behind the handshake.
func try(t *testing.T, s reach.Service, o reach.Options) *op.Failure {
	t.Helper()
	d, err := reach.NewDialer(s, o, "http/1.1")
	if err != nil {
		t.Fatal(err)
	}
	d.Tunnel = true
	c, err := d.Dial(t.Context())
	if err == nil {
		defer c.Close()
		_, err = io.WriteString(c, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		if err == nil {
			_, err = c.Read(make([]byte, 1))
		}
		if err == nil {
			return nil
		}
		return d.Failure(t.Context(), err)
	}
	return op.AsFailure(err)
}

// TestTroubleIsNamed: each cause says what happened and what to do, in words that are no library's.
func TestTroubleIsNamed(t *testing.T) {
	closing, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	accepted := make(chan struct{})
	go func() {
		defer close(accepted)
		for {
			c, err := closing.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = closing.Close(); <-accepted })
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	demanding := func(version uint16) func(*httptest.Server) {
		return func(s *httptest.Server) { s.TLS.ClientAuth, s.TLS.MaxVersion = tls.RequireAnyClientCert, version }
	}
	only2 := func(s *httptest.Server) {
		s.Config.Protocols = new(http.Protocols)
		s.Config.Protocols.SetHTTP2(true)
		s.EnableHTTP2 = true
		s.TLS.NextProtos = []string{"h2"}
	}
	old := func(s *httptest.Server) { s.TLS.MinVersion, s.TLS.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 }
	address := func(s *httptest.Server) string { return s.Listener.Addr().String() }
	any := reach.Options{Insecure: true}
	for name, c := range map[string]struct {
		to                string
		tls               bool
		with              reach.Options
		cause, what, hint string
	}{
		"nothing listens": {peertest.Addresses(t, 1)[0], false, any, "refused", "connection refused", "check the port"},
		"no such name": {"no-such-host.invalid:80", false, any, "unresolvable",
			`cannot look up "no-such-host.invalid"`, "the host name"},
		"a name in --connect-to": {"h:80", false, reach.Options{ConnectTo: "no-such-host.invalid:80"}, "unresolvable",
			"no-such-host", "--connect-to"},
		"a proxy that is not there":   {"h:80", false, reach.Options{Proxy: "http://" + peertest.Addresses(t, 1)[0]}, "refused", "connection refused", "--proxy and that the proxy"},
		"a proxy that is none":        {"h:80", false, reach.Options{Proxy: plain.URL}, "proxy:status-404", "the proxy responded with status 404", "allows CONNECT"},
		"a proxy that hangs up":       {"h:80", false, reach.Options{Proxy: "http://" + closing.Addr().String()}, "", "the proxy", "--proxy"},
		"no TLS":                      {address(plain), true, any, "scheme", "does not speak TLS", "use http:// or ws://"},
		"it hangs up":                 {closing.Addr().String(), true, any, "", "", "log"},
		"not trusted":                 {address(secure(t, func(*httptest.Server) {})), true, reach.Options{}, "tls", "does not trust", "--ca"},
		"a certificate, with TLS 1.3": {address(secure(t, demanding(tls.VersionTLS13))), true, any, "tls", "requires a client certificate", "--cert"},
		"a certificate, with TLS 1.2": {address(secure(t, demanding(tls.VersionTLS12))), true, any, "tls", "requires a client certificate", "--cert"},
		"only HTTP/2":                 {address(secure(t, only2)), true, any, "http2-only", "speaks only HTTP/2", ""},
		"another protocol":            {address(secure(t, func(s *httptest.Server) { s.TLS.NextProtos = []string{"mqtt"} })), true, any, "tls", "none of the offered protocols", "speaks HTTP"},
		"only old versions":           {address(secure(t, old)), true, any, "tls", "protocol version", "TLS 1.2"},
	} {
		t.Run(name, func(t *testing.T) {
			why := try(t, reach.Service{Secure: c.tls, Address: c.to, Name: "127.0.0.1"}, c.with)
			if why == nil || c.cause != "" && why.Cause != c.cause || !strings.Contains(why.Error(), c.what) ||
				!strings.Contains(reach.HintOf(why), c.hint) {
				t.Fatalf("%v (%s)", why, reach.HintOf(why))
			}
			for _, library := range []string{"tls:", "x509:", "net/http", "dial tcp", "EOF"} {
				if strings.Contains(why.Err.Error(), library) {
					t.Errorf("%v", why)
				}
			}
		})
	}
}

func TestUnixSocketTroubleIsNamed(t *testing.T) {
	dir := t.TempDir()
	file, gone := filepath.Join(dir, "file"), filepath.Join(dir, "gone.sock")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: gone})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	_ = l.Close()
	for path, want := range map[string][2]string{
		filepath.Join(dir, "none"): {"no-such-file", "does not exist"},
		file:                       {"not-a-socket", "is a regular file, not a Unix socket"},
		dir:                        {"not-a-socket", "is a directory, not a Unix socket"},
		gone:                       {"refused", "connection refused"},
	} {
		why := try(t, reach.Service{Address: "h:80", Name: "h"}, reach.Options{UnixSocket: path})
		if why == nil || why.Cause != want[0] || !strings.Contains(why.Error(), want[1]) || reach.HintOf(why) == "" {
			t.Errorf("%s: %v (%s)", path, why, reach.HintOf(why))
		}
	}
}

// TestOptionsAreChecked: what cannot be done is refused before anything is connected to.
func TestOptionsAreChecked(t *testing.T) {
	long := "/" + strings.Repeat("x", 200)
	for name, c := range map[string]struct {
		url  string
		with reach.Options
		want string
	}{
		"no port":                {"ws://h", reach.Options{ConnectTo: "h"}, `--connect-to "h" is not a valid address: no port`},
		"a port that is none":    {"ws://h", reach.Options{ConnectTo: "h:abc"}, `"abc" is not a port`},
		"a port beyond all":      {"ws://h", reach.Options{ConnectTo: "h:70000"}, "from 1 to 65535"},
		"no host":                {"ws://h", reach.Options{ConnectTo: ":80"}, "no host"},
		"IPv6 without brackets":  {"ws://h", reach.Options{ConnectTo: "::1:80"}, "brackets"},
		"a long path":            {"ws://h", reach.Options{UnixSocket: long}, "has 201 bytes, but socket paths are limited"},
		"a socket without a URL": {"", reach.Options{UnixSocket: "/s"}, "--unix-socket needs a URL"},
		"three ways":             {"ws://h", reach.Options{UnixSocket: "/s", ConnectTo: "h:1", Proxy: "http://p"}, "--proxy, --connect-to and --unix-socket cannot be combined"},
		"a socket, and from":     {"ws://h", reach.Options{UnixSocket: "/s", Source: "127.0.0.1"}, "--unix-socket and --source-address cannot be combined"},
		"half a certificate":     {"wss://h", reach.Options{CertFile: "c"}, "--cert and --key must be used together"},
		"TLS without TLS":        {"ws://h", reach.Options{CAFile: "c", Insecure: true}, "--ca and --insecure need TLS"},
		"all trusted":            {"wss://h", reach.Options{CAFile: "c", Insecure: true}, "--ca and --insecure cannot be combined"},
		"all is well":            {"wss://h", reach.Options{CAFile: "c", ServerName: "n", ConnectTo: "[::1]:80"}, ""},
	} {
		err := errors.Join(setting.New(c.with.Settings("wss")...).Check(), c.with.Check(c.url, "wss", &plan.Load{}))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTimeoutNamesTheStep: the time of a connection ends when a server has accepted it and says nothing.
func TestTimeoutNamesTheStep(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	to := silent.Addr().String()
	for _, c := range []struct {
		to   reach.Service
		with reach.Options
		want string
	}{
		{reach.Service{Secure: true, Address: to, Name: "h"}, reach.Options{}, "the server did not complete the TLS " +
			"handshake in time"},
		{reach.Service{Secure: true, Address: "h:1", Name: "h"}, reach.Options{Proxy: "http://" + to}, "the proxy did not connect to the service"},
	} {
		d, err := reach.NewDialer(c.to, c.with)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		accepted := make(chan net.Conn, 1)
		go func() {
			conn, err := silent.Accept()
			if err == nil {
				_, _ = conn.Read(make([]byte, 1)) // the client waits for an answer from here on
			}
			cancel()
			accepted <- conn
		}()
		_, err = d.Dial(ctx)
		if why := op.AsFailure(err); why.Cause != reach.ConnectTimeout || !why.Timeout || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v", err)
		}
		if conn := <-accepted; conn != nil {
			_ = conn.Close()
		}
	}
}
