package store

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// each calls f for every row of the shard that counts, tombstones included, while no row can be
// written.
func (s *shard) each(f func(entry)) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for i := range s.slabs {
		b := &s.slabs[i]
		for offset := 0; offset < b.used; {
			e := entry(b.memory[offset:])
			if !e.is(flagDead) {
				f(e)
			}
			offset += e.size()
		}
	}
}

// State sums up rows.
type State struct {
	Live       int64
	Tombstones int64
	Digest     uint64 // sum of delta.Hash over the live rows, modulo 2^64
}

// State sums up the rows that publishers of one run wrote. It is a state that was there at one
// moment if nothing is written meanwhile; each shard's part of it always is.
func (s *Store) State(run uint64) State {
	s.mu.RLock()
	of := make([]bool, len(s.publishers))
	for i, p := range s.publishers {
		of[i] = p.Run == run
	}
	s.mu.RUnlock()
	var sum State
	var r delta.Row
	for i := range s.shards {
		s.shards[i].each(func(e entry) {
			switch n := int(e.publisher()); {
			case n >= len(of) || !of[n]:
			case e.is(flagTombstone):
				sum.Tombstones++
			default:
				sum.Live++
				r = delta.Row{Key: e.key(), Value: e.value(), Commit: e.commit(), Type: e.valueType()}
				sum.Digest += delta.Hash(&r)
			}
		})
	}
	return sum
}

// ForgetDeletions drops the tombstones that are older than age, and says how many. Only the
// caller knows that no older row for their keys can come any more.
func (s *Store) ForgetDeletions(age time.Duration) (dropped int64) {
	limit := int64((time.Since(s.origin) - age) / time.Second)
	if limit < 0 {
		return 0
	}
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.RLock()
		none, slabs := sh.tombstones == 0, len(sh.slabs)
		sh.mu.RUnlock()
		for n := 0; n < slabs && !none; n++ {
			dropped += sh.forgetIn(uint32(n), limit)
		}
	}
	return dropped
}

// forgetIn drops the tombstones of one slab. The lock is held for no longer: a slab of a few
// hundred rows is done in microseconds.
func (s *shard) forgetIn(number uint32, limit int64) (dropped int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := &s.slabs[number]
	for offset := 0; offset < b.used; {
		e := entry(b.memory[offset:])
		if !e.is(flagDead) && e.is(flagTombstone) && int64(le.Uint32(e.value())) < limit {
			_, hash := parts(s.hash(e.key()))
			s.index.bucket(hash).drop(hash, place(number, offset))
			e.kill()
			b.dead += e.size()
			dropped++
		}
		offset += e.size()
	}
	s.tombstones -= dropped
	if number != s.tail && dropped > 0 {
		s.tidy(number)
	}
	return dropped
}
