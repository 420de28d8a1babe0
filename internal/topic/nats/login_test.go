package nats

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/topic/topictest"
)

// Wrong credentials are refused, without showing them.
func TestCredentials(t *testing.T) {
	byName := run(t, &server.Options{Username: "someone", Password: "richtig"})
	byToken := run(t, &server.Options{Authorization: "richtig"})
	for _, test := range []struct {
		broker             *server.Server
		user               string
		variable, password string
		denied             bool
	}{
		{broker: byName, user: "someone:richtig", variable: "someone", password: "geheim"},
		{broker: byName, variable: "someone", password: "richtig"},
		{broker: byName, user: "someone:geheim", denied: true},
		{broker: byName, user: "geheim", denied: true},
		{broker: byName, variable: "someone", password: "geheim", denied: true},
		{broker: byName, denied: true},
		{broker: byToken, user: "richtig"},
		{broker: byToken, user: "geheim", denied: true},
	} {
		t.Setenv("NATS_USER", test.variable)
		t.Setenv("NATS_PASSWORD", test.password)
		opened, err := open(t, address(t, Core, test.user, test.broker, ""))
		if !test.denied {
			if err != nil {
				t.Errorf("%q: %v", test.user, err)
			}
			continue
		}
		mustBe(t, err, topic.CauseDenied, true)
		if opened != nil || err != nil && strings.Contains(err.Error(), "geheim") {
			t.Errorf("%q: %v", test.user, err)
		}
	}
}

// TestPermissions: a user who may connect and nothing else.
func TestPermissions(t *testing.T) {
	b := run(t, &server.Options{Users: []*server.User{{
		Username: "u", Password: "p",
		Permissions: &server.Permissions{
			Publish:   &server.SubjectPermission{Deny: []string{"updates"}},
			Subscribe: &server.SubjectPermission{Deny: []string{"updates"}},
		},
	}}})
	opened := mustOpen(t, address(t, Core, "u:p", b, ""))
	p, err := opened.Publisher(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for range 3 {
		mustBe(t, p.Publish(t.Context(), []byte("x")), topic.CauseDenied, true)
	}
	_, err = opened.Subscribe(t.Context(), topic.SubscribeOptions{Name: "server"})
	mustBe(t, err, topic.CauseDenied, true)
}

// TestTLS: the broker's certificate is checked, and TLS is used when it is asked for.
func TestTLS(t *testing.T) {
	pair, ca := certificate(t)
	secure := run(t, &server.Options{TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}},
		TLSTimeout: topictest.Patience.Seconds()})
	plain := run(t, &server.Options{})
	p := newPair(t, address(t, Core, "", secure, "ca="+ca), topic.SubscribeOptions{Name: "server", Batch: 1})
	p.publish(t, "a")
	p.receive(t)
	_, err := open(t, address(t, Core, "", secure, ""))
	mustBe(t, err, topic.CauseTLS, true)
	_, err = open(t, address(t, Core, "", plain, "tls=true"))
	mustBe(t, err, topic.CauseTLS, true)
	_, err = open(t, address(t, Core, "", secure, "ca=/nonexistent"))
	mustBe(t, err, topic.CauseUsage, true)
	// The certificates to trust do not stand in the way of a broker without TLS.
	t.Setenv("NATS_CA", ca)
	mustOpen(t, address(t, Core, "", plain, ""))
	mustOpen(t, address(t, Core, "", secure, "tls=true"))
}

// certificate makes one for 127.0.0.1 and writes it to a file.
func certificate(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}
