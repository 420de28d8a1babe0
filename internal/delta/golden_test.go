package delta

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestGeneratedRowsStay as they are: runs of two versions publish the same rows, and are compared with each other.
func TestGeneratedRowsStay(t *testing.T) {
	for _, c := range []struct {
		g    Generation
		want string
	}{
		{Generation{Seed: 1, Prefix: "k-", Batch: 50, KeyLength: 3, ValueLength: 1, Commit: 7}, "d290306001d213d1"},
		{Generation{Seed: 2, Prefix: "k-", Batch: 50, KeyLength: 10, ValueLength: 40, Deletes: .1, Sets: .3, Commit: -7}, "a23a9ce0e7c5236b"},
		{Generation{Seed: 3, Batch: 50, KeyLength: 12, ValueLength: 41, Deletes: 1}, "e62c79342b9bbcfd"},
		{Generation{Seed: 4, Batch: 50, KeyLength: 13, ValueLength: 3, Sets: 1}, "7c38b6423229fa47"},
		{Generation{Seed: 5, Batch: 50, KeyLength: 15, ValueLength: 100, Sets: .5, Keys: 9}, "3003e27f190a8352"},
		{Generation{Seed: 6, Batch: 50, KeyLength: 16, ValueLength: 0, Sets: .5, Keys: 1 << 40}, "007407e081f83e95"},
		{Generation{Seed: 7, Batch: 50, KeyLength: 17, ValueLength: 8, Keys: 1}, "fb3918222c0b1506"},
		{Generation{Seed: 8, Batch: 50, KeyLength: 40, ValueLength: 9, Deletes: .5}, "3767f3f580464da9"},
	} {
		n := generator(t, c.g)
		sum := sha256.New()
		var rows []Row
		var buf []byte
		for _, index := range []uint64{0, 1, 5, 1 << 62, 1<<62 + 2} {
			rowsBefore, bufBefore := rows, buf
			rows, buf = n.Rows(index, rows, buf)
			if &rows[0].Key[0] != &buf[0] {
				t.Errorf("%+v: the rows do not begin where their memory does", c.g)
			}
			if index > 0 && (&rows[0] != &rowsBefore[0] || &buf[0] != &bufBefore[0]) {
				t.Errorf("%+v: the memory of the rows before is not used again", c.g)
			}
			for _, r := range rows {
				fmt.Fprintf(sum, "%q %q %d %d %d\n", r.Key, r.Value, r.Commit, r.Kind, r.Type)
			}
		}
		for number := range uint64(12) {
			fmt.Fprintf(sum, "%q\n", n.Key(number))
		}
		if got := fmt.Sprintf("%x", sum.Sum(nil)[:8]); got != c.want {
			t.Errorf("%+v: %s", c.g, got)
		}
	}
}

// TestKeysOfANumber are those that rows have, from the first again behind the last.
func TestKeysOfANumber(t *testing.T) {
	n := generator(t, Generation{Seed: 1, Prefix: "p", Batch: 500, KeyLength: 9, Keys: 5})
	keys := map[string]bool{}
	for number := range uint64(5) {
		keys[string(n.Key(number))] = true
		if !bytes.Equal(n.Key(number), n.Key(number+5)) {
			t.Errorf("key %d comes again as %q", number, n.Key(number+5))
		}
	}
	rows, _ := n.Rows(3, nil, nil)
	for _, r := range rows {
		if !keys[string(r.Key)] {
			t.Fatalf("%q is none of the keys", r.Key)
		}
	}
	if len(keys) != 5 {
		t.Errorf("%d keys", len(keys))
	}
	own := generator(t, Generation{Seed: 1, Batch: 1, KeyLength: 9})
	if !bytes.Equal(own.Key(3), own.Key(0)) {
		t.Error("a key of rows that all have their own")
	}
}

// TestBoundsOfGenerations: just within each bound, and just beyond it.
func TestBoundsOfGenerations(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(g *Generation)
		why    string // "": it can be
	}{
		{"one row", func(g *Generation) { g.Batch = 1 }, ""}, {"as many as an index can tell", func(g *Generation) { g.Batch = 1 << 30 }, ""},
		{"one more", func(g *Generation) { g.Batch = 1<<30 + 1 }, "between 1 and 1073741824 rows, not 1073741825"},
		{"none", func(g *Generation) { g.Batch = 0 }, "between 1 and 1073741824 rows, not 0"},
		{"a long key", func(g *Generation) { g.KeyLength = math.MaxInt32 }, ""}, {"a longer key", func(g *Generation) { g.KeyLength = math.MaxInt32 + 1 }, "less than 2 GiB"},
		{"a long value", func(g *Generation) { g.ValueLength = math.MaxInt32 }, ""}, {"a longer value", func(g *Generation) { g.ValueLength = math.MaxInt32 + 1 }, "less than 2 GiB"},
		{"an empty value", func(g *Generation) { g.ValueLength = 0 }, ""}, {"less than nothing", func(g *Generation) { g.ValueLength = -1 }, "cannot have -1 bytes"},
		{"all deletes", func(g *Generation) { g.Deletes = 1 }, ""}, {"more", func(g *Generation) { g.Deletes = math.Nextafter(1, 2) }, "a share lies"},
		{"fewer", func(g *Generation) { g.Deletes = -1e-300 }, "a share lies"}, {"unknown", func(g *Generation) { g.Deletes = math.NaN() }, "a share lies"},
		{"all sets", func(g *Generation) { g.Sets = 1 }, ""}, {"more sets", func(g *Generation) { g.Sets = math.Nextafter(1, 2) }, "a share lies"},
		{"no room", func(g *Generation) { g.KeyLength = 3 }, `a key of 3 bytes has no room behind the prefix "abc"`}, {"room", func(g *Generation) { g.KeyLength = 4 }, ""},
		{"keys of a byte", func(g *Generation) { g.KeyLength, g.Keys = 4, 16 }, ""},
		{"more keys of a byte", func(g *Generation) { g.KeyLength, g.Keys = 4, 17 }, "keys of 1 bytes behind the prefix can be 16, not 17"},
		{"keys of 12 bytes", func(g *Generation) { g.KeyLength, g.Keys = 15, 1<<59 }, ""},
		{"more keys of 12 bytes", func(g *Generation) { g.KeyLength, g.Keys = 15, 1<<59+1 }, "can be 576460752303423488, not"},
		{"keys of 13 bytes", func(g *Generation) { g.KeyLength, g.Keys = 16, 1<<63 }, ""},
		{"more keys of 13 bytes", func(g *Generation) { g.KeyLength, g.Keys = 16, 1<<63+1 }, "can be 9223372036854775808, not"},
	} {
		g := Generation{Batch: 10, KeyLength: 5, Prefix: "abc"}
		c.change(&g)
		if _, err := NewGenerator(g); (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v, want %q", c.name, err, c.why)
		}
	}
	for _, c := range []struct {
		length  int
		batches uint64
		why     string
	}{
		{4, 1, ""}, {4, 2, "2 batches of 10 rows need more than the 16 keys that 1 byte behind"}, {5, 51, ""}, {5, 52, "the 512 keys that 2 bytes behind"},
	} {
		if err := generator(t, Generation{Batch: 10, KeyLength: c.length, Prefix: "abc"}).Fits(c.batches); (err == nil) != (c.why == "") ||
			err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestOrder: each part counts, the first ones before the others.
func TestOrder(t *testing.T) {
	parts := []func(o *Order){
		func(o *Order) { o.Row++ }, func(o *Order) { o.Sequence++ }, func(o *Order) { o.Publisher.Number++ }, func(o *Order) { o.Publisher.Run++ },
		func(o *Order) { o.Commit++ },
	}
	at := Order{Commit: -1}
	for i, next := range parts {
		later := at
		next(&later)
		for _, before := range parts[:i] { // the parts behind it do not outweigh it
			before(&at)
		}
		if at.Compare(later) >= 0 || later.Compare(at) <= 0 || at.Compare(at) != 0 {
			t.Errorf("part %d: %+v and %+v", i, at, later)
		}
	}
}

// TestWhatARowMayBe, and what no format can hold.
func TestWhatARowMayBe(t *testing.T) {
	key := []byte("k")
	for _, c := range []struct {
		r    Row
		want string
	}{
		{Row{Key: key}, ""}, {Row{Key: key, Kind: Delete}, ""}, {Row{Key: key, Type: Set}, ""}, {Row{Key: key, Type: Set, Value: []byte("\x00\x01a")}, ""},
		{Row{}, "it has no key"}, {Row{Key: key, Kind: 2}, "neither an update nor a delete"}, {Row{Key: key, Type: 2}, "a type that is not known"},
		{Row{Key: key, Kind: Delete, Value: key}, "a delete with a value"}, {Row{Key: key, Kind: Delete, Type: Set}, "a delete with a value"},
		{Row{Key: key, Type: Set, Value: key}, "no packed set"}, {Row{Key: key, Type: Set, Value: []byte("\x01a\x00")}, "no packed set"},
	} {
		if err := Check(&c.r); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.r, err)
		}
	}
	for name, want := range map[string]Kind{"UPDATE": Update, "DELETE": Delete, "update": Update, "Delete": Delete} {
		if k, ok := ParseKind(name); k != want || !ok || !strings.EqualFold(k.String(), name) {
			t.Errorf("%s: %v, %v", name, k, ok)
		}
	}
	for _, name := range []string{"", "UPDATED", "DELET", "0"} {
		if k, ok := ParseKind([]byte(name)); ok || k != Update {
			t.Errorf("%s is a kind", name)
		}
	}
	for codec, want := range map[Codec]string{Compact: "compact", JSON: "json", Avro: "avro", 3: "codec 3"} {
		if codec.String() != want {
			t.Errorf("%v, want %s", codec, want)
		}
	}
	if c, err := ParseCodec("AVRO"); err == nil || c != 0 {
		t.Errorf("%v, %v", c, err)
	}
}

// TestElements stop where whoever takes them says so, and before what is wrong.
func TestElements(t *testing.T) {
	n := 0
	for e := range Elements(AppendSet(nil, "a", "b", "c")) {
		if n++; string(e) == "b" {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d are taken", n)
	}
	for value, want := range map[string]int{"": 0, "\x00": 1, "\x01a\x05b": 1, "\x01a\x80": 1, "\x01a\x01b\x80\x00": 2} {
		n := 0
		for e := range Elements([]byte(value)) {
			if n++; cap(e) != len(e) {
				t.Errorf("%q has room behind it", e)
			}
		}
		if n != want {
			t.Errorf("%q: %d elements", value, n)
		}
	}
	for value, want := range map[string]bool{"": true, "\x00": true, "\x00\x00": false, "\x01a\x01b": true, "\x01a\x02aa": true, "\x02aa\x01a": false,
		"\x01": false, "\x80": false, "\x80\x00": false} {
		if IsSet([]byte(value)) != want {
			t.Errorf("%q is a set: %v", value, !want)
		}
	}
}

// TestWhyAMessageIsRefused: what is told of it, and of which row.
func TestWhyAMessageIsRefused(t *testing.T) {
	message := func(codec Codec, count uint32, body string) []byte {
		h := Header{Codec: codec, Count: count}
		b := append(append(appendHeader(nil, &h), body...), 0, 0, 0, 0)
		resum(b)
		return b
	}
	for _, c := range []struct {
		b    []byte
		want string
	}{
		{[]byte("PLM"), "no message of updates"}, {[]byte("PLMX" + strings.Repeat("\x00", 60)), "no message of updates"},
		{[]byte("PLMD"), "a damaged message: it has only 4 bytes"}, {make([]byte, 0), "no message of updates"},
		{message(Compact, 1, "\x04k\x00\x00")[:59], "a damaged message: it has only 59 bytes"},
		{message(Compact, 0, ""), ""}, {message(Compact, 1, "\x05k\x00"), ""}, {message(Compact, 2, "\x05k\x00\x05k\x00"), ""},
		{message(Compact, 2, "\x05k\x00\x05k"), "2 rows cannot be in 5 bytes"}, {message(Compact, 1, "\x05k\x00\x00"), "1 bytes behind the last row"},
		{message(Compact, 2, "\x05k\x00\x00\x00\x00"), "row 2: the length of its key"}, {message(Compact, 1, "\x80\x00k"), "row 1: the length of its key"},
		{message(Compact, 1, "\x11kk\x00"), "row 1: the length of its key"}, {message(Compact, 1, "\x09kk"), "row 1: its commit time"},
		{message(Compact, 1, "\x07k\x00"), "row 1: a delete with a value"}, {message(Compact, 1, "\x04k\x00\x01"), "row 1: the length of its value"},
		{message(Compact, 1, "\x04k\x00"), "row 1: the length of its value"}, {message(Compact, 1, "\x06k\x00\x01\x01"), "row 1: its set"},
		{message(Avro, 1, "\x02\x02k\x02\x02\x00\x00"), ""}, {message(Avro, 2, "\x02\x02k\x02\x02\x00\x00"), "1 rows, and the header says 2"},
		{message(Avro, 1, "\x04\x02k\x02\x02\x00"), "row 2: it is cut off"}, {message(Avro, 1, "\x02\x02k\x02\x02"), "row 1: it is cut off"},
		{message(Avro, 1, ""), "row 1 is cut off"}, {message(Avro, 1, "\x02\x02k\x02\x02\x00"), "row 2 is cut off"},
		{message(Avro, 1, "\x02\x02k\x03\x02\x00\x00"), "row 1: it is neither"}, {message(Avro, 1, "\x02\x02k\x02\x02\x01\x00"), "row 1: its value has a type"},
		{message(Avro, 0, "\x00a"), "1 bytes behind the last row"},
		{message(Avro, 2, "\x04\x02k"), "row 1: it is cut off"}, {message(Avro, 2, "\x04\x02"), "row 1 is cut off"},
		{message(JSON, 2, "[]"), "0 rows, and the header says 2"},
		{message(JSON, 1, `[{"key":"k","mutation_type":"DELETE","logical_commit_time":1},]`), "row 2: no JSON at byte 62"},
		{message(JSON, 0, "[]"), ""}, {message(JSON, 1, `[]`), "0 rows, and the header says 1"}, {message(JSON, 3, `[]`), "3 rows cannot be in 2 bytes"},
		{message(JSON, 0, "[] x"), "something behind the array"}, {message(JSON, 0, "["), "row 1: the JSON object is cut off"}, {message(JSON, 0, "1"), "no array of rows"},
		{message(JSON, 0, ""), "no array of rows"}, {message(JSON, 1, `[{"key":1}]`), "row 1: key is no string"}, {message(JSON, 1, `[1]`), "row 1: it is no JSON object"},
	} {
		_, _, err := Decode(c.b, nil)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.b[min(len(c.b), headerSize):], err, c.want)
		}
	}
	if _, err := ReadRows(&Header{Codec: 3}, message(3, 0, ""), nil); !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), "the codec 3") {
		t.Errorf("%v", err)
	}
	for codec := Compact; codec <= Avro; codec++ {
		if _, err := Append(nil, &Header{Codec: codec}, []Row{{Key: []byte("k")}, {}}); err == nil || err.Error() != "row 2: it has no key" {
			t.Errorf("%v: %v", codec, err)
		}
	}
	if _, err := Append(nil, &Header{Codec: 3}, nil); err == nil || err.Error() != "codec 3: no codec that can be written" {
		t.Errorf("%v", err)
	}
}

// TestLongHashes: rows that just fit into the small buffer of the hash, and those that just do not, have one of each of
// their bytes.
func TestLongHashes(t *testing.T) {
	seen := map[uint64]string{}
	for n := 230; n < 250; n++ {
		r := Row{Key: bytes.Repeat([]byte("k"), 3), Value: bytes.Repeat([]byte("v"), n-3)}
		for i := range r.Value {
			r.Value[i]++
			if h := Hash(&r); seen[h] != "" {
				t.Fatalf("%d bytes, %d changed: as %s", n, i, seen[h])
			} else {
				seen[h] = fmt.Sprint(n, " ", i)
			}
			r.Value[i]--
		}
	}
}

// TestAvroInput reads one value behind the other, and nothing once something is not there.
func TestAvroInput(t *testing.T) {
	a := AvroInput{Rest: []byte("\x00\x01\x02\x03\x80\x02\x02a\x00\x04bc")}
	for _, want := range []int64{0, -1, 1, -2, 128} {
		if got := a.Long(); got != want || a.Bad {
			t.Errorf("%d, want %d", got, want)
		}
	}
	for _, want := range []string{"a", "", "bc"} {
		if got := a.Bytes(); string(got) != want || cap(got) != len(got) || a.Bad {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if len(a.Rest) > 0 {
		t.Errorf("%q is left", a.Rest)
	}
	for _, rest := range []string{"", "\x80", "\x80\x00", "\x01ab", "\x04a", "\x02",
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		a := AvroInput{Rest: []byte(rest)}
		if got := a.Bytes(); got != nil || !a.Bad || a.Rest != nil {
			t.Errorf("%q: %q, %+v", rest, got, a)
		}
		if got := a.Long(); got != 0 || !a.Bad {
			t.Errorf("%q, behind what is not there: %d", rest, got)
		}
	}
	for rest, want := range map[string]string{"\x00": "", "\x04\x02a\x02b\x00": "ab",
		"\x03\x04\x02a\x02b\x02\x02c\x00": "abc",
		"\x06\x00\x02a\x00\x00":           "a", "\x02\x02a": "a, bad", "\x06\x02a": ", bad", "": ", bad", "\x04\x02a": "a, bad"} {
		a, got := AvroInput{Rest: []byte(rest)}, ""
		a.Blocks(func() { got += string(a.Bytes()) })
		if a.Bad {
			got += ", bad"
		}
		if got != want || a.Bad && a.Rest != nil {
			t.Errorf("%q: %s, want %s; %+v", rest, got, want, a)
		}
	}
}

// TestSetsOfFewElements come back in every codec, and into the memory of the rows before.
func TestSetsOfFewElements(t *testing.T) {
	into := make([]Row, 1)
	for codec := Compact; codec <= Avro; codec++ {
		for _, elements := range [][]string{nil, {""}, {"a"}, {"", "a"}, {"a", "b", "cc"}} {
			row := Row{Key: []byte("k"), Type: Set, Value: AppendSet(nil, elements...)}
			b, err := Append(nil, &Header{Codec: codec}, []Row{row})
			if err != nil {
				t.Fatal(err)
			}
			_, rows, err := Decode(b, into)
			if err != nil || len(rows) != 1 || rows[0].Type != Set || !bytes.Equal(rows[0].Value, row.Value) ||
				&rows[0] != &into[0] {
				t.Errorf("%v, %q: %+v, %v", codec, elements, rows, err)
			}
		}
	}
}

// TestHeadersThatBreakTheFormat are refused before anybody looks at the rows.
func TestHeadersThatBreakTheFormat(t *testing.T) {
	for at, value := range map[int]byte{atCodec: 3, atFlags: 2, atFlags + 1: 1} {
		b, err := Append(nil, &Header{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		b[at] = value
		resum(b)
		if h, err := ReadHeader(b); !errors.Is(err, ErrMalformed) || h != (Header{}) {
			t.Errorf("byte %d is %d: %+v, %v", at, value, h, err)
		}
	}
}
