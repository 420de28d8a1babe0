package store

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"

	"github.com/plimsoll/plimsoll/internal/bounded"
	"github.com/plimsoll/plimsoll/internal/infile"
)

// Trust says which certificates are trusted in place of those of the system: those of a file in PEM form, or with
// insecure any. It is nil when nothing is said about it. What the file holds is given, too, for requests for
// credentials (TrustBeside).
func Trust(file string, insecure bool) (trusted *tls.Config, authorities []byte, err error) {
	if file == "" && !insecure {
		return nil, nil, nil
	}
	c := &tls.Config{InsecureSkipVerify: insecure, MinVersion: tls.VersionTLS12}
	if file == "" {
		return c, nil, nil
	}
	authorities, err = infile.Read(file, infile.MaxPEM)
	if err != nil {
		return nil, nil, Fail(NoFile, "--ca: %w", err).WithHint("pass a file of PEM certificates")
	}
	c.RootCAs = x509.NewCertPool()
	if !c.RootCAs.AppendCertsFromPEM(authorities) {
		return nil, nil, Fail(Other, "--ca: %s contains no certificate", file).
			WithHint("pass a file of PEM certificates")
	}
	return c, authorities, nil
}

// TrustBeside trusts authorities in PEM form beside those that are trusted anyway; nil stands for those of the system.
// Requests for credentials are made so: they may go to a server of the same house, or to the cloud's own.
func TrustBeside(anyway *x509.CertPool, authorities []byte) *tls.Config {
	var pool *x509.CertPool
	if anyway != nil {
		pool = anyway.Clone()
	} else if system, err := x509.SystemCertPool(); err == nil {
		pool = system
	} else {
		pool = x509.NewCertPool()
	}
	pool.AppendCertsFromPEM(authorities)
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

// CredentialsClient makes the HTTP client by which credentials are asked for.
func CredentialsClient(c *Config) *http.Client {
	t := bounded.NewTransport()
	t.ForceAttemptHTTP2 = true
	t.DisableKeepAlives = true // a few requests in a run: no connection is left to be closed
	if c.Authorities != nil {
		t.TLSClientConfig = TrustBeside(nil, c.Authorities)
	}
	within := bounded.Within
	if c.Timeout > 0 {
		within = c.Timeout
	}
	return bounded.Client(t, within, bounded.Answer)
}

// TrustHint says what to do about a certificate that was not trusted; "" when that is not what the error is about.
func TrustHint(err error) string {
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &authority):
		return "if you know the server, pass its CA certificate with --ca FILE, or accept any certificate with --insecure"
	case errors.As(err, &name):
		return "use a host name that the server's certificate covers, or accept any certificate with --insecure"
	case errors.As(err, &invalid):
		return "the server's certificate must be replaced; --insecure accepts any certificate"
	}
	return ""
}
