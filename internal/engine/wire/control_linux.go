package wire

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// The layout of control messages is the C library's and the kernel's (cmsg(3), struct scm_timestamping): a length as
// long as a pointer, level and type of 32 bits each, the data, and padding to a multiple of a pointer's length.
// The data of a stamp are three times seconds and nanoseconds, as long as a pointer each; the first of the three
// is the software's.
const (
	word   = unix.SizeofPtr
	header = unix.SizeofCmsghdr
)

// stampIn finds the software's receive stamp in control messages, in nanoseconds since 1970; 0 when there is none.
func stampIn(control []byte) int64 {
	for len(control) >= header {
		length := number(control)
		if length < header || length > uint64(len(control)) {
			return 0
		}
		level := binary.NativeEndian.Uint32(control[word:])
		kind := binary.NativeEndian.Uint32(control[word+4:])
		if level == unix.SOL_SOCKET && kind == unix.SO_TIMESTAMPING {
			return nanoseconds(control[header:length])
		}
		length = (length + word - 1) / word * word
		control = control[min(length, uint64(len(control))):]
	}
	return 0
}

// nanoseconds reads a time; one that is none is 0.
func nanoseconds(b []byte) int64 {
	const farthest = 1 << 33 // seconds: the year 2242, and the product below fits
	if len(b) < 2*word {
		return 0
	}
	s, ns := number(b), number(b[word:])
	if s >= farthest || ns >= 1e9 {
		return 0
	}
	return int64(s)*1e9 + int64(ns)
}

// number reads an unsigned number as long as a pointer.
func number(b []byte) uint64 {
	if word == 4 {
		return uint64(binary.NativeEndian.Uint32(b))
	}
	return binary.NativeEndian.Uint64(b)
}
