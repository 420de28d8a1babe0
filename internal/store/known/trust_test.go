package known

import (
	"encoding/base64"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/hadoop"
	"github.com/plimsoll/plimsoll/internal/store"
)

// Each store explains how to trust an unknown certificate, and accepts it with --insecure.
func TestUntrustedCertificateHint(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that fail are meant to
	server.StartTLS()
	t.Cleanup(server.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	for _, address := range []string{"s3://b/k", "gs://b/k", "az://c/k", server.URL + "/k"} {
		for _, insecure := range []bool{false, true} {
			err := existsAt(t, address, server.URL, insecure)
			var known *store.Error
			errors.As(err, &known)
			switch refused := known != nil && known.Cause == store.TLS; {
			case refused == insecure:
				t.Errorf("%s, insecure %v: %v", address, insecure, err)
			case refused && !strings.Contains(known.Hint, "--ca FILE"):
				t.Errorf("%s: %v; the hint is %q", address, err, known.Hint)
			}
		}
	}
}

// existsAt asks a store at a server whether a file is there.
func existsAt(t *testing.T, address, endpoint string, insecure bool) error {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	trusted, _, err := store.Trust("", insecure)
	if err != nil {
		t.Fatal(err)
	}
	settings := &hadoop.Settings{}
	settings.Set("fs.gs.auth.type", "UNAUTHENTICATED", "test")
	settings.Set("fs.azure.account.key", base64.StdEncoding.EncodeToString([]byte("key")), "test")
	d, _ := Drivers().Find(u.Scheme)
	s, err := d.Open(t.Context(), store.Config{
		URL: u, Block: 1 << 10, Endpoint: endpoint + "/account", TLS: trusted, Settings: settings, Requests: &store.Requests{},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	_, err = s.Exists(t.Context(), u.Path)
	return err
}
