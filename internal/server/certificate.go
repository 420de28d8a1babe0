package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"net"
	"os"
	"time"
)

// SelfSigned makes a certificate and a key that exist for one server alone, which listens at this address. trust is the
// certificate in PEM form, for clients to trust; the key stays in memory.
func SelfSigned(owner, listen string) (own tls.Certificate, trust []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	template := &x509.Certificate{
		Subject:   pkix.Name{CommonName: owner}, // its number is made with it
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0),
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IsCA:        true, BasicConstraintsValid: true,
		DNSNames: []string{"localhost", "*.localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	name(template, listen)
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	own = tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	return own, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), nil
}

// name adds the names under which the server is reached from elsewhere.
func name(template *x509.Certificate, listen string) {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return
	}
	ip := net.ParseIP(host)
	switch {
	case ip == nil && host != "" && host != "localhost":
		template.DNSNames = append(template.DNSNames, host, "*."+host)
	case ip != nil && !ip.IsUnspecified():
		template.IPAddresses = append(template.IPAddresses, ip)
	default:
		if machine, err := os.Hostname(); err == nil {
			template.DNSNames = append(template.DNSNames, machine)
		}
	}
}
