package web

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/store"
)

const (
	defaultQueue   = 4
	defaultRetries = 3
	// defaultTimeout is long enough for a block over a slow line.
	defaultTimeout = 5 * time.Minute
	firstPause     = 100 * time.Millisecond // before a retry
	longestPause   = 5 * time.Second
)

// webStore is an HTTP server.
type webStore struct {
	base     url.URL // without a path and without a user
	login    login
	block    int64
	queue    int // blocks of a streamed file that wait or are being sent
	retries  int
	pause    time.Duration
	timeout  time.Duration
	requests *store.Requests
	slabs    *store.Slabs
	client   *http.Client
	streams  *http.Client // of requests that a stopwatch ends, not the client's timeout

	mu   sync.Mutex
	free [][]byte // blocks to use again
}

// Open opens the store of http: and https: URLs.
func Open(ctx context.Context, c store.Config) (store.Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.URL.Host == "" {
		return nil, store.Fail(store.Other, "%s:%s: the URL has no host", c.URL.Scheme, c.URL.Path).
			WithHint("write %s://HOST/PATH", c.URL.Scheme)
	}
	l, err := findLogin(c.URL, systemEnvironment())
	if err != nil {
		return nil, err
	}
	s := &webStore{
		base:  url.URL{Scheme: c.URL.Scheme, Host: c.URL.Host, RawQuery: c.URL.RawQuery},
		login: l, block: c.Block, queue: c.ActiveParts, retries: c.Retries, pause: firstPause,
		timeout: c.Timeout, requests: c.Requests, slabs: store.NewSlabs(c.Block),
	}
	if s.queue < 1 {
		s.queue = defaultQueue
	}
	if s.retries < 0 {
		s.retries = defaultRetries
	}
	if s.timeout <= 0 {
		s.timeout = defaultTimeout
	}
	c.Timeout = s.timeout
	s.client = store.NewClient(&c)
	c.Timeout = 0
	s.streams = store.NewClient(&c)
	s.client.CheckRedirect, s.streams.CheckRedirect = followable, followable
	return s, nil
}

// Describe tells what is in use.
func (s *webStore) Describe() store.Description {
	d := store.Description{
		Client: "net/http", ActiveParts: s.queue, Integrity: "length only",
		Notes: []string{
			"A file is uploaded in a single PUT: a write returns when its block is in the send queue, and close waits for " +
				"the server's response. A file of one block is sent entirely by close.",
			"Renaming uses WebDAV MOVE.",
		},
	}
	if s.base.Scheme == "https" {
		d.Integrity = "TLS in transit"
	}
	if s.login.source != "" {
		d.Notes = append(d.Notes, "The server receives "+s.login.source+".")
	}
	return d
}

// Close ends the connections.
func (s *webStore) Close() error {
	s.client.CloseIdleConnections()
	s.streams.CloseIdleConnections()
	s.slabs.Close()
	return nil
}

// memory gives a block.
func (s *webStore) memory() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		b := s.free[n-1]
		s.free = s.free[:n-1]
		return b
	}
	return make([]byte, s.block)
}

// giveBack takes blocks that nobody uses any more.
func (s *webStore) giveBack(blocks [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range blocks {
		s.free = append(s.free, b[:cap(b)])
	}
}
