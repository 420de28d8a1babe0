package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hamba/avro/v2"
	"github.com/hamba/avro/v2/ocf"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// foreign is a row as somebody else's library sees it.
type foreign struct {
	Key      string `avro:"key"`
	Mutation string `avro:"mutation_type"`
	Commit   int64  `avro:"logical_commit_time"`
	Value    any    `avro:"value"`
}

// What we write, the library reads.
func TestLibraryReadsOurAvro(t *testing.T) {
	rows := someRows()
	d, err := ocf.NewDecoder(bytes.NewReader(write(t, Avro, 0, rows)), ocf.WithDecoderConfig(avro.Config{}.Freeze()))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for ; d.HasNext(); n++ {
		var got foreign
		if err := d.Decode(&got); err != nil {
			t.Fatalf("row %d: %v", n, err)
		}
		r := &rows[n]
		var value any
		switch {
		case r.Type == delta.Set:
			elements := []any{}
			for e := range delta.Elements(r.Value) {
				elements = append(elements, string(e))
			}
			value = map[string]any{"array": elements}
		case r.Kind == delta.Update:
			value = map[string]any{"string": string(r.Value)}
		}
		if diff := cmp.Diff(foreign{string(r.Key), r.Kind.String(), r.Commit, value}, got); diff != "" {
			t.Errorf("row %d (-written +read):\n%s", n, diff)
		}
	}
	if err := d.Error(); err != nil || n != len(rows) {
		t.Errorf("%d rows, %v", n, err)
	}
}

// What the library writes, we read: with every compression that is promised.
func TestReaderReadsAvroOfLibrary(t *testing.T) {
	rows := someRows()[:2]
	for _, codec := range []ocf.CodecName{ocf.Null, ocf.Deflate, ocf.Snappy} {
		var b bytes.Buffer
		e, err := ocf.NewEncoder(delta.AvroSchema, &b, ocf.WithCodec(codec), ocf.WithBlockLength(1))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if err := e.Encode(foreign{string(r.Key), r.Kind.String(), r.Commit, string(r.Value)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := read(&b, Options{})
		if diff := same(rows, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", codec, err, diff)
		}
	}
}

// Schemas of others, which need not be ours.
func TestAvroSchemas(t *testing.T) {
	record := func(fields ...string) string {
		return `{"type":"record","name":"R","fields":[` + strings.Join(fields, ",") + `]}`
	}
	const (
		key      = `{"name":"key","type":"string"}`
		mutation = `{"name":"mutation_type","type":"string"}`
		commit   = `{"name":"logical_commit_time","type":"long"}`
		value    = `{"name":"value","type":"string"}`
	)
	for _, tt := range []struct {
		name, schema string
		value        any
		want         string // of the error; "" for none
	}{
		{"all plain", record(key, mutation, commit, value),
			map[string]any{"key": "k", "mutation_type": "UPDATE", "logical_commit_time": int64(7), "value": "v"}, ""},
		{"another order, bytes, int, nullable",
			record(`{"name":"value","type":["null","bytes"]}`, `{"name":"logical_commit_time","type":["int","null"]}`,
				`{"name":"key","type":"bytes"}`,
				`{"name":"mutation_type","type":{"type":"enum","name":"M","symbols":["DELETE","UPDATE"]}}`),
			map[string]any{"key": []byte("k"), "mutation_type": "UPDATE", "logical_commit_time": 7,
				"value": []byte("v")}, ""},
		{"no record", `"string"`, "x", "not a record with the fields"},
		{"a field too many", record(key, mutation, commit, value, `{"name":"ttl","type":"long"}`),
			map[string]any{"key": "k", "mutation_type": "UPDATE", "logical_commit_time": int64(7), "value": "v",
				"ttl": int64(1)}, `unknown field "ttl"`},
		{"a field too few", record(key, mutation, commit),
			map[string]any{"key": "k", "mutation_type": "UPDATE", "logical_commit_time": int64(7)}, `no field "value"`},
		{"a double", record(key, mutation, `{"name":"logical_commit_time","type":"double"}`, value),
			map[string]any{"key": "k", "mutation_type": "UPDATE", "logical_commit_time": 7.0, "value": "v"},
			"the type double"},
		{"a number as key", record(`{"name":"key","type":"long"}`, mutation, commit, value),
			map[string]any{"key": int64(1), "mutation_type": "UPDATE", "logical_commit_time": int64(7), "value": "v"},
			"record 1: key has an unsupported type"},
		{"another mutation", record(key, mutation, commit, value),
			map[string]any{"key": "k", "mutation_type": "INSERT", "logical_commit_time": int64(7), "value": "v"},
			"record 1: mutation_type has an unsupported type"},
		{"a delete without null", record(key, mutation, commit, value),
			map[string]any{"key": "k", "mutation_type": "DELETE", "logical_commit_time": int64(7), "value": "v"},
			"record 1: a delete must not have a value"},
		{"no time", record(key, mutation, `{"name":"logical_commit_time","type":["null","long"]}`, value),
			map[string]any{"key": "k", "mutation_type": "UPDATE", "logical_commit_time": nil, "value": "v"},
			"record 1: logical_commit_time has an unsupported type"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			e, err := ocf.NewEncoder(tt.schema, &b, ocf.WithEncoderSchemaCache(&avro.SchemaCache{}))
			if err != nil {
				t.Fatal(err)
			}
			if err := e.Encode(tt.value); err != nil {
				t.Fatal(err)
			}
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			rows, err := read(&b, Options{})
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%v, want %q", err, tt.want)
				}
				return
			}
			if diff := same([]delta.Row{{Key: []byte("k"), Commit: 7, Value: []byte("v")}}, rows); diff != "" ||
				err != nil {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}

// container is a file with one block that says what the test wants.
func container(codec string, count, size int64, data string) string {
	text := func(b []byte, s string) []byte { return append(binary.AppendVarint(b, int64(len(s))), s...) }
	b := binary.AppendVarint([]byte(avroMagic), 2)
	b = text(text(b, "avro.schema"), delta.AvroSchema)
	b = text(text(b, "avro.codec"), codec)
	b = append(append(b, 0), avroSync...)
	b = binary.AppendVarint(binary.AppendVarint(b, count), size)
	return string(b) + data
}

func TestHostileAvroIsRejected(t *testing.T) {
	const one = "\x02k\x02\x02\x00"         // a delete of k
	bomb := "\xff\xff\xff\xff\x0f" + "xxxx" // snappy: 4 GiB
	for _, tt := range []struct{ name, file, want string }{
		{"right", container("null", 1, 5, one+avroSync), ""},
		{"a block of 8 EiB", container("null", 1, 1<<62, one), "limited to 64 MiB"},
		{"a block of less than nothing", container("null", 1, -1, one), "must not be negative"},
		{"records of less than nothing", container("null", -1, 5, one+avroSync), "must not be negative"},
		{"64 MiB that are not there", container("null", 1, MaxBlock, one), "block 1: truncated"},
		{"more records than there are", container("null", 2, 5, one+avroSync),
			"record 2: the record does not match the schema, or is truncated"},
		{"a branch that the union has not", container("null", 1, 5, "\x02k\x02\x02\x0e"+avroSync),
			"record 1: the record does not match the schema"},
		{"a branch below zero", container("null", 1, 5, "\x02k\x02\x02\x01"+avroSync),
			"record 1: the record does not match the schema"},
		{"a symbol that the enum has not", container("null", 1, 5, "\x02k\x06\x02\x00"+avroSync),
			"record 1: the record does not match the schema"},
		{"fewer", container("null", 1, 10, one+one+avroSync), "extra bytes after the last record"},
		{"no mark", container("null", 1, 5, one), "block 1: truncated"},
		{"half a mark", container("null", 1, 5, one+avroSync[:8]), "block 1: truncated"},
		{"another mark", container("null", 1, 5, one+avroSync[:15]+"x"),
			"block 1: the sync marker at its end is missing"},
		{"a snappy bomb", container("snappy", 1, int64(len(bomb)), bomb+avroSync), "decompressed size exceeds 64 MiB"},
		{"bad snappy", container("snappy", 1, 6, "\x05abcde"+avroSync), "compressed data is damaged"},
		{"bad deflate", container("deflate", 1, 3, "\xff\xff\xff"+avroSync), "compressed data is damaged"},
		{"a codec that is not supported", container("zstandard", 1, 5, one),
			`the codec "zstandard"; null, deflate and snappy are supported`},
		{"a header of 2^62 bytes", avroMagic + string(binary.AppendVarint(binary.AppendVarint(nil, 1), 1<<62)),
			"its header exceeds 1 MiB"},
		{"a header of 2^62 entries", avroMagic + string(binary.AppendVarint(nil, 1<<62)),
			"its header exceeds 1 MiB"},
		{"a number of eleven bytes", avroMagic + strings.Repeat("\xff", 20), "overflow"},
		{"a schema that is not shown", avroMagic + "\x02\x16avro.schema\x80\x02" + strings.Repeat("[", 124) +
			"\x1b[2J\x00" + avroSync, `cannot parse its schema: "`},
		{"no schema", avroMagic + "\x00" + avroSync, "cannot parse its schema"},
	} {
		rows, err := read(strings.NewReader(tt.file), Options{Bad: func(*RowError) {}})
		if tt.want == "" {
			if err != nil || len(rows) != 1 {
				t.Errorf("%s: %v, %v", tt.name, rows, err)
			}
			continue
		}
		var bad *RowError
		if !errors.As(err, &bad) || !bad.Final || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// A file that is truncated anywhere but between two blocks is noticed. Between two it cannot be:
// the format does not say how many there are.
func TestTruncatedAvroIsRejected(t *testing.T) {
	rows := someRows()
	b := write(t, Avro, 0, rows[:9])
	whole := bytes.Index(b, []byte(avroSync)) + syncSize // the end of the header
	for cut := range b {
		_, err := read(bytes.NewReader(b[:cut]), Options{Format: Avro})
		if (err == nil) != (cut == whole) {
			t.Errorf("cut after %d of %d bytes: %v", cut, len(b), err)
		}
	}
}

// A record that is no row is one bad row: the next one is where it should be.
func TestReaderContinuesAfterBadAvroRecord(t *testing.T) {
	k := delta.Row{Key: []byte("k"), Value: []byte("v")}
	b := write(t, Avro, 0, []delta.Row{k, {Key: []byte("x"), Value: []byte("v")}, k})
	at := bytes.LastIndex(b, []byte("\x02x\x00"))
	b[at+2] = 2 // it becomes a delete, and keeps its value
	checkBad(t, string(b), []delta.Row{k, k}, []string{"FILE: record 2: a delete must not have a value"})
}
