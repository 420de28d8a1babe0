package known

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/plimsoll/plimsoll/internal/hadoop"
	"github.com/plimsoll/plimsoll/internal/store"
)

// issuer is a server of tokens, and a store that takes them, with a certificate that --ca alone knows.
func issuer(t *testing.T) (*httptest.Server, *atomic.Value) {
	t.Helper()
	var shown atomic.Value // the token that the store was shown
	shown.Store("")
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"access_token":"abc","token_type":"Bearer","expires_in":3600,"expires_on":"32503680000"}`)
			return
		}
		shown.Store(r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusNotFound)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that fail are meant to
	s.StartTLS()
	t.Cleanup(s.Close)
	return s, &shown
}

// keyOf is the file of a service account whose tokens come from there.
func keyOf(t *testing.T, tokens string) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	raw := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	content, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": "a@example.org", "private_key": string(raw), "token_uri": tokens,
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Tokens are fetched from a server whose certificate only --ca trusts. S3 has its own test.
func TestCAAppliesToTokenServers(t *testing.T) {
	server, shown := issuer(t)
	file := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	trusted, authorities, err := store.Trust(file, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("IDENTITY_ENDPOINT", server.URL+"/token")
	t.Setenv("IDENTITY_HEADER", "header")
	key := keyOf(t, server.URL+"/token")
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", key)
	for name, test := range map[string]struct {
		address, endpoint string
		settings          map[string]string
	}{
		"Google, a file": {"gs://bucket/x", server.URL, map[string]string{"fs.gs.auth.service.account.json.keyfile": key}},
		"Google, found":  {"gs://bucket/x", server.URL, map[string]string{"fs.gs.auth.type": "APPLICATION_DEFAULT"}},
		"Azure": {"az://box/x", server.URL + "/account", map[string]string{"fs.azure.account.auth.type": "OAuth",
			"fs.azure.account.oauth.provider.type": "MsiTokenProvider"}},
	} {
		t.Run(name, func(t *testing.T) {
			u, err := url.Parse(test.address)
			if err != nil {
				t.Fatal(err)
			}
			settings := &hadoop.Settings{}
			for k, v := range test.settings {
				settings.Set(k, v, "test")
			}
			d, _ := Drivers().Find(u.Scheme)
			for _, known := range [][]byte{nil, authorities} {
				if known == nil && name == "Azure" {
					continue // whose client tries again for ten seconds
				}
				shown.Store("")
				s, err := d.Open(t.Context(), store.Config{URL: u, Block: 1 << 10, Endpoint: test.endpoint, TLS: trusted,
					Authorities: known, Settings: settings, Requests: &store.Requests{}})
				if err == nil {
					_, err = s.Exists(t.Context(), "/x")
					_ = s.Close()
				}
				token := strings.TrimPrefix(shown.Load().(string), "Bearer ")
				if known == nil && token != "" || known != nil && (err != nil || token != "abc") {
					t.Errorf("authorities given: %t: token %q, %v", known != nil, token, err)
				}
			}
		})
	}
}
