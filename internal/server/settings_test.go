package server

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/setting"
)

// checked is what the rules of a setting say.
func checked(s *setting.Setting) string {
	if err := new(setting.Set).Group("Server", s).Check(); err != nil {
		return err.Error()
	}
	return ""
}

func TestServerTimeoutsAreValidated(t *testing.T) {
	for _, c := range []struct {
		at                  time.Duration
		positive, notBelow0 string
	}{
		{-1, "-1ns must be above 0", "-1ns is negative"}, {0, "0s must be above 0", ""}, {1, "", ""},
		{time.Hour, "", ""},
	} {
		for _, s := range []*setting.Setting{TimeFlag(&c.at, "x", ""), HeaderFlag(&c.at), ShutdownFlag(&c.at)} {
			if got := checked(s); !strings.HasSuffix(got, c.positive) || (got == "") != (c.positive == "") {
				t.Errorf("%s of %v: %q, want %q", s.Name, c.at, got, c.positive)
			}
		}
		if got := checked(NotNegative(&c.at, "x", "")); !strings.HasSuffix(got, c.notBelow0) || (got == "") != (c.notBelow0 == "") {
			t.Errorf("%v: %q, want %q", c.at, got, c.notBelow0)
		}
	}
}

func TestFaultRatesAreValidated(t *testing.T) {
	for at, well := range map[float64]bool{
		0: true, 1: true, 0.5: true, -0.001: false, 1.001: false, math.Inf(1): false, math.Inf(-1): false,
	} {
		if got := checked(RateFlag(&at, "x", "request", "")); (got == "") != well {
			t.Errorf("%v: %q", at, got)
		}
	}
	none := math.NaN()
	if got := checked(RateFlag(&none, "x", "request", "")); !strings.HasSuffix(got, "NaN is not between 0 and 1") {
		t.Errorf("%q", got)
	}
}

func TestAddressesToListenOn(t *testing.T) {
	for at, well := range map[string]bool{
		"127.0.0.1:0": true, "[::1]:80": true, ":80": true, "localhost:http": true, "localhost": false, "": false, "::1": false,
	} {
		if got := checked(ListenFlag(&at, "")); (got == "") != well || !well && !strings.Contains(got, "is not a valid address") {
			t.Errorf("%q: %q", at, got)
		}
	}
}

// A page is shown to who asks for this machine by one of its names, and to nobody who was led here by another.
func TestLocal(t *testing.T) {
	for _, c := range []struct {
		host, listen string
		want         bool
	}{
		{"localhost", "", true}, {"LOCALHOST:80", "", true}, {"127.0.0.1:80", "", true}, {"127.9.9.9", "", true}, {"[::1]:80", "", true},
		{"10.0.0.1", "", false}, {"10.0.0.1:80", "10.0.0.1:80", true}, {"lab:80", "lab:80", true}, {"LAB", "lab:80", true},
		{"lab", "other:80", false}, {"", "", false}, {":80", ":80", false}, {"localhost.evil.example", "", false},
	} {
		if got := Local(c.host, c.listen); got != c.want {
			t.Errorf("%q, on %q: %v", c.host, c.listen, got)
		}
	}
}

// A certificate is good for this machine and for what the server listens on, for a year, and for nothing else.
func TestSelfSigned(t *testing.T) {
	machine, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for listen, names := range map[string][]string{
		"lab.example.org:443": {"lab.example.org", "a.lab.example.org"}, "192.0.2.7:443": {"192.0.2.7"},
		"[2001:db8::7]:443": {"2001:db8::7"}, ":443": {machine}, "0.0.0.0:443": {machine}, "localhost:443": {machine}, "lab": nil,
	} {
		own, trust, err := SelfSigned("Lab", listen)
		if err != nil {
			t.Fatal(err)
		}
		block, rest := pem.Decode(trust)
		if block == nil || len(rest) > 0 {
			t.Fatalf("%s: %q", listen, trust)
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		if string(own.Certificate[0]) != string(block.Bytes) || own.PrivateKey == nil || cert.Subject.CommonName != "Lab" || !cert.IsCA ||
			cert.SerialNumber.Sign() <= 0 {
			t.Errorf("%s: %+v", listen, cert)
		}
		roots := x509.NewCertPool()
		roots.AddCert(cert)
		verify := func(name string, at time.Time) error {
			_, err := cert.Verify(x509.VerifyOptions{DNSName: name, Roots: roots, CurrentTime: at})
			return err
		}
		now := time.Now()
		for _, name := range append(names, "localhost", "bucket.localhost", "127.0.0.1", "::1") {
			for _, at := range []time.Time{now.Add(-59 * time.Minute), now, now.AddDate(0, 0, 364)} {
				if err := verify(name, at); err != nil {
					t.Errorf("%s as %s at %v: %v", listen, name, at, err)
				}
			}
			if verify(name, now.Add(-2*time.Hour)) == nil || verify(name, now.AddDate(1, 0, 0).Add(time.Hour)) == nil {
				t.Errorf("%s as %s: it is good for longer", listen, name)
			}
		}
		if verify("evil.example.com", now) == nil || verify("127.1.0.1", now) == nil {
			t.Errorf("%s: it is good for others", listen)
		}
	}
}

// A child's line says where it is and which process it is; what does not is no child's.
func TestReadyLines(t *testing.T) {
	got, err := parseReady([]byte(`{"url":"http://127.0.0.1:80","pid":1,"broker":"nats://x:1"}`))
	if want := (ready{"http://127.0.0.1:80", 1, "nats://x:1"}); got != want || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	for line, want := range map[string]string{
		"":                                       "unexpected end of JSON input",
		`{"pid":1}`:                              "it contains no address",
		`{"url":"http:","pid":1}`:                "it contains no address",
		`{"url":"//127.0.0.1:80","pid":1}`:       "it contains no address",
		`{"url":"http://h:port","pid":1}`:        "invalid port",
		`{"url":"http://127.0.0.1:80"}`:          "it contains no process ID",
		`{"url":"http://127.0.0.1:80","pid":0}`:  "it contains no process ID",
		`{"url":"http://127.0.0.1:80","pid":-1}`: "it contains no process ID",
	} {
		if _, err := parseReady([]byte(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// failing is a pipe whose other end has gone.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestAnnounceIsHeard(t *testing.T) {
	var line strings.Builder
	if err := Announce(&line, "http://127.0.0.1:80", ""); err != nil {
		t.Fatal(err)
	}
	got, err := parseReady([]byte(line.String()))
	if want := (ready{URL: "http://127.0.0.1:80", PID: os.Getpid()}); got != want || err != nil || !strings.HasSuffix(line.String(), "}\n") {
		t.Errorf("%+v, %v", got, err)
	}
	if err := Announce(failing{}, "http://h", ""); err == nil || err.Error() != "announce http://h: broken pipe" {
		t.Error(err)
	}
}
