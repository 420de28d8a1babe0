package delta

import (
	"encoding/binary"
	"fmt"
)

// A row of the codec Compact is
//
//	key length << 2 | set << 1 | delete    unsigned varint
//	key
//	commit time less that of the row before, zigzag, unsigned varint (the first row: less 0)
//	value length                           unsigned varint; only of an update
//	value                                  only of an update
//
// The differences of commit times wrap around, so that every time can follow every other.
const (
	rowDelete = 1
	rowSet    = 2
	rowBits   = 2

	// The smallest row is a delete of a key of one byte. A count that promises more rows than
	// the message has room for is a lie, and no memory is set aside for it.
	minRow = 3
)

func appendCompact(dst []byte, rows []Row) ([]byte, error) {
	before := int64(0)
	for i := range rows {
		r := &rows[i]
		if why := wrong(r); why != "" {
			return nil, fmt.Errorf("row %d: %s", i+1, why)
		}
		dst = binary.AppendUvarint(dst, uint64(len(r.Key))<<rowBits|uint64(r.Type)<<1|uint64(r.Kind))
		dst = append(dst, r.Key...)
		dst = binary.AppendVarint(dst, r.Commit-before)
		before = r.Commit
		if r.Kind == Update {
			dst = binary.AppendUvarint(dst, uint64(len(r.Value)))
			dst = append(dst, r.Value...)
		}
	}
	return dst, nil
}

func readCompact(b []byte, count uint32, rows []Row) ([]Row, error) {
	if uint64(count)*minRow > uint64(len(b)) {
		return nil, fmt.Errorf("%w: %d rows do not fit into %d bytes", ErrMalformed, count, len(b))
	}
	rows = sized(rows, int(count))
	commit := int64(0)
	for i := range rows {
		rest, err := readRow(b, &rows[i], commit)
		if err != "" {
			return nil, fmt.Errorf("%w: row %d: %s", ErrMalformed, i+1, err)
		}
		commit = rows[i].Commit
		b = rest
	}
	if len(b) > 0 {
		return nil, fmt.Errorf("%w: extra bytes after the last row: %d", ErrMalformed, len(b))
	}
	return rows, nil
}

// readRow reads a row from the start of b and returns what follows it, or says what is wrong.
func readRow(b []byte, r *Row, before int64) (rest []byte, wrong string) {
	head, n := uvarint(b)
	if n <= 0 {
		return nil, "invalid key length"
	}
	b = b[n:]
	length := head >> rowBits
	if length == 0 || length > uint64(len(b)) {
		return nil, "invalid key length"
	}
	r.Kind, r.Type = Kind(head&rowDelete), ValueType(head&rowSet>>1)
	r.Key, b = b[:length:length], b[length:]
	step, n := uvarint(b)
	if n <= 0 {
		return nil, "invalid commit time"
	}
	r.Commit = before + (int64(step>>1) ^ -int64(step&1))
	b = b[n:]
	if r.Kind == Delete {
		if r.Type != String {
			return nil, "a delete with a value"
		}
		r.Value = nil
		return b, ""
	}
	length, n = uvarint(b)
	if n <= 0 || length > uint64(len(b)-n) {
		return nil, "invalid value length"
	}
	b = b[n:]
	r.Value, b = b[:length:length], b[length:]
	if r.Type == Set && !IsSet(r.Value) {
		return nil, "invalid set"
	}
	return b, ""
}

// uvarint is binary.Uvarint with a way of one comparison for what is nearly always there, one
// byte, and without the longer forms of a number: there is one encoding of each message.
func uvarint(b []byte) (uint64, int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	return longUvarint(b)
}

func longUvarint(b []byte) (uint64, int) {
	v, n := binary.Uvarint(b)
	if n > 1 && b[n-1] == 0 {
		return 0, 0
	}
	return v, n
}

// sized is rows with the length n, with its old memory if that suffices.
func sized(rows []Row, n int) []Row {
	if cap(rows) < n {
		return make([]Row, n)
	}
	return rows[:n]
}
