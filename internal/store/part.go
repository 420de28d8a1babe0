package store

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// Part is a piece of a file in memory, as long as it is on its way. It is the memory of a
// Slab, which its owner does not change before every request that sends the part has ended.
type Part struct {
	Number int // from 1
	Offset int64
	slab   *slab
	bytes  []byte

	// readers are the bodies of requests, which net/http may read from for a moment after it
	// gave the answer: when the request failed, or the server did not wait for its end.
	readers sync.WaitGroup
}

// Bytes are the part's bytes.
func (p *Part) Bytes() []byte { return p.bytes }

// Body is a reader of the part, for clients that seek and read.
func (p *Part) Body() *bytes.Reader { return bytes.NewReader(p.bytes) }

// file is the part as a file of its own, at its start, that the kernel can send from.
func (p *Part) file() (io.ReadCloser, error) {
	p.readers.Add(1)
	f, err := p.slab.open(int64(len(p.bytes)), sync.OnceFunc(p.readers.Done))
	if err != nil {
		p.readers.Done()
		return nil, err
	}
	return f, nil
}

// memory is Body as a body of a request.
func (p *Part) memory() (io.ReadCloser, error) {
	p.readers.Add(1)
	return &memoryBody{from: p.Body(), done: sync.OnceFunc(p.readers.Done)}, nil
}

// memoryBody reads no more of the memory once it is closed.
type memoryBody struct {
	mu   sync.Mutex
	from *bytes.Reader
	done func()
}

// Read copies from the part.
func (b *memoryBody) Read(to []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.from == nil {
		return 0, errClosed
	}
	return b.from.Read(to)
}

// Close waits for a Read that goes on.
func (b *memoryBody) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.from = nil
	b.done()
	return nil
}

var errClosed = errors.New("the body of the request is closed")

// Slabs is memory for parts, which is used again. It is safe for concurrent use.
type Slabs struct {
	size int64

	mu   sync.Mutex
	free []*slab
	made int
}

// NewSlabs makes a supply of memory in pieces of size bytes; none is taken yet.
func NewSlabs(size int64) *Slabs { return &Slabs{size: size} }

func (s *Slabs) take() (*slab, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		m := s.free[n-1]
		s.free = s.free[:n-1]
		return m, nil
	}
	m, err := newSlab(s.size)
	if err != nil {
		return nil, Fail(Other, "no memory for a part of %d bytes: %w", s.size, err).
			WithHint("use smaller parts, or fewer at a time")
	}
	s.made++
	return m, nil
}

func (s *Slabs) give(m *slab) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, m)
}

// Close gives the memory back to the system. All of it must have been given back before.
func (s *Slabs) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.free {
		m.close()
	}
	s.free = nil
}
