package aws

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/server"
	"github.com/plimsoll/plimsoll/internal/wake"
)

// Server is a canned responder.
type Server struct {
	cfg      Config
	log      *slog.Logger
	router   *router
	tls      *tls.Config // nil: plain HTTP
	file     string      // of the certificate
	listener net.Listener

	alarms *wake.Scheduler // nil: nothing waits
	cut    chan struct{}   // closed when the time for the graceful end is over

	running sync.WaitGroup // connections
	mu      sync.Mutex
	conns   map[*conn]uint64 // with the number of requests that each had at the last look
	next    uint64
	ending  bool
}

// New makes a server; it fails if cfg is not valid or the certificate cannot be written. A nil
// logger discards. The certificate's file, if it is a temporary one, is there until Serve
// returns.
func New(cfg Config, logger *slog.Logger) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{cfg: cfg, log: logger, router: newRouter(), cut: make(chan struct{}), conns: map[*conn]uint64{}}
	if cfg.TLS {
		if err := s.certify(); err != nil {
			return nil, fault.New(fault.RunFailed, "cannot make a certificate: %w", err).
				Hint("name a file that can be written with --certificate")
		}
	}
	return s, nil
}

// Listen binds the address. Connections are answered once Serve runs, which also closes the
// listener; until then they wait in the kernel's queue.
func (s *Server) Listen(ctx context.Context) error {
	var lc net.ListenConfig
	if s.cfg.Observe != nil {
		lc.Control = stampListener // accepted sockets inherit it
	}
	l, err := server.Listen(ctx, lc, s.cfg.Listen)
	s.listener = l
	return err
}

// URL is the endpoint: http://host:port, or https://. It is "" before Listen. A server that
// listens on all addresses gives the loopback's.
func (s *Server) URL() string {
	if s.listener == nil {
		return ""
	}
	if s.tls != nil {
		return "https://" + server.Address(s.listener)
	}
	return "http://" + server.Address(s.listener)
}

// CertificateFile is where the certificate is, in PEM form; "" without TLS.
func (s *Server) CertificateFile() string { return s.file }

// Serve answers until ctx is done, lets the requests that are here in full be answered, and
// waits for all goroutines; what is left after ShutdownTimeout it cuts off. It listens first
// if Listen was not called. It is called once.
func (s *Server) Serve(ctx context.Context) error {
	defer s.uncertify()
	if s.listener == nil {
		if err := s.Listen(ctx); err != nil {
			return err
		}
	}
	if s.cfg.Latency > 0 {
		s.alarms = wake.New()
		defer s.alarms.Close()
	}
	failed := make(chan error, 1)
	go func() { failed <- s.accept(ctx) }()
	s.log.Info("the responder is listening", "url", s.URL())
	idle := time.NewTicker(s.cfg.IdleTimeout)
	defer idle.Stop()
	var err error
	for serving := true; serving; {
		select {
		case <-ctx.Done():
			serving = false
		case <-idle.C:
			s.closeIdle()
		case err = <-failed:
			failed <- err
			err = fault.New(fault.RunFailed, "the server stopped accepting connections: %w", err)
			serving = false
		}
	}
	_ = s.listener.Close()
	<-failed
	s.shutdown()
	return err
}

// patience is how long accepting pauses when the process has no file descriptor to spare.
const patience = 10 * time.Millisecond

func (s *Server) accept(ctx context.Context) error {
	for {
		nc, err := s.listener.Accept()
		switch {
		case err == nil:
			s.start(nc)
		case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ECONNABORTED):
			s.log.Warn("a connection could not be accepted", "error", err)
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(patience):
			}
		default:
			return err
		}
	}
}

// start begins a connection, unless there are enough or the server is at its end.
func (s *Server) start(nc net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending || len(s.conns) >= s.cfg.MaxConnections {
		_ = nc.Close()
		return
	}
	s.next++
	c := newConn(s, nc, s.next)
	s.conns[c] = 0
	s.running.Go(func() {
		defer s.forget(c)
		c.serve()
	})
}

func (s *Server) forget(c *conn) {
	_ = c.wire.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// closeIdle closes the connections that completed no request since the last look. That bounds
// requests that do not come to their end, too, without a deadline for each.
func (s *Server) closeIdle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c, before := range s.conns {
		now := c.progress.Load()
		// A connection's first look is not at a full period.
		if before != 0 && now == before {
			_ = c.wire.Close()
		}
		s.conns[c] = now
	}
}

// shutdown wakes the connections that wait for a request, lets the others answer, and cuts
// off what is left after the time for that.
func (s *Server) shutdown() {
	s.mu.Lock()
	s.ending = true
	for c := range s.conns {
		c.ending.Store(true)
		_ = c.wire.SetReadDeadline(time.Unix(1, 0))
	}
	s.mu.Unlock()
	over := make(chan struct{})
	go func() {
		s.running.Wait()
		close(over)
	}()
	timer := time.NewTimer(s.cfg.ShutdownTimeout)
	defer timer.Stop()
	select {
	case <-over:
		return
	case <-timer.C:
	}
	s.log.Warn("not every request ended in time", "shutdown_timeout", s.cfg.ShutdownTimeout)
	close(s.cut)
	s.mu.Lock()
	for c := range s.conns {
		_ = c.wire.Close()
	}
	s.mu.Unlock()
	<-over
}
