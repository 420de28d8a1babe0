package s3

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/server"
	"github.com/plimsoll/plimsoll/internal/server/s3/blob"
	"github.com/plimsoll/plimsoll/internal/server/s3/sigv4"
	"github.com/plimsoll/plimsoll/internal/wake"
)

// Server is an S3 target.
type Server struct {
	cfg      Config
	log      *slog.Logger
	identity sigv4.Identity
	catalog  *catalog
	vault    *blob.Vault
	memory   blob.Space // bounds metadata, and data in memory
	data     blob.Space // bounds data, wherever it is
	metrics  *metrics
	port     server.Port
	web      *server.HTTP

	alarms            *wake.Scheduler // nil: nothing waits
	inbound, outbound *pacer          // nil: no limit
	requests          atomic.Uint64   // so far
	admitted          *server.Bound   // of those in flight
	puts              atomic.Int64    // PutObject and UploadPart so far
	documents         chan struct{}   // XML bodies that are being worked on
}

// maxDocuments bounds the memory that XML bodies take.
const maxDocuments = 16

// New makes a server; it fails if cfg is not valid or its directory cannot be used. A nil
// logger discards. The server holds system resources until Serve returns.
func New(cfg Config, logger *slog.Logger) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{cfg: cfg, log: logger, admitted: server.NewBound(cfg.MaxRequests),
		documents: make(chan struct{}, maxDocuments)}
	s.identity = sigv4.Identity{
		AccessKey: cfg.AccessKey, SecretKey: cfg.SecretKey, SessionToken: cfg.SessionToken, Region: cfg.Region,
		Anonymous: cfg.Anonymous,
	}
	s.memory.Limit, s.data.Limit = cfg.Memory, cfg.Full
	if s.memory.Limit == 0 {
		s.memory.Limit = server.MachineMemory() / 4
	}
	s.metrics = newMetrics(&s.data, &s.memory)
	if err := s.openStore(); err != nil {
		return nil, fault.New(fault.RunFailed, "cannot use the data directory: %w", err).
			Hint("use an empty --dir, or one that 'plimsoll serve s3' used before")
	}
	if s.catalog.hasBucket(cfg.Bucket) != nil {
		if err := s.catalog.createBucket(cfg.Bucket, s.now()); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	return s, nil
}

// openStore makes the vault and the catalog.
func (s *Server) openStore() error {
	var k *keeper
	var err error
	switch {
	case s.cfg.Discard:
		s.vault, err = blob.Discarding(&s.data)
	case s.cfg.Dir == "":
		s.vault, err = blob.InMemory(&s.data, &s.memory)
	default:
		k, err = openKeeper(s.cfg.Dir)
		if err == nil {
			s.vault = blob.InDirectory(k.root, &s.data)
		}
	}
	if err != nil {
		return err
	}
	s.catalog = newCatalog(&s.memory, k)
	if err := k.load(s.catalog, s.vault); err != nil {
		return errors.Join(err, s.close())
	}
	return nil
}

func (s *Server) close() error {
	err := s.vault.Close()
	s.catalog.keeper.close()
	return err
}

// now is the server's clock.
func (s *Server) now() time.Time { return time.Now().Add(s.cfg.ClockSkew) }

// Listen binds the address. Connections are answered once Serve runs, which also closes the
// listener; until then they wait in the kernel's queue.
func (s *Server) Listen(ctx context.Context) error {
	return s.port.Bind(ctx, net.ListenConfig{}, s.cfg.Listen)
}

// URL is the endpoint: http://host:port. It is "" before Listen. A server that listens on all
// addresses gives the loopback's.
func (s *Server) URL() string { return s.port.URL("http", "") }

// Serve answers until ctx is done, lets the requests in flight end, and waits for all
// goroutines; what is left after ShutdownTimeout it cuts off. It listens first if Listen was
// not called. It is called once.
func (s *Server) Serve(ctx context.Context) error {
	defer func() {
		if err := s.close(); err != nil {
			s.log.Warn("cannot free the data", "error", err)
		}
	}()
	if !s.port.Bound() {
		if err := s.Listen(ctx); err != nil {
			return err
		}
	}
	if s.cfg.Latency > 0 || s.cfg.StallFor > 0 {
		s.alarms = wake.NewExact()
		defer s.alarms.Close()
	}
	if s.cfg.Bandwidth > 0 {
		alarms := wake.New() // how late one of them is does not add up, so it need not watch the clock
		defer alarms.Close()
		s.inbound, s.outbound = newPacer(s.cfg.Bandwidth, alarms), newPacer(s.cfg.Bandwidth, alarms)
	}
	s.web = &server.HTTP{
		Handler: http.HandlerFunc(s.serveHTTP), Log: s.log, Own: []string{s.cfg.Listen, s.cfg.Domain},
		HeaderTimeout: s.cfg.HeaderTimeout, IdleTimeout: s.cfg.IdleTimeout, ShutdownTimeout: s.cfg.ShutdownTimeout,
	}
	s.log.Info("S3 target listening", "url", s.URL())
	return s.web.Serve(ctx, s.shaped(s.port))
}

// sleepUntil waits until t or the end of ctx.
func (s *Server) sleepUntil(ctx context.Context, t time.Time) error {
	return sleepUntil(ctx, s.alarms, t)
}

// shaped gives the connections of a slow server small buffers: else the kernel takes what
// the client sends far ahead of the rate.
func (s *Server) shaped(l net.Listener) net.Listener {
	if s.cfg.Bandwidth == 0 {
		return l
	}
	return shapedListener{l}
}

type shapedListener struct{ net.Listener }

// shapedBuffer is enough for some hundred MB/s on a loopback.
const shapedBuffer = 128 << 10

func (l shapedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetReadBuffer(shapedBuffer)
		_ = tcp.SetWriteBuffer(shapedBuffer)
	}
	return c, err
}
