package store

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

func TestTrust(t *testing.T) {
	if c, _, err := Trust("", false); c != nil || err != nil {
		t.Errorf("%v, %v; want the system's", c, err)
	}
	if c, _, err := Trust("", true); err != nil || !c.InsecureSkipVerify {
		t.Errorf("%v, %v; want any", c, err)
	}
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{empty: "contains no certificate", empty + "-none": "no such file"} {
		_, _, err := Trust(file, false)
		var known *Error
		if !errors.As(err, &known) || !strings.Contains(err.Error(), want) || known.Hint == "" {
			t.Errorf("%s: %v; want %q and a hint", filepath.Base(file), err, want)
		}
	}
}

// Trust uses the authorities of a file alone; TrustBeside adds them to others. TrustHint explains certificate errors.
func TestTrustAuthorities(t *testing.T) {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, insecure := range []bool{false, true} {
		c, authorities, err := Trust(file, insecure)
		if err != nil || c.InsecureSkipVerify != insecure || string(authorities) != string(text) || c.MinVersion != 0x303 {
			t.Fatalf("%+v, %q, %v", c, authorities, err)
		}
		if _, err := server.Certificate().Verify(x509.VerifyOptions{Roots: c.RootCAs}); err != nil {
			t.Error(err)
		}
	}
	if c, authorities, err := Trust("", true); c.RootCAs != nil || authorities != nil || err != nil || c.MinVersion != 0x303 {
		t.Errorf("%+v, %q, %v", c, authorities, err)
	}
	mine := x509.NewCertPool()
	for _, anyway := range []*x509.CertPool{nil, mine} {
		c := TrustBeside(anyway, text)
		if _, err := server.Certificate().Verify(x509.VerifyOptions{Roots: c.RootCAs}); err != nil || c.MinVersion != 0x303 {
			t.Error(err)
		}
	}
	if !mine.Equal(x509.NewCertPool()) {
		t.Error("what is trusted anyway has changed")
	}
	for want, err := range map[string]error{
		"with --ca FILE": x509.UnknownAuthorityError{}, "a host name that the server's certificate covers": x509.HostnameError{},
		"must be replaced": x509.CertificateInvalidError{}, "": errors.New("odd"),
	} {
		if got := TrustHint(fmt.Errorf("connecting: %w", err)); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%T: %q", err, got)
		}
	}
}

// A client for credentials uses HTTP/2 if the server does, and keeps no connections.
func TestCredentialsClientKeepsNoConnections(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	var opened atomic.Int64
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	client := CredentialsClient(&Config{Authorities: text})
	for range 2 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.ProtoMajor != 2 {
			t.Errorf("%s, %v", resp.Proto, err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
	}
	if n := opened.Load(); n != 2 {
		t.Errorf("%d connections for two requests", n)
	}
}
