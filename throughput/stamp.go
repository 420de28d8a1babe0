package throughput

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"time"
)

// A Stamp is a moment of an attempt, by the monotonic clock, as the offset from the
// attempt's start. The zero Stamp has never happened.
//
// It prints as the offset ("1.5ms") or as "never". JSON has the offset in nanoseconds, or null;
// text has the nanoseconds, or nothing; slog a duration, or nil. All of these can be read back.
type Stamp int64 // the offset in nanoseconds plus one

// At returns the stamp of a moment. An offset below zero counts as zero.
func At(offset time.Duration) Stamp { return Stamp(min(max(offset, 0), math.MaxInt64-1) + 1) }

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

func (s Stamp) String() string {
	if offset, ok := s.Offset(); ok {
		return offset.String()
	}
	return "never"
}

// LogValue makes a Stamp a duration in a record of slog, and nil if it has never happened.
func (s Stamp) LogValue() slog.Value {
	if offset, ok := s.Offset(); ok {
		return slog.DurationValue(offset)
	}
	return slog.Value{}
}

// MarshalJSON writes the offset in nanoseconds, or null.
func (s Stamp) MarshalJSON() ([]byte, error) { return numberOrNull(int64(s)), nil }

// MarshalText writes the offset in nanoseconds, or nothing.
func (s Stamp) MarshalText() ([]byte, error) { return numberOrNothing(int64(s)), nil }

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Stamp) UnmarshalJSON(text []byte) error {
	return parsePlusOne((*int64)(s), string(text), "null", "an offset in nanoseconds or null")
}

// UnmarshalText reads what MarshalText wrote.
func (s *Stamp) UnmarshalText(text []byte) error {
	return parsePlusOne((*int64)(s), string(text), "", "an offset in nanoseconds or nothing")
}

// A Size is a number of bytes that is not always known. The zero Size is unknown.
//
// It prints as the number ("4096 bytes") or as "unknown". JSON has the number, or null; text
// the number, or nothing; slog the number, or nil. All of these can be read back.
type Size int64 // the bytes plus one

// SizeOf returns a known size.
func SizeOf(bytes int64) Size { return Size(min(max(bytes, 0), math.MaxInt64-1) + 1) }

// Bytes returns the number of bytes, and whether it is known.
func (s Size) Bytes() (int64, bool) {
	if s <= 0 {
		return 0, false
	}
	return int64(s - 1), true
}

func (s Size) String() string {
	if bytes, ok := s.Bytes(); ok {
		return strconv.FormatInt(bytes, 10) + " bytes"
	}
	return "unknown"
}

// LogValue makes a Size a number in a record of slog, and nil if it is unknown.
func (s Size) LogValue() slog.Value {
	if bytes, ok := s.Bytes(); ok {
		return slog.Int64Value(bytes)
	}
	return slog.Value{}
}

// MarshalJSON writes the number of bytes, or null.
func (s Size) MarshalJSON() ([]byte, error) { return numberOrNull(int64(s)), nil }

// MarshalText writes the number of bytes, or nothing.
func (s Size) MarshalText() ([]byte, error) { return numberOrNothing(int64(s)), nil }

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Size) UnmarshalJSON(text []byte) error {
	return parsePlusOne((*int64)(s), string(text), "null", "a number of bytes or null")
}

// UnmarshalText reads what MarshalText wrote.
func (s *Size) UnmarshalText(text []byte) error {
	return parsePlusOne((*int64)(s), string(text), "", "a number of bytes or nothing")
}

func numberOrNull(plusOne int64) []byte {
	if plusOne <= 0 {
		return []byte("null")
	}
	return numberOrNothing(plusOne)
}

func numberOrNothing(plusOne int64) []byte {
	if plusOne <= 0 {
		return nil
	}
	return strconv.AppendInt(nil, plusOne-1, 10)
}

// parsePlusOne sets a number plus one, and 0 for the text that stands for none.
func parsePlusOne(to *int64, text, none, wanted string) error {
	if text == none {
		*to = 0
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err == nil && (n < 0 || n == math.MaxInt64):
		err = strconv.ErrRange
	case errors.Is(err, strconv.ErrSyntax):
		err = strconv.ErrSyntax
	case err != nil:
		err = strconv.ErrRange
	}
	if err != nil {
		return fmt.Errorf("throughput: %q is not %s: %w", text, wanted, err)
	}
	*to = n + 1
	return nil
}
