package chat

import (
	"context"
	"log/slog"
	"math"
	"net"
	"runtime/debug"
	"sync"
	"time"

	"github.com/lxzan/gws"

	"github.com/plimsoll/plimsoll/internal/server"
	"github.com/plimsoll/plimsoll/internal/wake"
)

// Server is a chat target.
type Server struct {
	cfg       Config
	log       *slog.Logger
	responder *responder
	upgraders *upgraders
	clients   *server.Connections[*conn]
	web       *server.HTTP
	port      server.Port

	linger, closeWrite time.Duration
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
	s := &Server{cfg: cfg, log: logger, responder: &responder{metrics: newMetrics(), bare: cfg.Echo},
		linger: linger, closeWrite: closeWrite}
	if cfg.Broadcast {
		s.responder.hub = newHub(s.responder, &s.cfg.Faults)
	}
	s.clients = server.NewConnections[*conn](cfg.MaxConnections)
	s.upgraders = newUpgraders(&s.cfg, s.responder)
	return s, nil
}

// Listen binds the address. Connections are answered once Serve runs, which also closes the
// listener; until then they wait in the kernel's queue.
func (s *Server) Listen(ctx context.Context) error {
	return s.port.Bind(ctx, net.ListenConfig{}, s.cfg.Listen)
}

// URL is where a client may connect: ws://host:port/chat/1. It is "" before Listen. A server
// that listens on all addresses gives the loopback's.
func (s *Server) URL() string { return s.port.URL("ws", "/chat/1") }

// Serve answers until ctx is done, then closes every client with 1001 and waits for all
// goroutines; what is left after ShutdownTimeout it closes by force. Delayed answers that
// have not come due by then are not sent. It listens first if Listen was not called. It is
// called once.
func (s *Server) Serve(ctx context.Context) error {
	if !s.port.Bound() {
		if err := s.Listen(ctx); err != nil {
			return err
		}
	}
	var background sync.WaitGroup
	defer background.Wait()
	if hub := s.responder.hub; hub != nil {
		defer hub.flushes.Wait()
	}
	if s.cfg.Faults.any() {
		s.responder.sender = newSender(s.cfg.Faults, s.responder, wake.NewExact())
		defer s.responder.sender.stop()
	}
	// The end is bounded by its own time, and until then clients may be silent for too long.
	sweeping, stopSweeping := context.WithCancel(context.WithoutCancel(ctx))
	defer stopSweeping()
	if s.cfg.IdleTimeout > 0 {
		background.Go(func() { s.sweep(sweeping) })
	}
	s.web = &server.HTTP{
		Handler: s.handler(), Log: s.log, Own: []string{s.cfg.Listen}, Origins: s.cfg.Origins,
		MaxConnections: s.places(),
		HeaderTimeout:  s.cfg.HandshakeTimeout,
		ReadTimeout:    s.cfg.HandshakeTimeout, WriteTimeout: s.cfg.HandshakeTimeout, // until it is a WebSocket
		IdleTimeout: s.cfg.HandshakeTimeout, ShutdownTimeout: s.cfg.ShutdownTimeout, Ending: s.endClients,
	}
	s.log.Info("chat target listening", "url", s.URL())
	return s.web.Serve(ctx, s.port)
}

// refusals is how many more connections there may be than clients, so that those beyond --max-connections are told.
const refusals = 1000

// places is how many connections there may be, as far as there are files for them.
func (s *Server) places() int {
	if s.cfg.MaxConnections == 0 {
		return math.MaxInt
	}
	return s.cfg.MaxConnections + refusals
}

// Close codes and reasons (RFC 6455, section 7.4.1).
const (
	closeGoingAway     = 1001
	closeProtocolError = 1002
	shutdownReason     = "the server is shutting down"
	idleReason         = "idle timeout"
)

// endClients closes every client with 1001, and by force those that are left when patience is
// done.
func (s *Server) endClients(patience context.Context) {
	var closing sync.WaitGroup // each may be held up by a client that doesn't read
	s.clients.Drain(patience, func(c *conn) {
		c.last.Store(true)
		closing.Go(func() { c.closeWith(closeGoingAway, shutdownReason) })
	}, func() { // at the same time: each close waits for its reader to run, which is one of thousands
		s.clients.All(func(c *conn) { closing.Go(func() { _ = c.Conn.Close() }) })
	})
	closing.Wait()
	if patience.Err() != nil {
		s.log.Warn("some clients did not close their connection before the shutdown timeout",
			"shutdown_timeout", s.cfg.ShutdownTimeout)
	}
}

// serveConn reads a connection to its end. One that is late is closed before it is read.
func (s *Server) serveConn(c *conn, socket *gws.Conn, late bool) {
	defer s.responder.metrics.open.Dec()
	defer c.finish()
	defer s.leave(c)
	if late {
		c.closeWith(closeGoingAway, shutdownReason)
	}
	defer s.recovered(c)
	socket.ReadLoop()
}

// recovered ends a connection whose reading panicked. The library slices by a frame's length without looking at its
// sign: a client that claims 2^63 bytes or more makes it panic. That is the client's doing, costs its own connection
// only, and is no line of the log, which a client could fill by it; what panics in an answer is ours, and is told.
func (s *Server) recovered(c *conn) {
	p := recover()
	switch {
	case p == nil:
	case c.answering:
		s.log.Error("panic while replying to a message", "remote", c.RemoteAddr().String(), "panic", p,
			"stack", string(debug.Stack()))
	default:
		s.log.Debug("cannot parse a frame", "remote", c.RemoteAddr().String(), "panic", p)
		c.closeWith(closeProtocolError, "invalid frame length")
	}
}

// leave takes a connection out of its room, if it is in one.
func (s *Server) leave(c *conn) {
	if c.box != nil {
		s.responder.hub.leave(c.box)
	}
}

// sweeps is how often the idle sweep looks in one idle time. A client is closed after
// IdleTimeout of silence, or up to three eighths more: the sweep sees only that something
// came since it last looked, and looks at its own times.
const sweeps = 8

// sweep pings clients that have been silent for half of the idle time and closes those that
// have been for all of it. One goroutine does it for all, so that a message costs no timer.
func (s *Server) sweep(ctx context.Context) {
	var closing sync.WaitGroup
	defer closing.Wait()
	server.Every(ctx, max(s.cfg.IdleTimeout/sweeps, time.Millisecond), func(now time.Time) {
		s.clients.Each(func(c *conn) {
			switch c.idle.look(now, c.active.Swap(false), s.cfg.IdleTimeout) {
			case idlePing:
				c.ping()
			case idleClose:
				if !c.ending.Load() {
					closing.Go(func() { c.closeWith(closeGoingAway, idleReason) })
				}
			}
		})
	})
}
