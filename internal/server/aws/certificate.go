package aws

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"time"
)

// certify makes a certificate and a key that exist for this server alone. The certificate is
// written to a file, for clients to trust; the key stays in memory.
func (s *Server) certify() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "plimsoll serve aws"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0),
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IsCA:        true, BasicConstraintsValid: true,
		DNSNames: []string{"localhost", "*.localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	name(template, s.cfg.Listen)
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	s.tls = &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		NextProtos:   []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12,
	}
	return s.write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
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

func (s *Server) write(certificate []byte) error {
	if s.cfg.Certificate != "" {
		s.file = s.cfg.Certificate
		return os.WriteFile(s.file, certificate, 0o644)
	}
	f, err := os.CreateTemp("", "plimsoll-aws-*.pem")
	if err != nil {
		return err
	}
	s.file = f.Name()
	_, err = f.Write(certificate)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		s.uncertify()
	}
	return err
}

// uncertify removes a temporary file.
func (s *Server) uncertify() {
	if s.file != "" && s.cfg.Certificate == "" {
		_ = os.Remove(s.file)
	}
}
