package redis

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/topic/topictest"
)

// TestTLS: the server's certificate is checked.
func TestTLS(t *testing.T) {
	plain := start(t)
	host, _, _ := net.SplitHostPort(plain.address) // of all servers of this process
	cert, key := certificate(t, host)
	secure := start(t, "--tls-cert-file", cert, "--tls-key-file", key, "--tls-auth-clients", "no")
	timeout := topictest.Patience
	try := func(s *server, scheme, query string) error {
		u := &url.URL{Scheme: scheme, Host: s.address, RawQuery: query}
		_, err := Open(t.Context(), topic.Config{URL: u, Timeout: timeout})
		return err
	}
	if err := try(secure, TLS, "ca="+cert); err != nil {
		t.Error(err)
	}
	mustBe(t, try(secure, TLS, ""), topic.CauseTLS, true)
	mustBe(t, try(secure, TLS, "ca=/nonexistent"), topic.CauseUsage, true)
	if err := try(secure, Plain, ""); err == nil {
		t.Error("the server with TLS talks without it")
	}
	timeout = 200 * time.Millisecond // it waits for the end of what it takes for a line
	err := try(plain, TLS, "ca="+cert)
	mustBe(t, err, topic.CauseTimeout, false)
	if !strings.Contains(err.Error(), "with TLS") {
		t.Errorf("a server without TLS: %v", err)
	}
}

// certificate makes one for a host and writes it and its key to files.
func certificate(t *testing.T, host string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.ParseIP(host)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, b []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", pkcs8)
}

// withTLS makes the arguments of a server with TLS listen with it alone.
func withTLS(arguments []string, port string) []string {
	if strings.Contains(strings.Join(arguments, " "), "--tls-cert-file") {
		return append([]string{"--port", "0", "--tls-port", port}, arguments...)
	}
	return append([]string{"--port", port}, arguments...)
}
