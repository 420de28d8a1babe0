package nats

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// The defaults, as in the documents.
const (
	// DefaultMaxPayload is the largest message in bytes. nats-server discourages more.
	DefaultMaxPayload = 8 << 20
	// DefaultMemory bounds what JetStream keeps in bytes.
	DefaultMemory = 512 << 20
	// maxPending bounds what waits for one connection that does not read, in bytes. The broker
	// slows publishers down when three quarters are used, and gives the connection up when all is.
	maxPending = 128 << 20
	// authTimeout is what a client has from its connection to its token, in s. How long connecting may
	// take is the client's to say: the library's own 2 s cut one off that waits for a processor.
	authTimeout = 60
)

// Config says how to run the broker.
type Config struct {
	JetStream  bool  // streams, in memory
	MaxPayload int   // bytes; 0 is DefaultMaxPayload
	Memory     int64 // bytes that JetStream keeps; 0 is DefaultMemory
}

// Server is a broker that runs.
type Server struct {
	cfg    Config
	broker *server.Server
	token  string
	stop   sync.Once
}

// Start starts a broker on a free port of 127.0.0.1. It ends with Close alone.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	if cfg.MaxPayload == 0 {
		cfg.MaxPayload = DefaultMaxPayload
	}
	if cfg.Memory == 0 {
		cfg.Memory = DefaultMemory
	}
	if cfg.MaxPayload < 0 || int64(cfg.MaxPayload) > maxPending/4 || cfg.Memory < 0 {
		return nil, fault.New(fault.Usage, "message size %d bytes and broker memory %d bytes are not supported",
			cfg.MaxPayload, cfg.Memory).
			Hint("use positive sizes, and messages of at most %d bytes", maxPending/4)
	}
	s, err := start(ctx, cfg)
	if err != nil {
		return nil, fault.New(fault.RunFailed, "the embedded broker failed to start: %w", err)
	}
	return s, nil
}

func start(ctx context.Context, cfg Config) (*Server, error) {
	s := &Server{cfg: cfg, token: rand.Text()}
	options := &server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, Authorization: s.token,
		NoSigs: true, NoLog: true, DisableJetStreamBanner: true,
		MaxPayload: int32(cfg.MaxPayload), MaxPending: maxPending, AuthTimeout: authTimeout,
	}
	if cfg.JetStream {
		dir, err := os.MkdirTemp("", "plimsoll-broker-")
		if err != nil {
			return nil, fmt.Errorf("cannot create a directory for JetStream: %w", err)
		}
		defer func() { _ = os.RemoveAll(dir) }() // see the package's comment
		options.JetStream, options.StoreDir = true, dir
		options.JetStreamMaxMemory = cfg.Memory
		options.JetStreamMaxStore = 1 // 0 would be a share of the disk
	}
	broker, err := server.NewServer(options)
	if err != nil {
		return nil, err
	}
	s.broker = broker
	log := &lastWords{}
	broker.SetLogger(log, false, false)
	broker.Start() // without a cluster it returns when it listens, or has given up
	if err := s.ready(ctx, log); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// ready fails if the broker did not start.
func (s *Server) ready(ctx context.Context, log *lastWords) error {
	wait := 10 * time.Second
	if deadline, ok := ctx.Deadline(); ok {
		wait = min(wait, max(0, time.Until(deadline)))
	}
	if err := log.err(); err != nil {
		return err
	}
	if !s.broker.ReadyForConnections(wait) {
		return errors.Join(errors.New("it is not accepting connections"), log.err(), ctx.Err())
	}
	if s.cfg.JetStream && !s.broker.JetStreamEnabled() {
		return errors.Join(errors.New("JetStream did not start"), log.err())
	}
	return ctx.Err()
}

// URL is the broker's address for publishers and subscribers of this machine, with the token
// that they need: nats+js:// with JetStream and nats:// without.
func (s *Server) URL() string {
	u := url.URL{Scheme: "nats", User: url.User(s.token), Host: s.address()}
	if s.cfg.JetStream {
		u.Scheme = "nats+js"
		u.RawQuery = url.Values{"storage": {"memory"}, "max_bytes": {strconv.FormatInt(s.cfg.Memory, 10)}}.Encode()
	}
	return u.String()
}

// address is where the broker listens.
func (s *Server) address() string {
	if a, ok := s.broker.Addr().(*net.TCPAddr); ok {
		return a.String()
	}
	return ""
}

// Close ends the broker and waits for it. All that it kept is gone.
func (s *Server) Close() error {
	s.stop.Do(func() {
		s.broker.Shutdown()
		s.broker.WaitForShutdown()
	})
	return nil
}
