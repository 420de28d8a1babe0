package bounded_test

import (
	"compress/gzip"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/plimsoll/plimsoll/internal/bounded"
)

func TestReadAll(t *testing.T) {
	for _, c := range []struct {
		name  string
		from  string
		most  int64
		want  string
		error error
	}{
		{"nothing", "", 0, "", nil},
		{"less", "abc", 4, "abc", nil},
		{"as much", "abc", 3, "abc", nil},
		{"more", "abcd", 3, "abc", bounded.ErrTooLong},
		{"more than nothing", "a", 0, "", bounded.ErrTooLong},
	} {
		for how, from := range map[string]io.Reader{
			"at once": strings.NewReader(c.from), "by bytes": iotest.OneByteReader(strings.NewReader(c.from)),
			"with its end": iotest.DataErrReader(strings.NewReader(c.from)),
		} {
			t.Run(c.name+" "+how, func(t *testing.T) {
				got, err := bounded.ReadAll(from, c.most)
				if string(got) != c.want || !errors.Is(err, c.error) {
					t.Errorf("%q, %v; want %q, %v", got, err, c.want, c.error)
				}
			})
		}
	}
}

// Once the input was too long, every further read fails.
func TestReaderKeepsError(t *testing.T) {
	r := bounded.NewReader(strings.NewReader("abcdef"), 2)
	for range 3 {
		if _, err := io.ReadAll(r); !errors.Is(err, bounded.ErrTooLong) {
			t.Fatal(err)
		}
	}
}

func TestClientLimitsResponses(t *testing.T) {
	led := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { led = true }))
	defer elsewhere.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		case "/packed":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = z.Write(make([]byte, 1<<20))
			_ = z.Close()
		case "/long":
			_, _ = w.Write(make([]byte, 1<<20))
		case "/switch":
			w.Header().Set("Connection", "Upgrade")
			w.Header().Set("Upgrade", "hostile")
			w.WriteHeader(http.StatusSwitchingProtocols)
		case "/headers":
			w.Header().Set("X-Long", strings.Repeat("x", 2<<20))
		}
	}))
	defer server.Close()
	client := bounded.Client(bounded.NewTransport(), bounded.Within, 64<<10)
	defer client.CloseIdleConnections()
	get := func(path string) (int, int, error) {
		resp, err := client.Get(server.URL + path)
		if err != nil {
			return 0, 0, err
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		return resp.StatusCode, len(b), err
	}
	if status, _, err := get("/redirect"); status != http.StatusTemporaryRedirect || err != nil || led {
		t.Errorf("redirect: %d, %v, followed: %v", status, err, led)
	}
	if _, n, err := get("/packed"); n == 0 || n > 64<<10 || err != nil {
		t.Errorf("packed: %d bytes, %v", n, err)
	}
	if _, n, err := get("/long"); n != 64<<10 || !errors.Is(err, bounded.ErrTooLong) {
		t.Errorf("long: %d bytes, %v", n, err)
	}
	if _, _, err := get("/switch"); err == nil {
		t.Error("an answer that leaves HTTP was taken")
	}
	if _, _, err := get("/headers"); err == nil {
		t.Error("headers of two megabytes were taken")
	}
}

// Few limits a client through its transport alone.
func TestFewLimitsTransport(t *testing.T) {
	led, ended := false, make(chan struct{})
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { led = true }))
	defer elsewhere.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		case "/long":
			_, _ = w.Write(make([]byte, 2*bounded.Answer))
		case "/switch":
			w.Header().Set("Connection", "Upgrade")
			w.Header().Set("Upgrade", "hostile")
			w.WriteHeader(http.StatusSwitchingProtocols)
			<-ended
		default:
			_, _ = w.Write([]byte("ok"))
		}
	}))
	defer server.Close()
	defer close(ended)
	within := time.Minute
	get := func(path string) (string, error) {
		transport := &http.Transport{}
		bounded.Few(transport, within)
		resp, err := (&http.Client{Transport: transport}).Get(server.URL + path)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		return string(b), err
	}
	if said, err := get("/"); said != "ok" || err != nil {
		t.Errorf("%q, %v", said, err)
	}
	if said, err := get("/long"); len(said) > bounded.Answer || !errors.Is(err, bounded.ErrTooLong) {
		t.Errorf("long: %d bytes, %v", len(said), err)
	}
	if _, err := get("/redirect"); err == nil || led {
		t.Errorf("redirect: %v, followed: %v", err, led)
	}
	within = 100 * time.Millisecond // the server never continues
	var late net.Error
	if _, err := get("/switch"); !errors.As(err, &late) || !late.Timeout() {
		t.Errorf("switched: %v", err)
	}
}
