package throughput

import "time"

// A Stamp is a moment of an attempt, by the monotonic clock, as the offset from the
// attempt's start. The zero Stamp has never happened.
type Stamp int64 // the offset in nanoseconds plus one

// At returns the stamp of a moment. An offset below zero counts as zero.
func At(offset time.Duration) Stamp { return Stamp(max(offset, 0) + 1) }

// Offset returns the time from the start of the attempt to the moment, and whether the
// moment has come at all.
func (s Stamp) Offset() (time.Duration, bool) {
	if s <= 0 {
		return 0, false
	}
	return time.Duration(s - 1), true
}

// Happened reports whether the moment has come.
func (s Stamp) Happened() bool { return s > 0 }

// since returns the time from an earlier moment to this one. It is absent if either is, or
// if their order is reversed.
func (s Stamp) since(earlier Stamp) (time.Duration, bool) {
	if !s.Happened() || !earlier.Happened() || s < earlier {
		return 0, false
	}
	return time.Duration(s - earlier), true
}

// A Size is a number of bytes that is not always known. The zero Size is unknown.
type Size int64 // the bytes plus one

// SizeOf returns a known size.
func SizeOf(bytes int64) Size { return Size(max(bytes, 0) + 1) }

// Bytes returns the number of bytes, and whether it is known.
func (s Size) Bytes() (int64, bool) {
	if s <= 0 {
		return 0, false
	}
	return int64(s - 1), true
}
