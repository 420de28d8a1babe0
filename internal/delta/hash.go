package delta

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// HashSeed is the seed of Hash: the bytes of "Plimsoll" as a little-endian number.
const HashSeed uint64 = 0x6c6c6f736d696c50

// Hash is XXH64 with HashSeed over the length of the key and that of the value (4 bytes each,
// little endian), the commit time (8), the value's type (1), the key and the value. Who
// publishes a row and in which batch is not in it: two runs that lead to the same rows have
// the same hashes.
//
// The digest of a state is the sum of the hashes of its live rows modulo 2^64, so it does not
// depend on their order. A key that was deleted has no part in it.
func Hash(r *Row) uint64 {
	var b [256]byte // most rows fit: one call is twice as fast as three
	le := binary.LittleEndian
	le.PutUint32(b[0:], uint32(len(r.Key)))
	le.PutUint32(b[4:], uint32(len(r.Value)))
	le.PutUint64(b[8:], uint64(r.Commit))
	b[16] = byte(r.Type)
	n := 17
	var d xxhash.Digest
	d.ResetWithSeed(HashSeed)
	if n+len(r.Key)+len(r.Value) <= len(b) {
		n += copy(b[n:], r.Key)
		n += copy(b[n:], r.Value)
		_, _ = d.Write(b[:n])
		return d.Sum64()
	}
	_, _ = d.Write(b[:n])
	_, _ = d.Write(r.Key)
	_, _ = d.Write(r.Value)
	return d.Sum64()
}
