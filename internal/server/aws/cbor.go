package aws

import (
	"encoding/binary"
	"math"
)

// The few forms of CBOR (RFC 8949) that the answers are made of. Lengths are below 64 KiB.

func cborHead(to []byte, major byte, n int) []byte {
	switch {
	case n < 24:
		return append(to, major<<5|byte(n))
	case n < 1<<8:
		return append(to, major<<5|24, byte(n))
	}
	return binary.BigEndian.AppendUint16(append(to, major<<5|25), uint16(n))
}

func cborText(to []byte, s string) []byte { return append(cborHead(to, 3, len(s)), s...) }

func cborArray(to []byte, n int) []byte { return cborHead(to, 4, n) }

func cborMap(to []byte, n int) []byte { return cborHead(to, 5, n) }

func cborFloat(to []byte, v float64) []byte {
	return binary.BigEndian.AppendUint64(append(to, 7<<5|27), math.Float64bits(v))
}

// cborTime is a tagged number of seconds.
func cborTime(to []byte, seconds float64) []byte { return cborFloat(cborHead(to, 6, 1), seconds) }
