package sftp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/flow"
)

const (
	defaultActive  = 2
	defaultRetries = 3               // of a read whose connection was lost
	defaultTimeout = 5 * time.Minute // for a block over a slow line
	connectTimeout = 15 * time.Second
	firstPause     = 200 * time.Millisecond // before a file is opened again
	longestPause   = 5 * time.Second
)

// sftpStore is a server.
type sftpStore struct {
	target   target
	login    login
	keys     hostKeys
	block    int64
	active   int // blocks on their way, of each file
	timeout  time.Duration
	silence  time.Duration // of a connection that an answer is waited for on; 0: any
	patience time.Duration // until there is a connection
	cipher   string        // of the first connection
	retries  int
	pause    time.Duration
	requests *store.Requests
	flow     *flow.Counter

	mu     sync.Mutex
	idle   []*connection
	closed bool
}

// Open opens the store of sftp: URLs. It makes the first connection.
func Open(ctx context.Context, c store.Config) (store.Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.URL.Hostname() == "" {
		return nil, store.Fail(store.Other, "sftp:%s: the URL has no host", c.URL.Path).
			WithHint("write sftp://HOST/PATH")
	}
	home := systemHome()
	t, l, err := home.resolve(c.URL)
	if err != nil {
		return nil, err
	}
	s := &sftpStore{
		target: t, login: l, keys: home.hostKeys(), block: c.Block, active: c.ActiveParts, timeout: c.Timeout,
		silence: c.Silence,
		retries: c.Retries, pause: firstPause, requests: c.Requests, flow: c.Flow,
	}
	if s.flow == nil {
		s.flow = &flow.Counter{} // silence is what it does not count
	}
	if s.retries < 0 {
		s.retries = defaultRetries
	}
	if s.active < 1 {
		s.active = defaultActive
	}
	if s.timeout <= 0 {
		s.timeout = defaultTimeout
	}
	s.patience = min(connectTimeout, s.timeout)
	conn, err := s.take(ctx)
	if err != nil {
		return nil, err
	}
	s.cipher = conn.cipher
	s.give(conn)
	return s, nil
}

// Describe tells what is in use.
func (s *sftpStore) Describe() store.Description {
	return store.Description{
		Client: "github.com/pkg/sftp", ActiveParts: s.active,
		Integrity: "SSH in transit (" + s.cipher + ")",
		Notes: []string{
			fmt.Sprintf("A write returns when its block is one of at most %d in flight. Close waits until the server has "+
				"acknowledged all blocks, which it does when its kernel has them.", s.active),
			"SSH allows about 2 MiB in flight per connection, so at most 2 MiB per round trip; each of the --streams has " +
				"its own connection.",
			"A read continues on a new connection if its own is lost; nothing else is retried.",
		},
	}
}

// take gives a connection that nobody else uses until it is given back.
func (s *sftpStore) take(ctx context.Context) (*connection, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for {
		s.mu.Lock()
		n := len(s.idle)
		if n == 0 {
			s.mu.Unlock()
			return s.dial(ctx)
		}
		c := s.idle[n-1]
		s.idle = s.idle[:n-1]
		s.mu.Unlock()
		if c.alive() {
			return c, nil
		}
		c.close()
	}
}

// give takes a connection back.
func (s *sftpStore) give(c *connection) {
	s.mu.Lock()
	if c.alive() && !s.closed {
		s.idle = append(s.idle, c)
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()
	c.close()
}

// withConnection calls do with a connection.
func (s *sftpStore) withConnection(ctx context.Context, doing, path string, do func(*connection) error) error {
	c, err := s.take(ctx)
	if err != nil {
		return err
	}
	defer s.give(c)
	return s.call(ctx, c, doing, path, func() error { return do(c) })
}

// call makes a call of the library, which knows no contexts: when it takes too long, or the
// context ends, its connection is closed.
func (s *sftpStore) call(ctx context.Context, c *connection, doing, path string, do func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	limited, cancel := context.WithTimeoutCause(ctx, s.timeout, errLate)
	defer cancel()
	limited, silent := context.WithCancelCause(limited)
	defer silent(nil)
	if s.silence > 0 {
		watch := store.NewSilence(s.silence, func() { silent(errSilent) })
		watch.Connected(c.net)
		defer watch.Stop()
	}
	stop := context.AfterFunc(limited, c.kill)
	err := do()
	if !stop() { // it was, or is about to be, closed
		c.kill()
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(context.Cause(limited), errLate):
		return store.Fail(store.Timeout, "%s %s: no response within %s", doing, s.show(path), s.timeout).
			WithHint("raise --timeout")
	case errors.Is(context.Cause(limited), errSilent):
		late := store.Silent(s.silence)
		return store.Fail(store.Timeout, "%s %s: %w", doing, s.show(path), late).WithHint("%s", store.LimitHint(late))
	}
	known := s.explain(c, doing, path, err)
	if known.Cause == store.Reset {
		c.kill() // so that nobody tries it again
	}
	return known
}

var (
	errLate   = errors.New("too late")
	errSilent = errors.New("silent")
)

// show is the URL of a path, without the user and the password.
func (s *sftpStore) show(path string) string { return "sftp://" + s.target.name + path }

// Close ends the connections.
func (s *sftpStore) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, c := range s.idle {
		c.close()
	}
	s.idle = nil
	return nil
}
