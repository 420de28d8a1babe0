package s3

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/store"
)

// overTLS puts a server before the target that speaks TLS with a certificate of its own.
func overTLS(t *testing.T) *httptest.Server {
	t.Helper()
	to, err := url.Parse(serve(t))
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{ // the Host stays, which the signature is about
		Rewrite:  func(r *httputil.ProxyRequest) { r.SetURL(to); r.Out.Host = r.In.Host },
		ErrorLog: log.New(io.Discard, "", 0),
	}
	front := httptest.NewUnstartedServer(proxy)
	front.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that fail are meant to
	front.StartTLS()
	t.Cleanup(front.Close)
	return front
}

// certificateOf is a file with the server's certificate.
func certificateOf(t *testing.T, s *httptest.Server) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestTrust(t *testing.T) {
	isolate(t)
	front := overTLS(t)
	other := strings.Replace(front.URL, "127.0.0.1", "localhost", 1) // which the certificate does not have
	ca := certificateOf(t, front)
	for _, test := range []struct {
		name, url, ca string
		insecure      bool
		hint          string // "" where it works
	}{
		{"nothing said", front.URL, "", false, "--ca FILE"},
		{"its certificate", front.URL, ca, false, ""},
		{"any", front.URL, "", true, ""},
		{"another name", other, ca, false, "a host name that the server's certificate covers"},
		{"another name, any", other, "", true, ""},
	} {
		trusted, _, err := store.Trust(test.ca, test.insecure)
		if err != nil {
			t.Fatal(err)
		}
		b := open(t, conf(t, test.url, func(c *store.Config) { c.TLS, c.Retries = trusted, 0 }))
		err = write(t.Context(), b, "/key", []byte("data"))
		if test.hint == "" {
			if err != nil {
				t.Errorf("%s: %v", test.name, err)
			}
			continue
		}
		known, _ := err.(*store.Error)
		if known == nil || known.Cause != store.TLS || !strings.Contains(known.Hint, test.hint) {
			t.Errorf("%s: %v; want a hint with %q", test.name, err, test.hint)
		}
	}
}

// Credentials are fetched from a server whose certificate only --ca trusts.
func TestCAAppliesToCredentials(t *testing.T) {
	for name, bundle := range map[string]bool{"the system's beside it": false, "those of the environment beside it": true} {
		t.Run(name, func(t *testing.T) {
			isolate(t)
			front := overTLS(t)
			answer := `{"AccessKeyId":"` + testKey + `","SecretAccessKey":"` + testSecret +
				`","Token":"","Expiration":"2999-01-01T00:00:00Z"}`
			keys := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, answer)
			}))
			keys.Config.ErrorLog = log.New(io.Discard, "", 0)
			keys.StartTLS()
			t.Cleanup(keys.Close)
			t.Setenv("AWS_ACCESS_KEY_ID", "")
			t.Setenv("AWS_SECRET_ACCESS_KEY", "")
			t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", keys.URL)
			trusted, authorities, err := store.Trust(certificateOf(t, front), false)
			if err != nil {
				t.Fatal(err)
			}
			if bundle {
				t.Setenv("AWS_CA_BUNDLE", otherAuthority(t))
			}
			b := open(t, conf(t, front.URL, func(c *store.Config) { c.TLS, c.Authorities, c.Retries = trusted, authorities, 0 }))
			if err := write(t.Context(), b, "/key", []byte("data")); err != nil {
				t.Error(err)
			}
		})
	}
}

// otherAuthority is a file with a certificate that no server here has.
func otherAuthority(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true}
	raw, err := x509.CreateCertificate(rand.Reader, form, form, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "other.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
