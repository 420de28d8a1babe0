package aws

import (
	"crypto/tls"
	"os"

	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/server"
)

// certify makes the server's certificate, and writes it to a file for clients to trust.
func (s *Server) certify() error {
	own, trust, err := server.SelfSigned("plimsoll serve aws", s.cfg.Listen)
	if err != nil {
		return err
	}
	s.tls = &tls.Config{
		Certificates: []tls.Certificate{own}, NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12,
	}
	return s.write(trust)
}

func (s *Server) write(certificate []byte) error {
	if s.cfg.Certificate != "" {
		s.file = s.cfg.Certificate
		return outfile.Bytes(s.file, certificate)
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
