package kv

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/hostclock"
	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/server"
	"github.com/plimsoll/plimsoll/internal/server/kv/store"
	"github.com/plimsoll/plimsoll/internal/topic"
)

// Source is the topic that the server receives from, and what the server tells of it.
type Source struct {
	Topic     topic.Topic
	URL       string // without credentials
	OwnBroker bool   // the broker is in this process
	Version   string // of the program
	Data      []Data // files that are loaded; nil: none
}

// Server is a key/value server.
type Server struct {
	cfg      Config
	log      *slog.Logger
	source   Source
	about    topic.Description
	instance string
	notes    []string
	started  time.Time

	clock    *hostclock.Clock
	store    *store.Store
	registry *registry
	all      *times // of all runs
	metrics  *metrics
	journal  *journal
	loader   *loader

	port      server.Port
	sub       topic.Subscription
	receivers []*listener
	backlog   backlog
	passes    chan struct{} // passes over all keys that go on
	reads     *server.Bound

	ready     atomic.Bool        // until then requests are told how far it is
	stop      context.CancelFunc // ends the answering; nil: it has not begun
	answering sync.WaitGroup
	stopped   chan error // why the answering ended

	replayed    atomic.Int64 // batches of the journal
	settled     atomic.Int64 // batches, for --skip-ack
	failing     atomic.Int64 // listeners whose last receive call failed
	grumbled    atomic.Int64 // when that was last logged, on the clock
	grumbling   atomic.Bool  // and it was not logged yet that it is over
	lastApplied atomic.Int64 // on the clock; 0: nothing yet
	trouble     atomic.Pointer[string]
	full        atomic.Bool // a batch was refused for lack of memory; deletions aside, none comes free
	manyNumbers int         // of publishers in the store, before those without rows are looked for
	broken      broken
	events      events
}

// broken counts messages that are no batches.
type broken struct {
	mu      sync.Mutex
	count   int64
	example string
}

// New makes a server; it fails if cfg is not valid. A nil logger discards. The server holds
// memory until Serve returns.
func New(cfg Config, source Source, logger *slog.Logger) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Memory == 0 {
		cfg.Memory = server.MachineMemory() / 2
	}
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails
	s := &Server{
		cfg: cfg, log: logger, source: source, about: source.Topic.Describe(), instance: hex.EncodeToString(id[:]),
		started:     time.Now(),
		manyNumbers: fewNumbers, clock: hostclock.New(), store: store.New(cfg.Memory), all: newTimes(),
		passes: make(chan struct{}, 1), reads: server.NewBound(maxReads), stopped: make(chan error, 1),
	}
	s.grumbled.Store(s.clock.Now() - int64(time.Minute))
	s.registry, s.loader = newRegistry(s.store.Number), newLoader(s, source.Data)
	s.metrics = newMetrics(s, s.about)
	return s, nil
}

// Listen binds the address, recovers what the journal has, loads the data, and subscribes.
// Requests are answered from the beginning: until all that is done, by 503 and how far it is.
func (s *Server) Listen(ctx context.Context) error {
	if err := s.port.Bind(ctx, net.ListenConfig{}, s.cfg.Listen); err != nil {
		return err
	}
	s.answer(ctx)
	if err := s.recover(); err != nil {
		return err
	}
	if err := s.loader.first(ctx); err != nil {
		return err
	}
	var err error
	s.sub, err = s.source.Topic.Subscribe(ctx, topic.SubscribeOptions{
		Name: s.cfg.Subscription, Listeners: s.cfg.Listeners, Batch: s.cfg.Batch, Ephemeral: s.cfg.Ephemeral,
		Tell: s.events.tell,
	})
	if err != nil {
		cannot := fault.New(fault.RunFailed, "cannot subscribe to %s: %w", s.source.URL, err)
		if topic.CauseOf(err) == topic.CauseFull { // which says what to do
			return cannot
		}
		return cannot.Hint("check that the broker is running and that the credentials allow creating the subscription %q",
			s.cfg.Subscription)
	}
	for range s.cfg.Listeners {
		s.receivers = append(s.receivers, &listener{s: s})
	}
	s.ready.Store(true)
	return nil
}

// URL is http://host:port, or "" before Listen. A server that listens on all addresses gives
// the loopback's.
func (s *Server) URL() string { return s.port.URL("http", "") }

// Serve receives and answers until ctx is done, and waits for all goroutines. It listens first
// if Listen was not called, and is called once; it gives back what the server holds also when
// Listen failed.
func (s *Server) Serve(ctx context.Context) error {
	defer s.release()
	if !s.port.Bound() {
		if err := s.Listen(ctx); err != nil {
			return err
		}
	}
	if s.sub == nil {
		return nil // Listen failed, and has said so
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all sync.WaitGroup
	for _, l := range s.receivers {
		all.Go(func() { l.listen(ctx, s.sub) })
	}
	all.Go(func() { s.keepHouse(ctx) })
	if len(s.source.Data) > 0 {
		all.Go(func() { s.loader.watch(ctx) })
	}
	var err error
	select {
	case <-ctx.Done():
		s.stop()
		err = <-s.stopped
	case err = <-s.stopped:
	}
	cancel()
	all.Wait()
	return err
}

// release gives back what the server holds.
func (s *Server) release() {
	if s.stop != nil {
		s.stop()
		s.answering.Wait()
	}
	var err error
	if s.sub != nil {
		err = s.sub.Close()
	}
	if s.port.Bound() {
		_ = s.port.Close() // closed already, if it has served
	}
	if err := errors.Join(err, s.journal.close()); err != nil {
		s.log.Warn("errors during shutdown", "error", err)
	}
	s.store.Close()
}

// unreadable counts a message that is no batch, and keeps why the first was not.
func (s *Server) unreadable(err error) {
	s.metrics.unreadable.Inc()
	s.events.add(kvapi.EventUnreadable, err.Error())
	s.broken.mu.Lock()
	defer s.broken.mu.Unlock()
	s.broken.count++
	if s.broken.example == "" {
		s.broken.example = err.Error()
		s.log.Warn("skipping a message that is not a valid batch; further ones are only counted", "error", err)
	}
}

// refuse notes that a batch of a run cannot be kept.
func (s *Server) refuse(of *run, err error) {
	s.metrics.refused.Inc()
	if errors.Is(err, store.ErrFull) {
		s.full.Store(true)
	}
	why := err.Error()
	of.refused.Add(1)
	of.refusal.Store(&why)
	if s.trouble.Swap(&why) == nil {
		s.log.Error("cannot store a batch; it is not acknowledged", "error", err)
	}
}

// recovered notes that batches are kept again.
func (s *Server) recovered() {
	if s.trouble.Load() != nil && s.trouble.Swap(nil) != nil {
		s.log.Warn("storing batches again")
	}
}

func (s *Server) receiveFailed(l *listener, err error) {
	s.metrics.receiveErrors.Inc()
	why := err.Error()
	s.events.add(kvapi.EventReceiveFailed+":"+topic.CauseOf(err), why)
	// Listeners fail together, mostly: one line tells of all. One partition of several that cannot be
	// read fails now and then for as long as the others can.
	now := s.clock.Now()
	if l.failing.Swap(&why) == nil && s.failing.Add(1) == 1 && now-s.grumbled.Load() >= int64(time.Minute) {
		s.grumbled.Store(now)
		s.grumbling.Store(true)
		s.log.Warn("receive call failed, retrying", "cause", topic.CauseOf(err), "error", err)
	}
}

// receives notes that a receive call has succeeded.
func (s *Server) receives(l *listener) {
	if l.failing.Load() != nil && l.failing.Swap(nil) != nil && s.failing.Add(-1) == 0 && s.grumbling.Swap(false) {
		s.log.Warn("all listeners are receiving again")
	}
}

func (s *Server) ackFailed(err error) {
	s.metrics.ackErrors.Inc()
	s.log.Debug("acknowledgement failed", "error", err)
}

// keepHouse forgets what is not needed any more.
func (s *Server) keepHouse(ctx context.Context) {
	every := max(time.Second, min(time.Minute, s.cfg.KeepDeletes/4, s.cfg.KeepRuns/4))
	server.Every(ctx, every, s.tidy)
}

// fewNumbers is how many publishers the store may know without a search for those that have no
// rows any more.
const fewNumbers = 1024

// giveUp is how long a batch that is missing below others may still come: without redelivery
// no longer than any other, and else as long as its publisher is remembered.
func (s *Server) giveUp() time.Duration {
	if !s.about.AtLeastOnce {
		return s.cfg.KeepDeletes
	}
	return max(s.cfg.KeepDeletes, s.cfg.KeepRuns)
}

// tidy forgets deletions that no older row can follow any more, runs that have been silent for
// long, and the numbers of their publishers.
func (s *Server) tidy(now time.Time) {
	if s.registry.missingSince(now.Add(-s.giveUp())).IsZero() {
		s.store.ForgetDeletions(s.cfg.KeepDeletes)
	}
	s.registry.forgetSilent(now.Add(-s.cfg.KeepRuns))
	if s.store.Publishers() > s.manyNumbers {
		s.store.Forget(s.registry.knows)
		s.manyNumbers = max(fewNumbers, 2*s.store.Publishers()) // the next pass over all rows is worth it then
	}
}
