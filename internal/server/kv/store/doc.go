// Package store holds the rows of a key/value server in memory: the last writer of each key, by
// the order of package delta, wins, whatever the order in which rows come in.
//
// It stands below target/kv and knows nothing of messages. A Store is safe for concurrent use.
//
// # How it is laid out
//
// A key's hash chooses one of 1024 shards, each behind a lock of its own. A shard has an index,
// and slabs of 16 KiB in which its rows lie one behind the other: 32 bytes of order, lengths
// and flags, the key and the value, rounded up to 8. The index is a hash table of 8 bytes a
// slot, 32 bits of hash and 32 bits of place, in buckets of 2048 slots that are split one at a
// time when they are full (extendible hashing). So nothing ever takes longer than to split
// one bucket, or to move what is left of one slab, however many keys there are.
//
// All of it but small tables is outside of Go's heap, in pages that hold no pointers: the
// garbage collector has nothing to scan, and does not wait with its next turn until the heap
// has doubled.
//
// A value that replaces another of the same rounded size is written over it. One of another
// size is appended, and the old one's place is counted as dead; a slab of which half is dead
// is emptied, by moving the rest, and used again. So dead places are never more than half.
//
// The other way that was measured is a map of Go, in shards: see the benchmarks, and
// docs/kv.md for their figures.
package store
