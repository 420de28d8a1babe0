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
	"github.com/plimsoll/plimsoll/internal/server/peer"
	"github.com/plimsoll/plimsoll/internal/wake"
)

// Server is a canned responder.
type Server struct {
	cfg    Config
	log    *slog.Logger
	router *router
	tls    *tls.Config // nil: plain HTTP
	file   string      // of the certificate
	port   server.Port

	alarms *wake.Scheduler // nil: nothing waits
	cut    chan struct{}   // closed when the time for the graceful end is over

	lingering time.Duration

	peers       *peer.Processes
	crowd       *server.Crowd
	connections *server.Connections[*conn]
	accepted    uint64    // connections so far
	refused     time.Time // when the log was told last that none could be accepted
	local       bool      // only this machine can reach the address, and over plain HTTP
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
	s := &Server{cfg: cfg, log: logger, router: newRouter(), cut: make(chan struct{}), lingering: lingering,
		peers: peer.New()}
	s.crowd = server.NewCrowd(cfg.MaxConnections)
	s.connections = server.NewConnections[*conn](0)
	if cfg.TLS {
		if err := s.certify(); err != nil {
			return nil, fault.New(fault.RunFailed, "cannot create a certificate: %w", err).
				Hint("set a writable file with --cert-out")
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
	return s.port.Bind(ctx, lc, s.cfg.Listen)
}

// URL is the endpoint: http://host:port, or https://. It is "" before Listen. A server that
// listens on all addresses gives the loopback's.
func (s *Server) URL() string {
	if s.tls != nil {
		return s.port.URL("https", "")
	}
	return s.port.URL("http", "")
}

// CertificateFile is where the certificate is, in PEM form; "" without TLS.
func (s *Server) CertificateFile() string { return s.file }

// Serve answers until ctx is done, lets the requests that are here in full be answered, and
// waits for all goroutines; what is left after ShutdownTimeout it cuts off. It listens first
// if Listen was not called. It is called once.
func (s *Server) Serve(ctx context.Context) error {
	defer s.uncertify()
	if !s.port.Bound() {
		if err := s.Listen(ctx); err != nil {
			return err
		}
	}
	if s.cfg.Latency > 0 {
		s.alarms = wake.NewExact()
		defer s.alarms.Close()
	}
	var background sync.WaitGroup
	defer background.Wait()
	looking, stop := context.WithCancel(ctx)
	defer stop()
	background.Go(func() { server.Every(looking, s.cfg.IdleTimeout, s.closeIdle) })
	background.Go(func() { server.Every(looking, s.cfg.HeaderTimeout/4, s.closeSlow) })
	s.local = server.OnLoopback(s.port) && s.tls == nil // TLS says by itself who is meant
	s.log.Info("AWS target listening", "url", s.URL())
	return server.ServeUntil(ctx, s.cfg.ShutdownTimeout, func() error { return s.accept(ctx) }, s.end)
}

// pause is how long accepting pauses when the process has no file descriptor to spare.
const pause = 10 * time.Millisecond

func (s *Server) accept(ctx context.Context) error {
	for {
		nc, err := s.port.Accept()
		switch {
		case err == nil:
			s.start(nc)
		case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ECONNABORTED):
			s.grumble(err)
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(pause):
			}
		default:
			return err
		}
	}
}

// grumbleEvery is how often the log is told that connections cannot be accepted. Clients can see to it that none can.
const grumbleEvery = time.Minute

func (s *Server) grumble(err error) {
	if now := time.Now(); now.Sub(s.refused) >= grumbleEvery {
		s.refused = now
		s.log.Warn("cannot accept a connection; further failures are not logged for a minute", "error", err)
	}
}

// start serves a connection, unless there are enough or the server is at its end.
func (s *Server) start(nc net.Conn) {
	guest, admitted := s.crowd.Enter(nc)
	if !admitted || s.connections.Reserve() != nil {
		s.crowd.Leave(nc)
		_ = nc.Close()
		return
	}
	s.accepted++
	c := newConn(s, nc, s.accepted)
	c.guest = guest
	s.connections.Start(c, func(late bool) {
		defer s.crowd.Leave(nc)
		defer func() { _ = c.wire.Close() }()
		if late {
			c.end()
		}
		c.serve()
	})
}

// closeIdle closes the connections that completed no request since the last look. That bounds
// requests that do not come to their end, too, without a deadline for each.
func (s *Server) closeIdle(time.Time) {
	s.connections.Each(func(c *conn) {
		now := c.progress.Load()
		// A connection's first look is not at a full period.
		if c.seen != 0 && now == c.seen {
			_ = c.wire.Close()
		}
		c.seen = now
	})
}

// closeSlow closes the connections that have taken too long for the headers of a request, or for TLS before them.
func (s *Server) closeSlow(now time.Time) {
	s.connections.Each(func(c *conn) {
		if begun := c.begun.Load(); begun != 0 && now.UnixNano()-begun > int64(s.cfg.HeaderTimeout) {
			_ = c.wire.Close()
		}
	})
}

// end wakes the connections that wait for a request, lets the others answer, and cuts off what is
// left when patience is done.
func (s *Server) end(patience context.Context) {
	_ = s.port.Close()
	s.connections.Drain(patience, (*conn).end, func() {
		s.log.Warn("some requests did not complete before the shutdown timeout", "shutdown_timeout", s.cfg.ShutdownTimeout)
		close(s.cut)
		s.connections.Each(func(c *conn) { _ = c.wire.Close() })
	})
}
