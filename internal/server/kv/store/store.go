package store

import (
	"fmt"
	"hash/maphash"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// shardBits chooses the number of shards: enough that two goroutines rarely meet in one, and
// few enough that the beginnings of their slabs take little memory.
const shardBits = 10

// Least is what a store must be allowed to take to work: a page of rows and one of the index for each shard. With
// less some keys find room and others never do.
const Least = 2 * pageSize << shardBits

// Store is the memory of a key/value server.
type Store struct {
	pool   pool
	seed   maphash.Seed // random: nobody can choose keys that meet in one bucket
	shards [1 << shardBits]shard
	origin time.Time // of the tombstones' stamps

	mu         sync.RWMutex
	publishers []delta.Publisher // by number; number 0 is the zero publisher
	numbers    map[delta.Publisher]uint32
	free       []uint32 // numbers whose publisher was forgotten
}

// New makes an empty store that takes at most limit bytes of memory for its rows and their
// index; 0 for no limit.
func New(limit int64) *Store {
	s := &Store{seed: maphash.MakeSeed(), origin: time.Now(), numbers: make(map[delta.Publisher]uint32)}
	s.pool.limit = limit
	for i := range s.shards {
		sh := &s.shards[i]
		sh.pool, sh.seed, sh.index, sh.tail = &s.pool, s.seed, newIndex(), noSlab
	}
	s.Number(delta.Publisher{})
	return s
}

// Close gives the memory back. Nothing may use the store any more.
func (s *Store) Close() { s.pool.close() }

// Memory is the number of bytes that rows and their index take.
func (s *Store) Memory() int64 { return s.pool.inUse() }

// parts are the number of a shard and the hash within it.
func parts(hash uint64) (shard, within uint32) {
	return uint32(hash >> (64 - shardBits)), uint32(hash)
}

func (s *Store) shard(key []byte) (*shard, uint32) {
	number, hash := parts(maphash.Bytes(s.seed, key))
	return &s.shards[number], hash
}

// Batch is where rows come from. Publisher is what Number gave, and First the number of the
// first row, for one that is applied in parts.
type Batch struct {
	Publisher uint32
	Sequence  uint64
	First     uint32
}

// Applied counts what became of rows.
type Applied struct {
	Applied int64 // the row is the last one for its key now, or was already
	Stale   int64 // the key had a later row
}

// Check says which of the rows the store cannot take, ever.
func Check(rows []delta.Row) error {
	for i := range rows {
		if key, value := len(rows[i].Key), len(rows[i].Value); key > MaxKey || value > MaxValue {
			return fmt.Errorf("row %d: the key has %d bytes and the value %d; the limits are %d and %d", i+1, key,
				value, MaxKey, MaxValue)
		}
	}
	return nil
}

// Apply applies the rows of a batch, which passed Check. To apply a batch again changes nothing.
// After an error, which is ErrFull, those that are counted are applied.
func (s *Store) Apply(b Batch, rows []delta.Row) (Applied, error) {
	var a Applied
	stamp := s.stamp()
	n := incoming{sequence: b.Sequence, publisher: b.Publisher}
	for i := range rows {
		r := &rows[i]
		n.key, n.value, n.commit, n.row, n.flags = r.Key, r.Value, r.Commit, b.First+uint32(i), 0
		switch {
		case r.Kind == delta.Delete:
			n.value, n.flags = stamp[:], flagTombstone
		case r.Type == delta.Set:
			n.flags = flagSet
		}
		done, err := s.write(&n)
		if err != nil {
			return a, err
		}
		if done {
			a.Applied++
		} else {
			a.Stale++
		}
	}
	return a, nil
}

// write makes n the row of its key unless there is a later one.
func (s *Store) write(n *incoming) (bool, error) {
	sh, hash := s.shard(n.key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	b, at, place := sh.lookup(hash, n.key)
	if place == 0 {
		return true, sh.put(hash, n)
	}
	if s.later(sh.entry(place), n) {
		return false, nil
	}
	return true, sh.replace(b, at, place, hash, n)
}

// later says whether the row that is there comes after n in the order.
func (s *Store) later(e entry, n *incoming) bool {
	if c := e.commit(); c != n.commit {
		return c > n.commit
	}
	was := delta.Order{Sequence: e.sequence(), Row: e.row()}
	is := delta.Order{Sequence: n.sequence, Row: n.row}
	if p := e.publisher(); p != n.publisher {
		s.mu.RLock()
		was.Publisher, is.Publisher = s.publishers[p], s.publishers[n.publisher]
		s.mu.RUnlock()
	}
	return was.Compare(is) > 0
}

// stamp is the time of a deletion, as a tombstone holds it.
func (s *Store) stamp() [stampSize]byte {
	var b [stampSize]byte
	le.PutUint32(b[:], uint32(time.Since(s.origin)/time.Second))
	return b
}

// Get appends the value of a key to dst, if it has one.
func (s *Store) Get(dst, key []byte) (value []byte, kind delta.ValueType, ok bool) {
	sh, hash := s.shard(key)
	sh.mu.RLock()
	defer sh.mu.RUnlock()
	_, _, place := sh.lookup(hash, key)
	if place == 0 {
		return dst, 0, false
	}
	e := sh.entry(place)
	if e.is(flagTombstone) {
		return dst, 0, false
	}
	return append(dst, e.value()...), e.valueType(), true
}

// Size counts keys: those with a value, and those that are deleted and remembered.
func (s *Store) Size() (live, tombstones int64) {
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.RLock()
		live += sh.live
		tombstones += sh.tombstones
		sh.mu.RUnlock()
	}
	return live, tombstones
}
