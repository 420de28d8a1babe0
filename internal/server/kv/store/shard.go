package store

import (
	"bytes"
	"hash/maphash"
	"sync"
)

// shard holds the rows of some of the keys.
type shard struct {
	pool *pool
	seed maphash.Seed

	mu    sync.RWMutex
	index index
	slabs []slab
	spare []uint32 // numbers of slabs that were given back
	tail  uint32   // number of the slab that rows are appended to, or noSlab

	live, tombstones int64
}

// slab is memory in which rows lie one behind the other.
type slab struct {
	memory []byte
	used   int
	dead   int // bytes of rows that are dead
}

const (
	// A place is 1 + the number of the slab << placeBits + the offset in it ÷ align.
	placeBits = 11
	maxSlabs  = 1<<(32-placeBits) - 1
	noSlab    = 1<<32 - 1

	// A row that takes more has a slab of its own, so that the rests of slabs stay small.
	largeRow = pageSize / 4
)

func (s *shard) hash(key []byte) uint64 { return maphash.Bytes(s.seed, key) }

func place(slab uint32, offset int) uint32 {
	return 1 + slab<<placeBits + uint32(offset/align)
}

func (s *shard) slabAt(place uint32) (*slab, int) {
	place--
	return &s.slabs[place>>placeBits], int(place&(1<<placeBits-1)) * align
}

func (s *shard) entry(place uint32) entry {
	b, offset := s.slabAt(place)
	return entry(b.memory[offset:])
}

// lookup finds the slot of a key, and its place, which is 0 where there is none.
func (s *shard) lookup(hash uint32, key []byte) (b *bucket, at, place uint32) {
	b = s.index.bucket(hash)
	at = b.start(hash)
	for {
		found := b.slots[at]
		if found == 0 {
			return nil, 0, 0
		}
		if uint32(found>>32) == hash && bytes.Equal(s.entry(uint32(found)).key(), key) {
			return b, at, uint32(found)
		}
		at = b.after(at)
	}
}

// put writes a row for a key that has none.
func (s *shard) put(hash uint32, n *incoming) error {
	if err := s.index.reserve(hash, s.pool); err != nil {
		return err
	}
	at, err := s.room(n.size())
	if err != nil {
		return err
	}
	n.write(s.entry(at))
	s.index.bucket(hash).insert(hash, at)
	s.count(n.flags, 1)
	return nil
}

// replace writes a row over the one at the place, which the slot refers to.
func (s *shard) replace(b *bucket, slotAt, old, hash uint32, n *incoming) error {
	e := s.entry(old)
	before := e.flags()
	if size := n.size(); size == e.size() {
		n.write(e)
	} else {
		at, err := s.room(size)
		if err != nil {
			return err
		}
		n.write(s.entry(at))
		old = uint32(b.slots[slotAt]) // it may have been moved to make room
		b.slots[slotAt] = slot(hash, at)
		s.bury(old)
	}
	s.count(before, -1)
	s.count(n.flags, 1)
	return nil
}

func (s *shard) count(flags byte, n int64) {
	if flags&flagTombstone != 0 {
		s.tombstones += n
		return
	}
	s.live += n
}

// room finds a place for a row of this size.
func (s *shard) room(size int) (uint32, error) {
	if size > largeRow {
		memory, err := s.pool.large(size)
		if err != nil {
			return 0, err
		}
		number, err := s.add(memory)
		if err != nil {
			s.pool.giveBackLarge(size)
			return 0, err
		}
		s.slabs[number].used = size
		return place(number, 0), nil
	}
	if s.tail == noSlab || s.slabs[s.tail].used+size > len(s.slabs[s.tail].memory) {
		if err := s.turn(); err != nil {
			return 0, err
		}
	}
	t := &s.slabs[s.tail]
	at := place(s.tail, t.used)
	t.used += size
	return at, nil
}

// turn begins a new slab to append to.
func (s *shard) turn() error {
	number, err := s.addPage()
	if err != nil {
		return err
	}
	before := s.tail
	s.tail = number
	if before != noSlab {
		s.tidy(before)
	}
	return nil
}

// addPage takes a page of the pool in as a slab.
func (s *shard) addPage() (uint32, error) {
	memory, err := s.pool.page()
	if err != nil {
		return 0, err
	}
	number, err := s.add(memory)
	if err != nil {
		s.pool.giveBack(memory)
	}
	return number, err
}

// add takes memory in as a slab.
func (s *shard) add(memory []byte) (uint32, error) {
	if n := len(s.spare); n > 0 {
		number := s.spare[n-1]
		s.spare = s.spare[:n-1]
		s.slabs[number] = slab{memory: memory}
		return number, nil
	}
	if len(s.slabs) >= maxSlabs {
		return 0, ErrFull
	}
	s.slabs = append(s.slabs, slab{memory: memory})
	return uint32(len(s.slabs) - 1), nil
}

// bury marks the row at a place as dead, and tidies its slab.
func (s *shard) bury(at uint32) {
	b, offset := s.slabAt(at)
	e := entry(b.memory[offset:])
	e.kill()
	b.dead += e.size()
	if number := (at - 1) >> placeBits; number != s.tail {
		s.tidy(number)
	}
}

// tidy empties a slab of which half or more is dead. It is not the tail, and none that was given back.
func (s *shard) tidy(number uint32) {
	b := &s.slabs[number]
	if b.dead*2 < len(b.memory) {
		return
	}
	tail := s.tail
	for offset := 0; offset < b.used; {
		e := entry(b.memory[offset:])
		size := e.size()
		if !e.is(flagDead) {
			if !s.move(number, offset, e[:size]) {
				return // no memory: what was moved is dead here, and the rest stays
			}
			b = &s.slabs[number] // which may have moved, with others
		}
		offset += size
	}
	s.discard(number)
	if s.tail != tail {
		s.tidy(tail) // it is no tail any more
	}
}

// move copies a row to the tail.
func (s *shard) move(number uint32, offset int, e entry) bool {
	t := &s.slabs[s.tail]
	if t.used+len(e) > len(t.memory) {
		// The old tail may be half dead; it is tidied after the slab that is being emptied.
		next, err := s.addPage()
		if err != nil {
			return false
		}
		s.tail = next
		t = &s.slabs[next]
	}
	to := place(s.tail, t.used)
	copy(t.memory[t.used:], e)
	t.used += len(e)
	_, hash := parts(s.hash(e.key()))
	b := s.index.bucket(hash)
	b.slots[b.find(hash, place(number, offset))] = slot(hash, to)
	e.kill()
	s.slabs[number].dead += len(e)
	return true
}

// discard gives back a slab in which nothing lives.
func (s *shard) discard(number uint32) {
	b := &s.slabs[number]
	if len(b.memory) == pageSize {
		s.pool.giveBack(b.memory)
	} else {
		s.pool.giveBackLarge(len(b.memory))
	}
	*b = slab{}
	s.spare = append(s.spare, number)
}
