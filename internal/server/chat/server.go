package chat

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/lxzan/gws"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/server"
	"github.com/plimsoll/plimsoll/internal/wake"
)

// Server is a chat target.
type Server struct {
	cfg      Config
	log      *slog.Logger
	session  *session
	upgrader *gws.Upgrader
	clients  clients
	listener net.Listener
	linger   time.Duration
}

// New makes a server; it fails if cfg is not valid. A nil logger discards. The server holds
// system resources once it listens.
func New(cfg Config, logger *slog.Logger) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{cfg: cfg, log: logger, session: &session{metrics: newMetrics()}, linger: linger}
	s.clients = clients{metrics: s.session.metrics, open: map[*conn]struct{}{}}
	s.upgrader = newUpgrader(&s.cfg, s.session)
	return s, nil
}

// Listen binds the address. Connections are answered once Serve runs, which also closes the
// listener; until then they wait in the kernel's queue.
func (s *Server) Listen(ctx context.Context) error {
	l, err := server.Listen(ctx, net.ListenConfig{}, s.cfg.Listen)
	s.listener = l
	return err
}

// URL is where a client may connect: ws://host:port/chat/1. It is "" before Listen. A server
// that listens on all addresses gives the loopback's.
func (s *Server) URL() string {
	if s.listener == nil {
		return ""
	}
	return "ws://" + server.Address(s.listener) + "/chat/1"
}

// Serve answers until ctx is done, then closes every client with 1001 and waits for all
// goroutines; what is left after ShutdownTimeout it closes by force. Delayed answers that
// have not come due by then are not sent. It listens first if Listen was not called. It is
// called once.
func (s *Server) Serve(ctx context.Context) error {
	if s.listener == nil {
		if err := s.Listen(ctx); err != nil {
			return err
		}
	}
	var background sync.WaitGroup
	defer background.Wait()
	if s.cfg.Faults.any() {
		s.session.sender = newSender(s.cfg.Faults, s.session, wake.New())
		defer s.session.sender.stop()
	}
	sweeping, stopSweeping := context.WithCancel(context.Background())
	defer stopSweeping()
	if s.cfg.IdleTimeout > 0 {
		background.Go(func() { s.sweep(sweeping) })
	}
	return s.serveHTTP(ctx)
}

// serveHTTP returns when no request and no connection is left.
func (s *Server) serveHTTP(ctx context.Context) error {
	web := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: s.cfg.HandshakeTimeout,
		IdleTimeout:       s.cfg.HandshakeTimeout,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(s.listener) }()
	s.log.Info("the chat target is listening", "url", s.URL())
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
		failed <- http.ErrServerClosed
		err = fault.New(fault.RunFailed, "the server stopped accepting connections: %w", err)
	}
	s.shutdown(web)
	<-failed
	return err
}

// Close codes and reasons (RFC 6455, section 7.4.1).
const (
	closeGoingAway = 1001
	shutdownReason = "the server is shutting down"
	idleReason     = "nothing was heard for the idle time"
)

// shutdown ends all requests and connections.
func (s *Server) shutdown(web *http.Server) {
	// The context of Serve is done; the time for the end begins now.
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.ShutdownTimeout)
	defer cancel()
	forced := make(chan struct{})
	unforce := context.AfterFunc(ctx, func() {
		defer close(forced)
		s.clients.each(func(c *conn) { _ = c.Conn.Close() })
	})
	defer func() {
		if !unforce() {
			<-forced
		}
	}()
	var closing sync.WaitGroup // each may be held up by a client that doesn't read
	s.clients.close(func(c *conn) {
		closing.Go(func() { c.closeWith(closeGoingAway, shutdownReason) })
	})
	if err := web.Shutdown(ctx); err != nil {
		_ = web.Close()
	}
	closing.Wait()
	s.clients.running.Wait()
	if ctx.Err() != nil {
		s.log.Warn("not every client closed its connection in time", "shutdown_timeout", s.cfg.ShutdownTimeout)
	}
}

// serveConn reads a connection to its end.
func (s *Server) serveConn(c *conn, socket *gws.Conn) {
	defer c.finish()
	defer func() {
		// The library slices by a frame's length without looking at its sign: a client that
		// claims 2^63 bytes or more makes it panic. That must cost its own connection only.
		if p := recover(); p != nil {
			s.log.Error("reading a connection failed", "remote", c.RemoteAddr().String(), "panic", p,
				"stack", string(debug.Stack()))
		}
	}()
	socket.ReadLoop()
}

// sweeps is how often the idle sweep looks in one idle time. A client is closed after
// IdleTimeout of silence, or up to three eighths more: the sweep sees only that something
// came since it last looked, and looks at its own times.
const sweeps = 8

// sweep pings clients that have been silent for half of the idle time and closes those that
// have been for all of it. One goroutine does it for all, so that a message costs no timer.
func (s *Server) sweep(ctx context.Context) {
	tick := time.NewTicker(max(s.cfg.IdleTimeout/sweeps, time.Millisecond))
	defer tick.Stop()
	var closing sync.WaitGroup
	defer closing.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			s.clients.each(func(c *conn) {
				switch c.idle.look(now, c.active.Swap(false), s.cfg.IdleTimeout) {
				case idlePing:
					c.ping()
				case idleClose:
					if !c.ending.Load() {
						closing.Go(func() { c.closeWith(closeGoingAway, idleReason) })
					}
				}
			})
		}
	}
}
