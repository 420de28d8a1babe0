package http

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/infile"
	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/server"
	"github.com/plimsoll/plimsoll/internal/wake"
)

// Server is an HTTP target.
type Server struct {
	cfg      Config
	log      *slog.Logger
	metrics  *metrics
	admitted *server.Bound
	port     server.Port
	tls      *tls.Config // nil: none
	web      *server.HTTP

	alarms *wake.Scheduler // of the delays
	delays sync.Pool       // of *server.Delay
	began  atomic.Int64    // when the first request came, ns of the wall clock; 0: none has
	number atomic.Uint64   // of requests so far
	people people          // who has logged in, and what is in their carts
}

// New makes a server; it fails if cfg is not valid, or its certificate cannot be had. A nil logger discards.
func New(cfg Config, logger *slog.Logger) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{cfg: cfg, log: logger, metrics: newMetrics(), admitted: server.NewBound(cfg.MaxRequests)}
	s.delays.New = func() any { return new(server.Delay) }
	s.people.carts = map[string]int{}
	if !cfg.TLS {
		return s, nil
	}
	certificate, err := s.certificate()
	if err != nil {
		return nil, err
	}
	s.tls = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	return s, nil
}

// certificate is that of the settings, or one that is made.
func (s *Server) certificate() (tls.Certificate, error) {
	if s.cfg.Certificate != "" {
		c, err := infile.KeyPair(s.cfg.Certificate, s.cfg.Key)
		if err != nil {
			return c, fault.New(fault.Usage, "--cert %s and --key %s: %w", s.cfg.Certificate, s.cfg.Key, err).
				Hint("use a PEM certificate and its key")
		}
		return c, nil
	}
	c, trust, err := server.SelfSigned("plimsoll serve http", s.cfg.Listen)
	if err != nil || s.cfg.Trust == "" {
		return c, err
	}
	if err := outfile.Bytes(s.cfg.Trust, trust); err != nil {
		return c, fault.New(fault.RunFailed, "--cert-out: %w", err)
	}
	return c, nil
}

// Listen binds the address. Connections are answered once Serve runs, which also closes the listener; until then they
// wait in the kernel's queue.
func (s *Server) Listen(ctx context.Context) error {
	return s.port.Bind(ctx, net.ListenConfig{}, s.cfg.Listen)
}

// URL is http://host:port, or https. It is "" before Listen. A server that listens on all addresses gives the
// loopback's.
func (s *Server) URL() string {
	if s.tls != nil {
		return s.port.URL("https", "/")
	}
	return s.port.URL("http", "/")
}

// Serve answers until ctx is done, lets the requests in flight end, and waits for all goroutines; what is left after
// ShutdownTimeout it cuts off. Delayed answers that have not come due by then are not sent. It listens first if Listen
// was not called. It is called once.
func (s *Server) Serve(ctx context.Context) error {
	if !s.port.Bound() {
		if err := s.Listen(ctx); err != nil {
			return err
		}
	}
	s.alarms = wake.NewExact()
	defer s.alarms.Close()
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	s.web = &server.HTTP{
		Handler: s.handler(), Log: s.log, Own: []string{s.cfg.Listen}, HeaderTimeout: s.cfg.HeaderTimeout,
		IdleTimeout: s.cfg.IdleTimeout, WriteTimeout: s.cfg.IdleTimeout, // which goes on while an answer does
		ShutdownTimeout: s.cfg.ShutdownTimeout, TLS: s.tls, Protocols: &protocols,
	}
	s.log.Info("HTTP target listening", "url", s.URL())
	return s.web.Serve(ctx, counting{s.port, &s.metrics.plain.Connections})
}

// counting counts the connections that are accepted.
type counting struct {
	net.Listener
	accepted *atomic.Int64
}

func (c counting) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.accepted.Add(1)
	}
	return conn, err
}

// stalled is until when nothing is answered that comes now; the zero time where that does not matter.
func (s *Server) stalled(now time.Time) time.Time {
	if s.cfg.StallFor == 0 {
		return time.Time{}
	}
	s.began.CompareAndSwap(0, now.UnixNano())
	from := time.Unix(0, s.began.Load()).Add(s.cfg.StallAfter)
	if now.Before(from) {
		return time.Time{}
	}
	return from.Add(s.cfg.StallFor)
}

// wait waits for a moment; false when the client has left or the server ends.
func (s *Server) wait(r *http.Request, until time.Time) bool {
	if !until.After(time.Now()) {
		return true
	}
	d := s.delays.Get().(*server.Delay)
	if !d.Until(until, s.alarms, nil, r.Context().Done()) {
		return false // the delay is of no further use
	}
	s.delays.Put(d)
	return true
}
