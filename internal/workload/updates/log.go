package updates

import (
	"encoding/binary"
	"iter"
)

// sequences remembers which batch had which sequence: the index of each, in order. Most follow
// closely on one another, so that a byte or two suffices for each, and a day at the reference's
// rate takes some tens of MiB. What is there is never copied.
type sequences struct {
	chunks [][]byte
	next   uint64 // sequence
	last   uint64 // index
}

// chunkSize holds a few thousand indexes; a first append to it takes no longer than others.
const chunkSize = 4 << 10

// add gives an index the next sequence.
func (s *sequences) add(index uint64) (sequence uint64) {
	n := len(s.chunks) - 1
	if n < 0 || cap(s.chunks[n])-len(s.chunks[n]) < binary.MaxVarintLen64 {
		s.chunks = append(s.chunks, make([]byte, 0, chunkSize))
		n++
	}
	s.chunks[n] = binary.AppendVarint(s.chunks[n], int64(index-s.last))
	s.last = index
	s.next++
	return s.next - 1
}

// all gives each sequence with its index.
func (s *sequences) all() iter.Seq2[uint64, uint64] {
	return func(yield func(sequence, index uint64) bool) {
		var sequence, index uint64
		for _, chunk := range s.chunks {
			for len(chunk) > 0 {
				step, n := binary.Varint(chunk)
				chunk = chunk[n:]
				index += uint64(step)
				if !yield(sequence, index) {
					return
				}
				sequence++
			}
		}
	}
}
