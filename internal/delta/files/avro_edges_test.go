package files

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/snappy"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// avroText is a text in Avro's encoding.
func avroText(s string) string { return string(binary.AppendVarint(nil, int64(len(s)))) + s }

// avroHead is the header of a file with this metadata, in pairs.
func avroHead(meta ...string) string {
	b := avroMagic + string(binary.AppendVarint(nil, int64(len(meta)/2)))
	for _, s := range meta {
		b += avroText(s)
	}
	return b + "\x00" + avroSync
}

// avroBlockOf is a block with so many records, as it says.
func avroBlockOf(count int64, data string) string {
	return string(binary.AppendVarint(nil, count)) + avroText(data) + avroSync
}

// TestBlocksOfAvro: which block and which record is told, and what is read before and behind it.
func TestBlocksOfAvro(t *testing.T) {
	head := avroHead("avro.schema", delta.AvroSchema)
	const k, l = "\x02k\x02\x02\x00", "\x02l\x02\x02\x00" // deletes
	const noKey = "\x00\x02\x02\x00"
	const gotK, gotL = `DELETE k 1 ""`, `DELETE l 1 ""`
	for name, tt := range map[string]struct {
		file string
		want []string
	}{
		"two of one record": {head + avroBlockOf(1, k) + avroBlockOf(1, l), []string{gotK, gotL}},
		"an empty one":      {head + avroBlockOf(1, k) + avroBlockOf(0, "") + avroBlockOf(1, l), []string{gotK, gotL}},
		"none":              {head, nil},
		"bytes for no record": {head + avroBlockOf(0, k),
			[]string{"end: FILE: block 1: there are bytes behind the block's last record"}},
		"bytes behind": {head + avroBlockOf(1, k) + avroBlockOf(1, l+"\x00"),
			[]string{gotK, gotL, "end: FILE: block 2: there are bytes behind the block's last record"}},
		"a bad record": {head + avroBlockOf(1, k) + avroBlockOf(2, noKey+l),
			[]string{gotK, "FILE: record 2: it has no key", gotL}},
		"a broken record": {head + avroBlockOf(2, k+"\x02") + avroBlockOf(1, l),
			[]string{gotK, "end: FILE: record 2: the record breaks the file's schema, or is cut off"}},
		"an empty block with a record": {head + avroBlockOf(1, ""),
			[]string{"end: FILE: record 1: the record breaks the file's schema, or is cut off"}},
		"as many records as may be": {head + avroBlockOf(1<<31, k),
			[]string{gotK, "end: FILE: record 2: the record breaks the file's schema, or is cut off"}},
		"more": {head + avroBlockOf(1<<31+1, k),
			[]string{"end: FILE: block 1: 2147483649 records in 5 bytes: more than 64 MiB are not read"}},
		"as long as may be": {head + "\x02" + string(binary.AppendVarint(nil, MaxBlock)) + k,
			[]string{"end: FILE: block 1: the file ends within it: it is cut off"}},
		"cut off within its number of records": {head + avroBlockOf(1, k) + "\x80",
			[]string{gotK, "end: FILE: block 2: the file ends within it: it is cut off"}},
		"longer": {head + "\x02" + string(binary.AppendVarint(nil, MaxBlock+1)) + k,
			[]string{"end: FILE: block 1: 1 records in 67108865 bytes: more than 64 MiB are not read"}},
		"another mark behind the second": {head + avroBlockOf(1, k) + avroBlockOf(1, l)[:6] + strings.Repeat("x", 17),
			[]string{gotK, "end: FILE: block 2: it does not end with the file's mark: the file is damaged"}},
		"packed by nobody": {avroHead("avro.codec", "", "avro.schema", delta.AvroSchema) + avroBlockOf(1, k), []string{gotK}},
		"other metadata":   {avroHead("a", "b", "avro.schema", delta.AvroSchema, "", "") + avroBlockOf(1, k), []string{gotK}},
		"metadata in two blocks": {avroMagic + "\x02" + avroText("a") + avroText("b") + "\x01\x08" + avroText("avro.schema") +
			avroText(delta.AvroSchema) + "\x00" + avroSync + avroBlockOf(1, k), []string{gotK}},
		"packed by somebody": {avroHead("avro.codec", strings.Repeat("x", 41), "avro.schema", delta.AvroSchema),
			[]string{`end: FILE: its blocks are packed with "` + strings.Repeat("x", 40) +
				`"; null, deflate and snappy are supported`}},
		"a text of less than nothing": {avroMagic + "\x02\x01", []string{"end: FILE: its header has more than 1 MiB"}},
		"the most negative count": {avroMagic + string(binary.AppendVarint(nil, -1<<63)) + "\x00",
			[]string{"end: FILE: its header has more than 1 MiB"}},
		"another magic": {"Obj\x02" + head[4:], []string{"end: FILE: it is no Avro container file"}},
	} {
		got := tellFile(tt.file, Options{Format: Avro})
		same := len(got) == len(tt.want)
		for i := range min(len(got), len(tt.want)) {
			same = same && strings.HasPrefix(got[i], tt.want[i])
		}
		if !same {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestLengthOfAvroHeaders: its texts may have a MiB, with a byte for the length of each.
func TestLengthOfAvroHeaders(t *testing.T) {
	for more, want := range map[int]string{0: "", 1: "end: FILE: its header has more than 1 MiB"} {
		pad := 1<<20 - len("avro.schema"+delta.AvroSchema+"x") - 4 + more
		head := avroHead("avro.schema", delta.AvroSchema, "x", strings.Repeat("p", pad))
		if got := strings.Join(tellFile(head, Options{}), "\n"); got != want {
			t.Errorf("%d more than may be: %q", more, got)
		}
	}
}

// TestRecordsOfAvro: which values of which types make a row, and what is wrong with the others.
func TestRecordsOfAvro(t *testing.T) {
	const (
		text  = `"string"`
		long  = `"long"`
		maybe = `["null","string","long",{"type":"array","items":"string"}]`
		kinds = `{"type":"enum","name":"M","symbols":["DELETE","UPDATE","x"]}`
		mark  = `["null","string"]`

		broken = "end: FILE: record 1: the record breaks the file's schema, or is cut off"
		noKind = "FILE: record 1: mutation_type is not what a row has"
		noTime = "FILE: record 1: logical_commit_time is not what a row has"
	)
	for _, tt := range []struct{ key, mutation, commit, value, record, want string }{
		{text, text, long, text, "\x02k" + avroText("UPDATE") + "\x05" + "\x02v", `UPDATE k -3 "v"`},
		{text, text, long, text, "\x02k" + avroText("DELETE") + "\x02" + "\x00", `DELETE k 1 ""`},
		{text, text, long, text, "\x02k" + avroText("DELETE") + "\x02" + "\x02v", "FILE: record 1: a delete has a value"},
		{text, text, long, text, "\x02k" + avroText("x") + "\x02" + "\x02v", noKind},
		{text, kinds, `"int"`, maybe, "\x02k" + "\x02" + "\x02" + "\x02\x02v", `UPDATE k 1 "v"`},
		{text, kinds, long, maybe, "\x02k" + "\x00" + "\x02" + "\x00", `DELETE k 1 ""`},
		{text, kinds, long, maybe, "\x02k" + "\x04" + "\x02" + "\x00", noKind},
		{text, kinds, long, maybe, "\x02k" + "\x06" + "\x02" + "\x00", broken},
		{text, kinds, long, maybe, "\x02k" + "\x01" + "\x02" + "\x00", broken},
		{text, kinds, long, maybe, "\x02k" + "\x02" + "\x02" + "\x00", "FILE: record 1: an update needs a value"},
		{text, kinds, long, maybe, "\x02k" + "\x02" + "\x02" + "\x04\x02",
			"FILE: record 1: value is neither text nor an array of texts"},
		{text, kinds, long, maybe, "\x02k" + "\x00" + "\x02" + "\x04\x02",
			"FILE: record 1: value is neither text nor an array of texts"},
		{text, kinds, long, maybe, "\x02k" + "\x02" + "\x02" + "\x06\x04\x02b\x02a\x00", `UPDATE k 1 ["a" "b"]`},
		{text, kinds, long, maybe, "\x02k" + "\x02" + "\x02" + "\x06\x00", `UPDATE k 1 []`},
		{text, kinds, long, maybe, "\x02k" + "\x00" + "\x02" + "\x06\x00", `DELETE k 1 ""`},
		{text, kinds, long, maybe, "\x02k" + "\x00" + "\x02" + "\x06\x02\x02a\x00", "FILE: record 1: a delete has a value"},
		{text, kinds, long, maybe, "\x02k" + "\x02" + "\x02" + "\x08", broken},
		{text, kinds, long, maybe, "\x02k" + "\x02" + "\x02" + "\x01", broken},
		{text, kinds, long, `"M"`, "\x02k" + "\x02" + "\x02" + "\x02",
			"FILE: record 1: value is neither text nor an array of texts"},
		{mark, kinds, long, text, "\x02\x02k" + "\x02" + "\x02" + "\x02v", `UPDATE k 1 "v"`},
		{mark, kinds, long, text, "\x00" + "\x02" + "\x02" + "\x02v", "FILE: record 1: key is not what a row has"},
		{mark, kinds, mark, text, "\x00" + "\x02" + "\x00" + "\x02v", "FILE: record 1: key is not what a row has"},
		{text, kinds, mark, text, "\x02k" + "\x02" + "\x00" + "\x02v", noTime},
		{text, kinds, mark, text, "\x02k" + "\x02" + "\x02\x02v" + "\x02v", noTime},
		{text, mark, long, text, "\x02k" + "\x00" + "\x02" + "\x02v", noKind},
		{text, kinds, long, text, "\x00" + "\x02" + "\x02" + "\x02v", "FILE: record 1: it has no key"},
		{text, kinds, long, text, "\x02\xff" + "\x02" + "\x02" + "\x02v", "FILE: record 1: it holds bytes that are no UTF-8"},
	} {
		schema := rowSchema(`"name":"R"`, tt.key, tt.mutation, tt.commit, tt.value)
		got := tellFile(avroHead("avro.schema", schema)+avroBlockOf(1, tt.record), Options{})
		if len(got) != 1 || !strings.HasPrefix(got[0], tt.want) {
			t.Errorf("%s, %s, %s, %s, %q: %q, want %q", tt.key, tt.mutation, tt.commit, tt.value, tt.record, got, tt.want)
		}
	}
}

// TestWhyASchemaIsRefused: the words for what a schema has that no row has, and for what is no schema.
func TestWhyASchemaIsRefused(t *testing.T) {
	const head, text, long = `"name":"R"`, `"string"`, `"long"`
	value := func(typ string) string { return rowSchema(head, text, text, long, typ) }
	const needs = "it needs key, mutation_type, logical_commit_time and value"
	const valueIs = `its schema's field "value": the type `
	for _, tt := range []struct{ schema, want string }{
		{`"string"`, "its schema is no record with the fields of a row: " + needs},
		{`["null"]`, "its schema is no record with the fields of a row: " + needs},
		{value(`"boolean"`), valueIs + `boolean is not one that a row has`},
		{value(`{"type":"map","values":"string"}`), valueIs + `map is not one that a row has`},
		{value(`["null","double"]`), valueIs + `double is not one that a row has`},
		{value(`{"type":"array","items":"long"}`), valueIs + `array is not one that a row has`},
		{value(`{"type":"array","items":"float"}`), valueIs + `array is not one that a row has`},
		{value(`{"type":"fixed","name":"F","size":4}`), valueIs + `fixed is not one that a row has`},
		{value(`"R"`), valueIs + `record is not one that a row has`},
		{strings.Replace(value(text), `"value"`, `"`+strings.Repeat("x", 41)+`"`, 1),
			`its schema's field "` + strings.Repeat("x", 40) + `" is none of a row: ` + needs},
		{strings.Replace(value(`"boolean"`), `"value"`, `"`+strings.Repeat("x", 41)+`"`, 1),
			`its schema's field "` + strings.Repeat("x", 40) + `": the type boolean`},
		{strings.Replace(value(text), `,{"name":"value","type":"string"}`, ``, 1),
			`its schema has no field "value": ` + needs},
		{strings.Replace(value(text), `{"name":"key","type":"string"},`, ``, 1), `its schema has no field "key": ` + needs},
		{`{"type":"record","name":"R","fields":[]}`, `its schema has no field "key": ` + needs},
		{value(`"text"`), `there is no type "text"`}, {value(`["null",["string"]]`), "[string] is a union in a union"},
		{value(`7`), "7 is no type"}, {value(`{"type":7}`), "map[type:7] is no type"},
		{value(`["null","text"]`), `there is no type "text"`}, {value(`{"type":["text"]}`), `there is no type "text"`},
		{value(`{"type":"array","items":"text"}`), `there is no type "text"`},
		{value(`{"type":"map","values":"text"}`), `there is no type "text"`},
		{value(`{"type":"enum","symbols":["a"]}`), "the type enum needs a name"},
		{value(`{"type":"enum","name":"","symbols":["a"]}`), "the type enum needs a name"},
		{value(`{"type":"enum","name":"R","symbols":["a"]}`), `there are two types "R"`},
		{value(`{"type":"enum","name":"M","symbols":["a",1]}`), "the symbols of an enum are a list of names, not [a 1]"},
		{value(`{"type":"enum","name":"M","symbols":[1,"a"]}`), "the symbols of an enum are a list of names, not [1 a]"},
		{value(`{"type":"enum","name":"M","symbols":"a"}`), "the symbols of an enum are a list of names, not a"},
		{`{"type":"record","name":"R","fields":7}`, "the fields of a record are a list, not 7"},
		{`{"type":"record","name":"R","fields":[7]}`, "a field has a name and a type, not 7"},
		{`{"type":"record","name":"R","fields":[{"name":"","type":"long"}]}`, "a field has a name and a type, not map["},
		{`{"type":"record","name":"R","fields":[{"name":"key","type":"text"}]}`, `there is no type "text"`},
		{`{"type":"record","name":"R","fields":[{"name":"key"}]}`, "a field has a name and a type, not map[name:key]"},
		{strings.Replace(value(text), `"value"`, `"key"`, 1), `there are two fields "key"`},
		{rowSchema(`"name":".R","namespace":"a"`, text, `{"type":"enum","name":"M","symbols":["x"]}`, long, `"a.M"`),
			`there is no type "a.M"`},
		{`{"type":`, "unexpected end of JSON input"},
	} {
		plan, err := ownPlan(tt.schema)
		if plan != nil || err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.schema, err, tt.want)
		}
		got := tellFile(avroHead("avro.schema", tt.schema), Options{})
		if len(got) != 1 || !strings.HasPrefix(got[0], "end: FILE: its schema") {
			t.Errorf("%s: %q", tt.schema, got)
		}
	}
	long200 := avroHead("avro.schema", `"`+strings.Repeat("x", 300)+`"`)
	want := `end: FILE: its schema cannot be read: "` + strings.ReplaceAll(`there is no type "`, `"`, `\"`) +
		strings.Repeat("x", 200-len(`there is no type "`)) + `"`
	if got := strings.Join(tellFile(long200, Options{}), "\n"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestReadN gives what is there, and sets no memory aside for what is not.
func TestReadN(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789abc"), 300_000)
	for _, n := range []int{0, 1, growth - 1, growth, growth + 1, 3*growth + 5} {
		for _, before := range [][]byte{nil, []byte("before"), make([]byte, 0, 2*growth+1)} {
			got, err := readN(bytes.NewReader(data), before, n)
			if err != nil || !bytes.Equal(got, slices.Concat(before, data[:n])) {
				t.Errorf("%d bytes behind %d: %d, %v", n, len(before), len(got), err)
			}
		}
	}
	for there, want := range map[int]error{0: io.EOF, 10: io.ErrUnexpectedEOF, growth + 3: io.ErrUnexpectedEOF} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := readN(bytes.NewReader(data[:there]), nil, MaxBlock)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, want) || took > 16*growth {
			t.Errorf("%d bytes of many: %v, and %d bytes of memory", there, err, took)
		}
	}
}

// TestUnpackedBlocks may have 64 MiB and no more, and have to be what was packed.
func TestUnpackedBlocks(t *testing.T) {
	var mib, end bytes.Buffer
	w, err := flate.NewWriter(&mib, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write(make([]byte, 1<<20)) // into memory, as what follows
	_ = w.Flush()
	w.Reset(&end)
	_ = w.Close()
	w.Reset(io.Discard)
	var one bytes.Buffer
	w.Reset(&one)
	_, _ = w.Write([]byte("x"))
	_ = w.Close()
	whole := bytes.Repeat(mib.Bytes(), MaxBlock>>20)
	out, err := inflate(append(bytes.Clone(whole), end.Bytes()...))
	if err != nil || len(out) != MaxBlock {
		t.Errorf("64 MiB: %d bytes, %v", len(out), err)
	}
	if _, err := inflate(append(bytes.Clone(whole), one.Bytes()...)); err != errUnpacked {
		t.Errorf("a byte more: %v", err)
	}
	packed := snappy.Encode(nil, []byte("abcabcabcabcabcabcabc"))
	sum := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte("abcabcabcabcabcabcabc")))
	size := func(n uint64) string { return string(binary.AppendUvarint(nil, n)) + "1234" }
	for block, want := range map[string]string{string(packed) + string(sum): "abcabcabcabcabcabcabc",
		"\x00\x00\x00\x00\x00":  "",
		"":                      "error: the compressed data is damaged",
		"\x00\x00\x00":          "error: the compressed data is damaged",
		"\x00\x00\x00\x00":      "error: the compressed data is damaged",
		string(packed) + "1234": "error: the compressed data is damaged",
		"\x04" + string(packed[1:]) + string(sum): "error: the compressed data is damaged",
		size(MaxBlock):     "error: the compressed data is damaged",
		size(MaxBlock + 1): "error: it unpacks to more than 64 MiB",
	} {
		out, err := unsnap([]byte(block))
		got := string(out)
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != want || err != nil && out != nil {
			t.Errorf("%q: %s, want %s", block, got, want)
		}
	}
}

// TestBlocksThatAreWritten are full from 64 KiB on, and none is empty.
func TestBlocksThatAreWritten(t *testing.T) {
	head := len(write(t, Avro, 0, nil))
	for size, want := range map[int][]int64{1<<16 - 1: {2}, 1 << 16: {1, 1}, 1<<16 + 1: {1, 1}} {
		row := delta.Row{Key: []byte("k"), Value: bytes.Repeat([]byte("v"), size-8)}
		if b, err := delta.AppendAvro(nil, &row); err != nil || len(b) != size {
			t.Fatalf("a row of %d bytes, want %d, %v", len(b), size, err)
		}
		b := write(t, Avro, 0, []delta.Row{row, row})[head:]
		var got []int64
		for len(b) > 0 {
			count, n := binary.Varint(b)
			length, m := binary.Varint(b[n:])
			got = append(got, count)
			b = b[n+m+int(length)+syncSize:]
		}
		if !slices.Equal(got, want) {
			t.Errorf("rows of %d bytes: blocks of %d", size, got)
		}
	}
}
