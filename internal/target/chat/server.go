package chat

import (
	"context"
	"errors"
	"log/slog"
	"net"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Server is a chat target.
type Server struct {
	cfg      Config
	log      *slog.Logger
	listener net.Listener
}

// New makes a server; cfg must be valid. A nil logger discards.
func New(cfg Config, logger *slog.Logger) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &Server{cfg: cfg, log: logger}, nil
}

// Listen binds the address. Connections are answered once Serve runs; until then they wait
// in the kernel's queue.
func (s *Server) Listen(ctx context.Context) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", s.cfg.Listen)
	if err != nil {
		return fault.New(fault.RunFailed, "cannot listen on %s: %w", s.cfg.Listen, err).
			Hint("another program may have the port: choose another with --listen, or port 0 for a free one")
	}
	s.listener = l
	return nil
}

// URL is where a client may connect: ws://host:port/chat/1. It is "" before Listen. A server
// that listens on all addresses gives the loopback's.
func (s *Server) URL() string {
	if s.listener == nil {
		return ""
	}
	host, port, _ := net.SplitHostPort(s.listener.Addr().String())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if ip.To4() == nil {
			host = "::1"
		}
	}
	return "ws://" + net.JoinHostPort(host, port) + "/chat/1"
}

// Serve answers until ctx is done, then closes every client with 1001 and waits for all
// goroutines, for no longer than ShutdownTimeout before it closes what is left by force. It
// listens first if Listen was not called. It is called once.
func (s *Server) Serve(ctx context.Context) error {
	if s.listener == nil {
		if err := s.Listen(ctx); err != nil {
			return err
		}
	}
	return errors.Join(errors.New("not yet"), s.listener.Close())
}
