package delta

import (
	"encoding/hex"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func someHeader(codec Codec) Header {
	return Header{Codec: codec, Warmup: true, Publisher: Publisher{Run: 1 << 63, Number: 7}, Clock: 99,
		Sequence: 1<<40 + 3, Scheduled: -5, Sent: math.MaxInt64}
}

func someRows() []Row {
	return []Row{
		{Key: []byte("a"), Value: []byte("1"), Commit: 1_700_000_000_000_000},
		{Key: []byte("key number two, which is longer than thirty-one bytes"), Value: []byte("ü"),
			Commit: 1_700_000_000_000_001},
		{Key: []byte("a"), Kind: Delete, Commit: math.MinInt64},
		{Key: []byte("s"), Type: Set, Value: AppendSet(nil, "y", "x", "", "x"), Commit: math.MaxInt64},
		{Key: []byte("empty"), Value: []byte{}, Commit: -1},
		{Key: []byte("empty set"), Type: Set, Value: []byte{}, Commit: 0},
		{Key: []byte("long"), Value: make([]byte, 300), Commit: 0},
	}
}

func TestMessagesRoundTrip(t *testing.T) {
	for codec := Compact; codec <= Avro; codec++ {
		for _, want := range [][]Row{someRows(), {}} {
			h := someHeader(codec)
			b, err := Append([]byte("before"), &h, want)
			if err != nil {
				t.Fatal(err)
			}
			b = b[len("before"):]
			// What was in the slice before must not shine through.
			got, rows, err := Decode(b, []Row{{Type: Set, Kind: Delete, Value: []byte("old"), Commit: 3}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(h, got); diff != "" {
				t.Errorf("%v: header (-want +got):\n%s", codec, diff)
			}
			if int(h.Count) != len(want) {
				t.Errorf("%v: Count is %d", codec, h.Count)
			}
			if diff := cmp.Diff(want, rows); diff != "" {
				t.Errorf("%v: rows (-want +got):\n%s", codec, diff)
			}
		}
	}
}

func TestParseCodec(t *testing.T) {
	for c := Compact; c <= Avro; c++ {
		if got, err := ParseCodec(c.String()); got != c || err != nil {
			t.Errorf("%v: %v, %v", c, got, err)
		}
	}
	if _, err := ParseCodec("protobuf"); err == nil {
		t.Error("protobuf: no error")
	}
	if _, err := Append(nil, &Header{Codec: 3}, nil); err == nil {
		t.Error("codec 3: no error")
	}
}

func TestStampEqualsEncoding(t *testing.T) {
	h := someHeader(Compact)
	b, err := Append(nil, &h, someRows())
	if err != nil {
		t.Fatal(err)
	}
	Stamp(b, 12, 34, 56)
	h.Sequence, h.Scheduled, h.Sent = 12, 34, 56
	want, err := Append(nil, &h, someRows())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b); diff != "" {
		t.Errorf("(-encoded +stamped):\n%s", diff)
	}
}

// Each single byte that is changed, and each cut, is noticed.
func TestDecodeDetectsEveryDamage(t *testing.T) {
	h := someHeader(Compact)
	b, err := Append(nil, &h, someRows())
	if err != nil {
		t.Fatal(err)
	}
	for i := range b {
		c := append([]byte(nil), b...)
		c[i] ^= 1 << (i % 8)
		if _, _, err := Decode(c, nil); err == nil {
			t.Errorf("byte %d changed: no error", i)
		}
		if _, _, err := Decode(b[:i], nil); err == nil {
			t.Errorf("cut after %d bytes: no error", i)
		}
	}
	if _, _, err := Decode(append(b, 0), nil); err == nil {
		t.Error("a byte more: no error")
	}
}

func TestDecodeRejectsBadMessages(t *testing.T) {
	message := func(change func(b []byte), rows ...byte) []byte {
		h := Header{}
		b := append(appendHeader(nil, &h), rows...)
		b[atCount] = 1
		if change != nil {
			change(b)
		}
		b = append(b, 0, 0, 0, 0)
		resum(b)
		return b
	}
	tests := []struct {
		name string
		b    []byte
		want error
	}{
		{"nothing", nil, ErrForeign},
		{"text", []byte("hello, this is not a message of ours at all, but long enough"), ErrForeign},
		{"only the magic", []byte(Magic), ErrCorrupt},
		{"version", message(func(b []byte) { b[atVersion] = 2 }, 4, 'k', 0, 0), ErrVersion},
		{"codec", message(func(b []byte) { b[atCodec] = 3 }, 4, 'k', 0, 0), ErrMalformed},
		{"flags", message(func(b []byte) { b[atFlags] = 2 }, 4, 'k', 0, 0), ErrMalformed},
		{"reserved", message(func(b []byte) { b[atFlags+1] = 1 }, 4, 'k', 0, 0), ErrMalformed},
		{"a count too large", message(func(b []byte) { b[atCount+3] = 0xff }, 4, 'k', 0, 0), ErrMalformed},
		{"a count too small", message(func(b []byte) { b[atCount] = 0 }, 4, 'k', 0, 0), ErrMalformed},
		{"no key", message(nil, 0, 0, 0), ErrMalformed},
		{"a key too long", message(nil, 40, 'k', 0, 0), ErrMalformed},
		{"no commit time", message(nil, 8, 'k', 'k'), ErrMalformed},
		{"a value too long", message(nil, 4, 'k', 0, 1), ErrMalformed},
		{"a value of 2^64 bytes", message(nil, 4, 'k', 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1),
			ErrMalformed},
		{"a number of 11 bytes", message(nil, 4, 'k', 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 1, 0),
			ErrMalformed},
		{"a number that is longer than it needs", message(nil, 4, 'k', 0, 128, 0), ErrMalformed},
		{"a delete of a set", message(nil, 7, 'k', 0), ErrMalformed},
		{"a set in the wrong order", message(nil, 6, 'k', 0, 4, 1, 'b', 1, 'a'), ErrMalformed},
		{"bytes behind the rows", message(nil, 4, 'k', 0, 0, 9), ErrMalformed},
		{"nothing wrong", message(nil, 4, 'k', 0, 0), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, _, err := Decode(tt.b, nil); !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

// resum sets a message's checksum to what it should be.
func resum(b []byte) {
	h := checksum(b[:len(b)-crcSize])
	for i := range crcSize {
		b[len(b)-crcSize+i] = byte(h >> (8 * i))
	}
}

func TestAppendRejectsBadRows(t *testing.T) {
	for name, r := range map[string]Row{
		"no key":         {},
		"kind":           {Key: []byte("k"), Kind: 2},
		"type":           {Key: []byte("k"), Type: 2},
		"deleted value":  {Key: []byte("k"), Kind: Delete, Value: []byte("v")},
		"deleted set":    {Key: []byte("k"), Kind: Delete, Type: Set},
		"unpacked set":   {Key: []byte("k"), Type: Set, Value: []byte("a|b")},
		"set repeats":    {Key: []byte("k"), Type: Set, Value: []byte("\x01a\x01a")},
		"set downwards":  {Key: []byte("k"), Type: Set, Value: []byte("\x01b\x01a")},
		"set, cut short": {Key: []byte("k"), Type: Set, Value: []byte("\x02a")},
	} {
		t.Run(name, func(t *testing.T) {
			h := Header{}
			dst := []byte("kept")
			b, err := Append(dst, &h, []Row{{Key: []byte("fine")}, r})
			if err == nil {
				t.Fatal("no error")
			}
			if string(b) != "kept" {
				t.Errorf("dst became %q", b)
			}
		})
	}
}

func batchOf(tb testing.TB, n int) (Header, []Row, []byte) {
	g, err := NewGenerator(Generation{Seed: 1, Batch: n, KeyLength: 30, ValueLength: 10, Commit: 1_700_000_000_000_000})
	if err != nil {
		tb.Fatal(err)
	}
	h := someHeader(Compact)
	rows, _ := g.Rows(5, nil, nil)
	b, err := Append(nil, &h, rows)
	if err != nil {
		tb.Fatal(err)
	}
	return h, rows, b
}

// The figures that documents give: bytes an update.
func TestDocumentedUpdateSize(t *testing.T) {
	_, _, b := batchOf(t, 1000)
	if got := float64(len(b)) / 1000; got < 43 || got > 43.1 {
		t.Errorf("%.3f bytes an update, the documents say 43", got)
	}
}

func TestCodecDoesNotAllocate(t *testing.T) {
	h, rows, b := batchOf(t, 100)
	into := make([]Row, 100)
	buf := make([]byte, 0, len(b))
	g, err := NewGenerator(Generation{Batch: 100, KeyLength: 30, ValueLength: 10, Deletes: .1, Sets: .3})
	if err != nil {
		t.Fatal(err)
	}
	generated, text := g.Rows(0, nil, nil)
	long := Row{Key: b, Value: b}
	set := AppendSet(nil, "a", "b")
	sum := uint64(0)
	for name, f := range map[string]func(){
		"Append":     func() { _, err = Append(buf, &h, rows) },
		"Decode":     func() { _, into, err = Decode(b, into) },
		"ReadHeader": func() { _, err = ReadHeader(b) },
		"Stamp":      func() { Stamp(b, 1, 2, 3) },
		"Hash":       func() { sum += Hash(&rows[0]) + Hash(&long) },
		"Rows":       func() { generated, text = g.Rows(1, generated, text) },
		"IsSet":      func() { _ = IsSet(set) },
		"Elements": func() {
			for range Elements(set) {
				sum++
			}
		},
	} {
		if got := testing.AllocsPerRun(100, f); got != 0 || err != nil {
			t.Errorf("%s: %v allocations, error %v", name, got, err)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	h, rows, m := batchOf(b, 1000)
	b.SetBytes(int64(len(m)))
	for b.Loop() {
		m, _ = Append(m[:0], &h, rows)
	}
	perUpdate(b, 1000)
	b.ReportMetric(float64(len(m))/1000, "bytes/update")
}

func BenchmarkDecode(b *testing.B) {
	_, rows, m := batchOf(b, 1000)
	b.SetBytes(int64(len(m)))
	for b.Loop() {
		if _, _, err := Decode(m, rows); err != nil {
			b.Fatal(err)
		}
	}
	perUpdate(b, 1000)
}

func BenchmarkStamp(b *testing.B) {
	_, _, m := batchOf(b, 1000)
	for b.Loop() {
		Stamp(m, 1, 2, 3)
	}
}

func BenchmarkHash(b *testing.B) {
	_, rows, _ := batchOf(b, 1)
	sum := uint64(0)
	for b.Loop() {
		sum += Hash(&rows[0])
	}
}

func BenchmarkGenerate(b *testing.B) {
	g, err := NewGenerator(Generation{Batch: 1000, KeyLength: 30, ValueLength: 10})
	if err != nil {
		b.Fatal(err)
	}
	rows, buf := g.Rows(0, nil, nil)
	index := uint64(0)
	for b.Loop() {
		index++
		rows, buf = g.Rows(index, rows, buf)
	}
	perUpdate(b, 1000)
}

func perUpdate(b *testing.B, updates int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(updates), "ns/update")
}

// The format itself: a message that was written down by hand, with the checksum of another
// implementation (Python's crc32c). docs/deltas.md describes it.
func TestMessageFormatIsDocumented(t *testing.T) {
	want := "504c4d44" + "01" + "00" + "01" + "00" + // PLMD, version, codec, warm-up, 0
		"0807060504030201" + "1100000000000000" + "07000000" + "03000000" + // run, clock, publisher, rows
		"2a00000000000000" + "ffffffffffffffff" + "0001000000000000" + // sequence, scheduled, sent
		"04" + "6b" + "c801" + "01" + "76" + // UPDATE k at 100: v
		"06" + "73" + "03" + "04" + "0161" + "0162" + // UPDATE s at 98: {a b}
		"05" + "64" + "00" + // DELETE d at 98
		"300ad676"
	h := Header{Warmup: true, Publisher: Publisher{Run: 0x0102030405060708, Number: 7}, Clock: 0x11, Sequence: 42,
		Scheduled: -1, Sent: 256}
	b, err := Append(nil, &h, []Row{
		{Key: []byte("k"), Value: []byte("v"), Commit: 100},
		{Key: []byte("s"), Type: Set, Value: AppendSet(nil, "b", "a"), Commit: 98},
		{Key: []byte("d"), Kind: Delete, Commit: 98},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, hex.EncodeToString(b)); diff != "" {
		t.Error(diff)
	}
}
