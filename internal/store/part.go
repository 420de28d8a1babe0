package store

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// Part is a piece of a file in memory, as long as it is on its way. Nobody changes its bytes
// before every request that sends them has ended.
type Part struct {
	Number int // from 1
	Offset int64
	slab   []byte // the memory that the bytes are at the beginning of
	bytes  []byte

	// readers are the bodies of requests, which net/http may read from for a moment after it
	// gave the answer: when the request failed, or the server did not wait for its end.
	readers sync.WaitGroup
}

// Bytes are the part's bytes.
func (p *Part) Bytes() []byte { return p.bytes }

// Body is a reader of the part, for clients that seek and read.
func (p *Part) Body() *bytes.Reader { return bytes.NewReader(p.bytes) }

// partBody is a part as the body of one request.
type partBody struct {
	part *Part

	mu     sync.Mutex
	at     int
	closed bool
}

func newPartBody(p *Part) *partBody {
	p.readers.Add(1)
	return &partBody{part: p}
}

// Read copies from the part, unless it is asked to read into that.
func (b *partBody) Read(to []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, errClosed
	}
	rest := b.part.bytes[b.at:]
	n := min(len(to), len(rest))
	switch {
	case len(to) == 0:
		return 0, nil
	case n == 0:
		return 0, io.EOF
	case &to[0] != &rest[0]:
		copy(to, rest)
	}
	b.at += n
	return n, nil
}

// Close ends the reading.
func (b *partBody) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.closed = true
		b.part.readers.Done()
	}
	return nil
}

// position is how much was read.
func (b *partBody) position() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.at
}

// retain keeps the memory as it is, also after Close, until it is released. It is false after
// Close.
func (b *partBody) retain() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.part.readers.Add(1)
	}
	return !b.closed
}

func (b *partBody) release() { b.part.readers.Done() }

// memory are n bytes of the part from a position on, or as many as there are.
func (b *partBody) memory(from, n int) []byte {
	return b.part.bytes[from:min(from+n, len(b.part.bytes))]
}

var errClosed = errors.New("the request body is closed")

// Slabs is memory for parts, which is used again. It is safe for concurrent use.
type Slabs struct {
	size int64

	mu   sync.Mutex
	free [][]byte
	made int
}

// NewSlabs makes a supply of memory in pieces of size bytes at most; none is taken yet.
func NewSlabs(size int64) *Slabs { return &Slabs{size: size} }

// take gives memory of length bytes at least, or of a piece if that is less: a small file has no more than it needs.
func (s *Slabs) take(length int64) ([]byte, error) {
	length = min(length, s.size)
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		m := s.free[n-1]
		s.free = s.free[:n-1]
		if int64(len(m)) >= length {
			return m, nil
		}
		freeMemory(m) // it was a smaller file's
		s.made--
	}
	m, err := newMemory(length)
	if err != nil {
		return nil, Fail(Other, "cannot allocate memory for a part of %d bytes: %w", length, err).
			WithHint("use a smaller --part-size, or fewer parts at a time")
	}
	s.made++
	return m, nil
}

func (s *Slabs) give(m []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, m)
}

// Close gives the memory back to the system. All of it must have been given back before.
func (s *Slabs) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.free {
		freeMemory(m)
	}
	s.free = nil
}
