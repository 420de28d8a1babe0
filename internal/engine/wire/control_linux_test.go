package wire

import (
	"encoding/binary"
	"testing"

	"golang.org/x/sys/unix"
)

// message makes a control message.
func message(level, kind int, data []byte) []byte {
	b := make([]byte, unix.CmsgSpace(len(data)))
	if word == 4 {
		binary.NativeEndian.PutUint32(b, uint32(unix.CmsgLen(len(data))))
	} else {
		binary.NativeEndian.PutUint64(b, uint64(unix.CmsgLen(len(data))))
	}
	binary.NativeEndian.PutUint32(b[word:], uint32(level))
	binary.NativeEndian.PutUint32(b[word+4:], uint32(kind))
	copy(b[unix.CmsgLen(0):], data)
	return b
}

// stamped makes the data of a stamp.
func stamped(s, ns uint64) []byte {
	b := make([]byte, 6*word)
	for i, v := range []uint64{s, ns} {
		if word == 4 {
			binary.NativeEndian.PutUint32(b[i*word:], uint32(v))
		} else {
			binary.NativeEndian.PutUint64(b[i*word:], v)
		}
	}
	return b
}

// lastOf is a second in nanoseconds, where a pointer is long enough to say it.
func lastOf(s int64) int64 {
	if word == 4 {
		return int64(uint32(s)) * 1e9
	}
	return s * 1e9
}

func TestStampIn(t *testing.T) {
	other := message(unix.SOL_SOCKET, unix.SO_TIMESTAMP, make([]byte, 3))
	stamp := message(unix.SOL_SOCKET, unix.SO_TIMESTAMPING, stamped(1_700_000_000, 5))
	for name, c := range map[string]struct {
		control []byte
		want    int64
	}{
		"nothing":             {nil, 0},
		"a stamp":             {stamp, 1_700_000_000_000_000_005},
		"behind another":      {append(other, stamp...), 1_700_000_000_000_000_005},
		"behind an empty one": {append(message(unix.SOL_SOCKET, unix.SO_TIMESTAMP, nil), stamp...), 1_700_000_000_000_000_005},
		"behind one byte":     {append(message(unix.SOL_SOCKET, unix.SO_TIMESTAMP, make([]byte, 1)), stamp...), 1_700_000_000_000_000_005},
		"behind a whole word": {append(message(unix.SOL_SOCKET, unix.SO_TIMESTAMP, make([]byte, word)), stamp...), 1_700_000_000_000_000_005},
		"the software's only": {message(unix.SOL_SOCKET, unix.SO_TIMESTAMPING, stamped(1, 5)[:2*word]), 1_000_000_005},
		"the last nanosecond": {message(unix.SOL_SOCKET, unix.SO_TIMESTAMPING, stamped(1, 999_999_999)), 1_999_999_999},
		"the last second":     {message(unix.SOL_SOCKET, unix.SO_TIMESTAMPING, stamped(8_589_934_591, 0)), lastOf(8_589_934_591)},
		"behind all time":     {message(unix.SOL_SOCKET, unix.SO_TIMESTAMPING, stamped(8_589_934_592, 0)), 0},
		"another":             {other, 0},
		"of another level":    {message(unix.SOL_TCP, unix.SO_TIMESTAMPING, stamped(1, 5)), 0},
		"cut off":             {stamp[:len(stamp)-1], 0},
		"too short":           {message(unix.SOL_SOCKET, unix.SO_TIMESTAMPING, make([]byte, word)), 0},
		"no time":             {message(unix.SOL_SOCKET, unix.SO_TIMESTAMPING, stamped(1, 1e9)), 0},
		"the hardware's only": {message(unix.SOL_SOCKET, unix.SO_TIMESTAMPING, stamped(0, 0)), 0},
	} {
		if got := stampIn(c.control); got != c.want {
			t.Errorf("%s: %d, not %d", name, got, c.want)
		}
	}
}

// FuzzStampIn holds the parser against the library's.
func FuzzStampIn(f *testing.F) {
	f.Add(message(unix.SOL_SOCKET, unix.SO_TIMESTAMPING, stamped(1_700_000_000, 5)))
	f.Add(append(message(unix.SOL_SOCKET, unix.SO_TIMESTAMP, make([]byte, 3)),
		message(unix.SOL_SOCKET, unix.SO_TIMESTAMPING, stamped(1, 2))...))
	f.Fuzz(func(t *testing.T, control []byte) {
		got := stampIn(control)
		if got < 0 {
			t.Fatal(got)
		}
		messages, err := unix.ParseSocketControlMessage(control)
		if err != nil {
			return // it refuses all where we take what stands before the fault
		}
		want := int64(0)
		for _, m := range messages {
			if m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SO_TIMESTAMPING {
				want = nanoseconds(m.Data)
				break
			}
		}
		if got != want {
			t.Errorf("%d, the library's %d", got, want)
		}
	})
}
