package plan

import (
	"crypto/rand"
	"encoding/binary"
)

// RandomSeed is a seed that a person can copy from a report without error.
func RandomSeed() uint64 {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return uint64(binary.BigEndian.Uint32(b[:]))
}
