package web

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/store"
)

// No error shows credentials.
func TestErrorsHideSecrets(t *testing.T) {
	t.Setenv("PLIMSOLL_BEARER_TOKEN", "s3cret-token")
	servers := map[string]string{
		"refused": "http://127.0.0.1:1", "unresolvable": "http://nobody..invalid",
		"nonsense": listen(t,
			func(c *net.TCPConn) { _, _ = c.Read(make([]byte, 100)); _, _ = io.WriteString(c, "nonsense\r\n\r\n") }),
		"closing": listen(t, func(c *net.TCPConn) { _, _ = c.Read(make([]byte, 100)) }),
	}
	for _, status := range []int{302, 400, 401, 403, 404, 405, 409, 413, 500, 503, 507} {
		_, base := serve(t, func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Location", "http://user:s3cret@127.0.0.1:1/y?"+r.URL.RawQuery)
			w.WriteHeader(status)
			_, _ = fmt.Fprint(w, r.URL, r.Header) // as some do
			return true
		})
		servers[fmt.Sprint(status)] = base
	}
	for name, base := range servers {
		for _, user := range []string{"", "someone:s3cret@"} {
			s := openURL(t, strings.Replace(base, "://", "://"+user, 1)+"/x?X-Signature=s3cret-signature", retries(1))
			_, existsErr := s.Exists(t.Context(), "/x")
			_, openErr := s.Open(t.Context(), "/x")
			for _, err := range []error{
				existsErr, openErr, put(t.Context(), s, "/x", 1), put(t.Context(), s, "/x", 3*block),
				s.Delete(t.Context(), "/x"), s.Rename(t.Context(), "/x", "/y"), s.Check(t.Context(), "/x", 1),
			} {
				shown := fmt.Sprintf("%v %+v", err, err)
				var known *store.Error
				if errors.As(err, &known) {
					shown += known.Hint
				}
				if strings.Contains(shown, "s3cret") {
					t.Errorf("%s: %s", name, shown)
				}
			}
			if shown := fmt.Sprintf("%+v", s.Describe()); strings.Contains(shown, "s3cret") {
				t.Errorf("%s: %s", name, shown)
			}
		}
	}
}

// The server receives the credentials of the URL, the environment or netrc, in this order.
func TestCredentialSources(t *testing.T) {
	var got http.Header
	var query string
	_, base := serve(t, func(_ http.ResponseWriter, r *http.Request) bool {
		got, query = r.Header, r.URL.RawQuery
		return false
	})
	netrc := t.TempDir() + "/netrc"
	if err := os.WriteFile(netrc, []byte("machine 127.0.0.1 login a password b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	basic := func(s string) string {
		r := &http.Request{Header: http.Header{}}
		u, p, _ := strings.Cut(s, ":")
		r.SetBasicAuth(u, p)
		return r.Header.Get("Authorization")
	}
	for _, c := range []struct{ user, token, netrc, want, source string }{
		{"", "", "", "", ""},
		{"u:p@", "t", netrc, basic("u:p"), "The server receives the user and password in the URL."},
		{"u@", "", "", basic("u:"), "The server receives the user and password in the URL."},
		{"", "t0ken", netrc, "Bearer t0ken", "The server receives the token in PLIMSOLL_BEARER_TOKEN."},
		{"", "", netrc, basic("a:b"), "The server receives the user and password in netrc."},
	} {
		t.Setenv("PLIMSOLL_BEARER_TOKEN", c.token)
		t.Setenv("NETRC", c.netrc)
		t.Setenv("HOME", t.TempDir())
		s := openURL(t, strings.Replace(base, "://", "://"+c.user, 1)+"/?a=b%20c")
		if err := put(t.Context(), s, "/x", 1); err != nil {
			t.Fatal(err)
		}
		notes := s.Describe().Notes
		if got.Get("Authorization") != c.want || query != "a=b%20c" ||
			c.source != "" && notes[len(notes)-1] != c.source {
			t.Errorf("%+v: %q, %q, %q", c, got.Get("Authorization"), query, notes)
		}
	}
	t.Setenv("PLIMSOLL_BEARER_TOKEN", "two words")
	u, _ := url.Parse(base)
	_, err := Open(t.Context(), store.Config{URL: u, Block: 1, Requests: &store.Requests{}})
	mustFail(t, base, err, store.NoCredentials, "PLIMSOLL_BEARER_TOKEN contains a character that is not allowed in a token, such as a space",
		"set it to the token alone, or unset it")
	// Nothing is sent in clear text over a network unasked.
	far := &url.URL{Scheme: "http", Host: "far.example"}
	if l, err := findLogin(far, environment{token: "t", netrc: netrc}); l != (login{}) || err != nil {
		t.Errorf("%+v, %v", l, err)
	}
	far.Scheme = "https"
	if l, err := findLogin(far, environment{token: "t"}); l.token != "t" || err != nil {
		t.Errorf("%+v, %v", l, err)
	}
	_, err = findLogin(far, environment{netrc: t.TempDir()})
	var known *store.Error
	if !errors.As(err, &known) || known.Cause != store.NoCredentials {
		t.Error(err)
	}
}

func TestTLS(t *testing.T) {
	files := &shelf{t: t, files: map[string][]byte{}}
	server := httptest.NewTLSServer(files)
	t.Cleanup(server.Close)
	s := openURL(t, server.URL)
	for _, size := range []int64{block, 3 * block} {
		if err := put(t.Context(), s, "/x", size); err != nil || files.size("/x") != int(size) {
			t.Errorf("%v, %d bytes", err, files.size("/x"))
		}
	}
	if d := s.Describe(); d.Integrity != "TLS in transit" {
		t.Error(d.Integrity)
	}
	// It is not followed to where everybody could read along.
	_, plain := serve(t, nil)
	files.instead = redirect(307, func(*http.Request) string { return plain + "/y" }, true)
	mustFail(t, server.URL, put(t.Context(), s, "/x", 1), "redirected",
		"PUT BASE/x: the server responded with 307 Temporary Redirect, to "+plain+"/y", "if you trust that server, use its URL")
}
