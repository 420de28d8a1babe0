package aws

import (
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// A client that speaks TLS where there is none is told at once, and so is one that speaks plain HTTP
// to TLS: in the words of net/http, which clients know.
func TestTLSMismatchIsReported(t *testing.T) {
	plain := start(t, nil)
	over := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer over.CloseIdleConnections()
	if _, err := over.Get(strings.Replace(plain.URL(), "http:", "https:", 1)); err == nil ||
		!errors.Is(err, http.ErrSchemeMismatch) {
		t.Errorf("TLS at a plain server: %v", err)
	}
	for name, hello := range map[string]string{"the beginning of a hello": "\x16", "an empty line": "\r\n",
		"zeros": "\x00\x00"} {
		if said := say(t, plain, hello); !strings.HasPrefix(said, "HTTP/1.1 400 ") {
			t.Errorf("%s: %q", name, said)
		}
	}

	secret := start(t, func(c *Config) { c.TLS = true })
	client := secret.client(false)
	resp, err := client.Post(strings.Replace(secret.URL(), "https:", "http:", 1), "text/plain",
		strings.NewReader(strings.Repeat("a", 20<<10)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusBadRequest ||
		string(text) != "Client sent an HTTP request to an HTTPS server.\n" || err != nil {
		t.Errorf("%d %q, %v", resp.StatusCode, text, err)
	}
	if said := say(t, secret, "\x00\x01\x02\x03\x04\x05"); strings.HasPrefix(said, "HTTP") {
		t.Errorf("what is neither TLS nor HTTP: %q", said)
	}
	if seen := append(plain.exchanges(), secret.exchanges()...); len(seen) > 0 {
		t.Errorf("observed %+v", seen)
	}
}
