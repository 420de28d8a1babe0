package delta

import (
	"bytes"
	"testing"
)

// Whatever a message holds, it is read or refused, and what is read can be written again: with
// the codec Compact as the same bytes. The checksum is set right, or nothing would get past it.
func FuzzDecode(f *testing.F) {
	for codec := Compact; codec <= Avro; codec++ {
		h := someHeader(codec)
		b, err := Append(nil, &h, someRows())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, true)
		f.Add(b[:len(b)/2], true)
		f.Add(b, false)
	}
	f.Fuzz(func(t *testing.T, b []byte, right bool) {
		b = bytes.Clone(b)
		if right && len(b) >= Overhead {
			resum(b)
		}
		h, rows, err := Decode(b, nil)
		if err != nil {
			return
		}
		again, err := Append(nil, &h, rows)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		if h.Codec == Compact && !bytes.Equal(b, again) {
			t.Fatalf("another message:\n%x\n%x", b, again)
		}
		_, back, err := Decode(again, nil)
		if err != nil || len(back) != len(rows) {
			t.Fatalf("%d rows became %d: %v", len(rows), len(back), err)
		}
		for i := range rows {
			if Hash(&rows[i]) != Hash(&back[i]) || rows[i].Kind != back[i].Kind {
				t.Fatalf("row %d: %+v became %+v", i, rows[i], back[i])
			}
		}
		Stamp(b, 1, 2, 3)
		if h, err := ReadHeader(b); err != nil || h.Sequence != 1 || h.Scheduled != 2 || h.Sent != 3 {
			t.Fatalf("stamped: %+v, %v", h, err)
		}
	})
}
