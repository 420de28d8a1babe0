package store

import (
	"context"
)

// Staging is the memory of a Writer that takes its blocks one after the other: two of them,
// one that is written and one that is made meanwhile.
type Staging struct {
	free chan []byte
	full chan []byte
}

// NewStaging makes memory for blocks of at most block bytes.
func NewStaging(block int64) *Staging {
	s := &Staging{free: make(chan []byte, 2), full: make(chan []byte, 2)}
	for range 2 {
		s.free <- make([]byte, block)
	}
	return s
}

// Reserve gives memory for the next n bytes, at most a block.
func (s *Staging) Reserve(ctx context.Context, n int) ([][]byte, error) {
	select {
	case b := <-s.free:
		s.full <- b[:n]
		return [][]byte{b[:n]}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Next gives the oldest bytes that were reserved, which the caller gives back with Done.
func (s *Staging) Next() []byte { return <-s.full }

// Done takes back what Next gave.
func (s *Staging) Done(b []byte) { s.free <- b[:cap(b)] }
