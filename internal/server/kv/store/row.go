package store

import (
	"encoding/binary"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// A row in a slab is a header, the key, the value, and padding to a multiple of 8. Little
// endian: commit time (8 bytes), sequence (8), publisher's number in the registry (4), row in
// the batch (4), length of the value (4), length of the key (2), flags (1), nothing (1).
const (
	atCommit    = 0
	atSequence  = 8
	atPublisher = 16
	atRow       = 20
	atValueLen  = 24
	atKeyLen    = 28
	atFlags     = 30
	headerSize  = 32

	align = 8
)

// The flags of a row.
const (
	flagSet       = 1 << iota // the value is a set
	flagTombstone             // the key is deleted; the value is when, 4 bytes
	flagDead                  // another row has replaced it, and nothing refers to it
)

// MaxKey and MaxValue are the longest key and value that are taken, in bytes.
const (
	MaxKey   = 1<<16 - 1
	MaxValue = 1<<30 - 1
)

// stampSize is the length of a tombstone's value: seconds on the store's clock.
const stampSize = 4

var le = binary.LittleEndian

// entry is a row in its place, from its header to the end of its padding or beyond.
type entry []byte

func (e entry) commit() int64     { return int64(le.Uint64(e[atCommit:])) }
func (e entry) sequence() uint64  { return le.Uint64(e[atSequence:]) }
func (e entry) publisher() uint32 { return le.Uint32(e[atPublisher:]) }
func (e entry) row() uint32       { return le.Uint32(e[atRow:]) }
func (e entry) valueLen() int     { return int(le.Uint32(e[atValueLen:])) }
func (e entry) keyLen() int       { return int(le.Uint16(e[atKeyLen:])) }
func (e entry) flags() byte       { return e[atFlags] }
func (e entry) is(flag byte) bool { return e[atFlags]&flag != 0 }
func (e entry) kill()             { e[atFlags] |= flagDead }

func (e entry) key() []byte {
	return e[headerSize : headerSize+e.keyLen()]
}

func (e entry) value() []byte {
	at := headerSize + e.keyLen()
	return e[at : at+e.valueLen()]
}

// size is the room that the row takes.
func (e entry) size() int { return room(e.keyLen(), e.valueLen()) }

func room(key, value int) int {
	return (headerSize + key + value + align - 1) &^ (align - 1)
}

func (e entry) valueType() delta.ValueType {
	if e.is(flagSet) {
		return delta.Set
	}
	return delta.String
}

// incoming is a row that is to be written.
type incoming struct {
	key, value []byte
	commit     int64
	sequence   uint64
	publisher  uint32
	row        uint32
	flags      byte
}

func (n *incoming) size() int { return room(len(n.key), len(n.value)) }

func (n *incoming) write(e entry) {
	le.PutUint64(e[atCommit:], uint64(n.commit))
	le.PutUint64(e[atSequence:], n.sequence)
	le.PutUint32(e[atPublisher:], n.publisher)
	le.PutUint32(e[atRow:], n.row)
	le.PutUint32(e[atValueLen:], uint32(len(n.value)))
	le.PutUint16(e[atKeyLen:], uint16(len(n.key)))
	e[atFlags] = n.flags
	e[atFlags+1] = 0
	copy(e[headerSize+copy(e[headerSize:], n.key):], n.value)
}
