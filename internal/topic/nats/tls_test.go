package nats

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/topic/topictest"
)

// signed is a certificate for 127.0.0.1, and else as template has it.
func signed(t *testing.T, template x509.Certificate) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber, template.IPAddresses = big.NewInt(1), []net.IP{net.IPv4(127, 0, 0, 1)}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// secureGreeting is what a broker says first that takes no connection without TLS.
const secureGreeting = `INFO {"server_id":"x","version":"2.10.0","max_payload":1048576,"tls_required":true}` + "\r\n"

// speaker listens as a broker that greets, and then does what it does with a connection, until the test ends.
func speaker(t *testing.T, does func(c net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, secureGreeting)
			does(c)
			_ = c.Close()
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-over
	})
	return l.Addr().String()
}

// hear reads what the other side says first.
func hear(c net.Conn) { _, _ = c.Read(make([]byte, 1<<16)) }

// mute reads until the other side has had enough.
func mute(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// Every TLS failure is one line with a cause and without secrets.
func TestTLSFailures(t *testing.T) {
	good, ca := certificate(t)
	later, before := time.Now().Add(time.Hour), time.Now().Add(-time.Hour)
	broker := func(c *tls.Config) string {
		return run(t, &server.Options{TLSConfig: c, TLSTimeout: topictest.Patience.Seconds()}).Addr().String()
	}
	with := func(pair tls.Certificate) *tls.Config { return &tls.Config{Certificates: []tls.Certificate{pair}} }
	asking := with(good)
	asking.ClientAuth = tls.RequireAnyClientCert
	old := with(good)
	old.MinVersion, old.MaxVersion = tls.VersionTLS11, tls.VersionTLS11
	secured := func(then func(net.Conn)) func(net.Conn) {
		return func(c net.Conn) {
			s := tls.Server(c, with(good))
			if s.Handshake() == nil {
				then(s)
			}
		}
	}
	for _, test := range []struct {
		name, host, cause string
	}{
		{"of another", broker(with(signed(t, x509.Certificate{NotAfter: later}))), topic.CauseTLS},
		{"past its time", broker(with(signed(t, x509.Certificate{NotAfter: before}))), topic.CauseTLS},
		{"not yet", broker(with(signed(t, x509.Certificate{NotBefore: later, NotAfter: later}))), topic.CauseTLS},
		{"asks for one", speaker(t, func(c net.Conn) { // a broker may close before its alert is read
			_ = tls.Server(c, asking).Handshake()
			mute(c)
		}), topic.CauseTLS},
		{"too old", broker(old), topic.CauseTLS},
		{"plain text", speaker(t, func(c net.Conn) {
			_, _ = c.Read(make([]byte, 5))
			_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\nX: \x1b[31m\r\n\r\n")
			mute(c)
		}), topic.CauseTLS},
		{"zeros", speaker(t, func(c net.Conn) {
			_, _ = c.Write(make([]byte, 1<<16))
			mute(c)
		}), topic.CauseTLS},
		{"stalls in the handshake", speaker(t, mute), topic.CauseTimeout},
		{"stalls in a record", speaker(t, func(c net.Conn) {
			_, _ = c.Write([]byte{22, 3, 3, 0x40, 0, 2, 0})
			mute(c)
		}), topic.CauseTimeout},
		{"closes", speaker(t, hear), topic.CauseClosed},
		{"an alert", speaker(t, func(c net.Conn) {
			hear(c)
			_, _ = c.Write([]byte{21, 3, 3, 0, 2, 2, 40})
			mute(c)
		}), topic.CauseTLS},
		{"stalls behind it", speaker(t, secured(mute)), topic.CauseTimeout},
		{"closes behind it", speaker(t, secured(hear)), topic.CauseClosed},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, query := range []string{"ca=", "tls=true&ca="} {
				u, err := url.Parse("nats://someone:geheim@" + test.host + "/updates?" + query + url.QueryEscape(ca))
				if err != nil {
					t.Fatal(err)
				}
				timeout := topictest.Patience
				if test.cause == topic.CauseTimeout { // whoever never answers does so at any time
					timeout = 100 * time.Millisecond
				}
				_, err = Open(t.Context(), topic.Config{URL: u, Timeout: timeout})
				mustBe(t, err, test.cause, test.cause == topic.CauseTLS)
				said := fmt.Sprint(err)
				if strings.ContainsAny(said, "\n\r\x1b\x00") || strings.Contains(said, "geheim") || len(said) > 300 {
					t.Errorf("%q", said)
				}
			}
		})
	}
}
