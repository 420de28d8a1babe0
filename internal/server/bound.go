package server

import "sync/atomic"

// Bound lets so many in at a time.
type Bound struct {
	limit  int64 // 0: none
	inside atomic.Int64
}

// NewBound makes a bound; a limit of 0 lets everybody in.
func NewBound(limit int) *Bound { return &Bound{limit: int64(limit)} }

// Enter takes a place, or says that there is none. Who got one gives it back by Leave.
func (b *Bound) Enter() bool {
	if n := b.inside.Add(1); b.limit > 0 && n > b.limit {
		b.inside.Add(-1)
		return false
	}
	return true
}

// Leave gives a place back.
func (b *Bound) Leave() { b.inside.Add(-1) }

// Inside is how many are inside.
func (b *Bound) Inside() int64 { return b.inside.Load() }
