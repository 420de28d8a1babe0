package cause

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/plimsoll/plimsoll/internal/peertest"
)

// The errors come from the standard library, as it creates them today.
func TestOfRealErrors(t *testing.T) {
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	plain := httptest.NewServer(http.HandlerFunc(answer))
	defer plain.Close()
	late, cancel := context.WithTimeout(t.Context(), 1)
	defer cancel()
	<-late.Done()
	client := newClient(t)
	for _, c := range []struct {
		what, url string
		ctx       context.Context
		want      string
	}{
		{"nobody listens", "http://" + peertest.Addresses(t, 1)[0], t.Context(), Refused},
		{"no such name", "http://host.invalid/", t.Context(), Unresolvable},
		{"an authority that nobody trusts", secure.URL, t.Context(), TLS},
		{"TLS at a server without", strings.Replace(plain.URL, "http:", "https:", 1), t.Context(), Scheme},
		{"no time", plain.URL, late, Timeout},
		{"the connection is reset", plain.URL + "/reset", t.Context(), Reset},
		{"the connection is closed", plain.URL + "/close", t.Context(), Ended},
		{"the body is cut off", plain.URL + "/cut", t.Context(), CutOff},
		{"another protocol", plain.URL + "/garbage", t.Context(), Protocol},
	} {
		if err := get(c.ctx, client, c.url); Of(err) != c.want {
			t.Errorf("%s: %q, want %q (%v)", c.what, Of(err), c.want, err)
		}
	}
}

// newClient makes a client that asks a name server of the test's, which knows no name.
func newClient(t *testing.T) *http.Client {
	t.Helper()
	names, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		question := make([]byte, 512)
		for {
			n, asker, err := names.ReadFrom(question)
			if err != nil {
				return
			}
			question[2], question[3] = question[2]|0x80, 3 // RFC 1035, 4.1.1: an answer, and NXDOMAIN
			_, _ = names.WriteTo(question[:n], asker)
		}
	})
	t.Cleanup(func() {
		_ = names.Close()
		serving.Wait()
	})
	dialer := &net.Dialer{Resolver: &net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "udp", names.LocalAddr().String())
		},
	}}
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: dialer.DialContext}}
}

func get(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// answer breaks off in the way that the path says.
func answer(w http.ResponseWriter, r *http.Request) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	switch r.URL.Path {
	case "/reset":
		_ = conn.(*net.TCPConn).SetLinger(0)
	case "/cut":
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
	case "/garbage":
		_, _ = io.WriteString(conn, "SSH-2.0-OpenSSH_9\r\n\r\n")
	}
}
