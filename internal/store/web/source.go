package web

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/store"
)

// source is the blocks of a file that is being sent, between the goroutines that make, write
// and send them.
type source struct {
	size   int64
	active int // blocks that may wait or be on their way
	limit  int // blocks in memory
	supply func() []byte
	watch  *stopwatch

	mu       sync.Mutex
	changed  chan struct{} // closed, and replaced, at each change
	made     int
	reserved [][]byte // not written yet
	blocks   [][]byte // written, from block number lost on
	lost     int      // blocks whose memory was used again
	next     int      // the block of blocks that is sent
	at       int      // the byte of it
	sent     int64    // bytes of the body that is current
	body     int      // number of the body that is current
	ended    error    // nothing is taken any more
}

var (
	errGone   = errors.New("the request has ended")
	errShort  = errors.New("more bytes were reserved or written than the file has")
	errMemory = store.Fail(redirected, "the request must be sent again, but its beginning is no longer in memory").
			WithHint("use the URL that the server redirects to")
)

func newSource(size int64, active int, supply func() []byte, watch *stopwatch) *source {
	// One block beside the active ones is made, and one waits to be taken.
	return &source{size: size, active: active, limit: active + 2, supply: supply, watch: watch,
		changed: make(chan struct{})}
}

// wake tells the others of a change. The lock is held.
func (s *source) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// reserve gives memory for n bytes. It takes that of blocks that were sent when there is no
// other; then they cannot be sent again.
func (s *source) reserve(ctx context.Context, n int) ([]byte, error) {
	for {
		s.mu.Lock()
		if err := s.ended; err != nil {
			s.mu.Unlock()
			return nil, err
		}
		var b []byte
		switch {
		case s.made < s.limit:
			s.made++
			b = s.supply()
		case s.next > 0:
			b = s.blocks[0]
			s.blocks = s.blocks[1:]
			s.lost++
			s.next--
		}
		if b != nil {
			b = b[:cap(b)]
			if n > len(b) {
				s.mu.Unlock()
				return nil, errShort
			}
			s.reserved = append(s.reserved, b[:n])
			s.mu.Unlock()
			return b[:n], nil
		}
		changed := s.changed
		s.mu.Unlock()
		if err := wait(ctx, changed); err != nil {
			return nil, err
		}
	}
}

// write hands the oldest reserved block over, when there is a place in the queue.
func (s *source) write(ctx context.Context, n int) error {
	for {
		s.mu.Lock()
		if err := s.ended; err != nil {
			s.mu.Unlock()
			return err
		}
		if len(s.reserved) == 0 || len(s.reserved[0]) != n {
			s.mu.Unlock()
			return errShort
		}
		if len(s.blocks)-s.next < s.active {
			s.blocks = append(s.blocks, s.reserved[0])
			s.reserved = s.reserved[1:]
			s.wake()
			s.mu.Unlock()
			return nil
		}
		changed := s.changed
		s.mu.Unlock()
		if err := wait(ctx, changed); err != nil {
			return err
		}
	}
}

func wait(ctx context.Context, changed <-chan struct{}) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// open gives a body that begins with the first byte of the file; that before it ends.
func (s *source) open() (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost > 0 {
		return nil, errMemory
	}
	s.body++
	s.next, s.at, s.sent = 0, 0, 0
	s.wake()
	return &sourceBody{s, s.body}, nil
}

// whole reports whether all of what was written is in memory.
func (s *source) whole() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost == 0
}

// complete reports whether all of the file was sent.
func (s *source) complete() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent == s.size
}

// close lets nobody wait any longer, and gives the memory that it took, which no body reads from.
func (s *source) close(err error) [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil {
		s.ended = err
	}
	s.body++
	s.wake()
	all := s.blocks
	s.blocks, s.next, s.made = nil, 0, s.limit
	return all
}

// read copies what is next into p, and waits until there is something.
func (s *source) read(body int, p []byte) (int, error) {
	for {
		s.mu.Lock()
		switch {
		case body != s.body:
			s.mu.Unlock()
			return 0, errGone
		case s.sent == s.size:
			s.mu.Unlock()
			s.watch.run() // the answer is due
			return 0, io.EOF
		case s.next < len(s.blocks):
			n := copy(p, s.blocks[s.next][s.at:])
			s.at += n
			s.sent += int64(n)
			if s.at == len(s.blocks[s.next]) {
				s.next, s.at = s.next+1, 0
				s.wake()
			}
			s.mu.Unlock()
			s.watch.run()
			return n, nil
		}
		changed := s.changed
		s.mu.Unlock()
		s.watch.stop() // the server waits for us
		<-changed
	}
}

// sourceBody is one body of a request.
type sourceBody struct {
	s      *source
	number int
}

// Read reads what is next.
func (b *sourceBody) Read(p []byte) (int, error) { return b.s.read(b.number, p) }

// Close ends the body, also while it is read.
func (b *sourceBody) Close() error {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	if b.number == b.s.body {
		b.s.body++
		b.s.wake()
	}
	return nil
}

// stopwatch ends a request when its server has not taken or said anything for too long.
type stopwatch struct {
	turns store.Turns

	mu    sync.Mutex
	timer *time.Timer
	limit time.Duration
	over  bool
}

func newStopwatch(limit time.Duration, late func()) *stopwatch {
	return &stopwatch{timer: time.AfterFunc(limit, late), limit: limit}
}

// run begins anew: it is the server's turn.
func (w *stopwatch) run() {
	w.turns.Theirs()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.over {
		w.timer.Reset(w.limit)
	}
}

// stop waits for the next run.
func (w *stopwatch) stop() {
	w.turns.Ours()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
}

// end stops for good.
func (w *stopwatch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	w.timer.Stop()
}
