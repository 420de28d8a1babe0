package store

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"
)

// Trust says which certificates are trusted in place of those of the system: those of a file in PEM form, or with
// insecure any. It is nil when nothing is said about it.
func Trust(file string, insecure bool) (*tls.Config, error) {
	if file == "" && !insecure {
		return nil, nil
	}
	c := &tls.Config{InsecureSkipVerify: insecure, MinVersion: tls.VersionTLS12}
	if file == "" {
		return c, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, Fail(NoFile, "--ca: %w", err).WithHint("give a file of certificates in PEM form")
	}
	c.RootCAs = x509.NewCertPool()
	if !c.RootCAs.AppendCertsFromPEM(pem) {
		return nil, Fail(Other, "--ca: %s holds no certificate", file).
			WithHint("give a file of certificates in PEM form")
	}
	return c, nil
}

// TrustHint says what to do about a certificate that was not trusted; "" when that is not what the error is about.
func TrustHint(err error) string {
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &authority):
		return "if you know the server, give the certificate of its authority by --ca FILE, or trust any by --insecure"
	case errors.As(err, &name):
		return "use a name that the server's certificate is for, or trust any certificate by --insecure"
	case errors.As(err, &invalid):
		return "the server's certificate has to be replaced; --insecure trusts any"
	}
	return ""
}
