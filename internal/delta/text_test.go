package delta

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJSONOfARow(t *testing.T) {
	var lines []string
	for _, r := range someRows()[:6] {
		b, err := AppendJSON(nil, &r)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(b))
	}
	want := []string{
		`{"key":"a","mutation_type":"UPDATE","logical_commit_time":1700000000000000,"value":"1"}`,
		`{"key":"key number two, which is longer than thirty-one ` +
			`bytes","mutation_type":"UPDATE","logical_commit_time":1700000000000001,"value":"ü"}`,
		`{"key":"a","mutation_type":"DELETE","logical_commit_time":-9223372036854775808}`,
		`{"key":"s","mutation_type":"UPDATE","logical_commit_time":9223372036854775807,"value":["","x","y"]}`,
		`{"key":"empty","mutation_type":"UPDATE","logical_commit_time":-1,"value":""}`,
		`{"key":"empty set","mutation_type":"UPDATE","logical_commit_time":0,"value":[]}`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

func TestParseJSONRejectsBadRows(t *testing.T) {
	for _, tt := range []struct{ json, want string }{
		{``, "truncated"},
		{`[]`, "not a JSON object"},
		{`{`, "truncated"},
		{`{"mutation_type":"UPDATE","logical_commit_time":1,"value":"v"}`, `missing member "key"`},
		{`{"key":"k","logical_commit_time":1,"value":"v"}`, `missing member "mutation_type"`},
		{`{"key":"k","mutation_type":"UPDATE","value":"v"}`, `missing member "logical_commit_time"`},
		{`{"key":"k","mutation_type":"UPDATE","logical_commit_time":1}`, "requires a value"},
		{`{"key":"k","mutation_type":"UPDATE","logical_commit_time":1,"value":null}`, "requires a value"},
		{`{"key":"","mutation_type":"UPDATE","logical_commit_time":1,"value":""}`, "no key"},
		{`{"key":"k","mutation_type":"DELETE","logical_commit_time":1,"value":"v"}`, "a delete must not have a value"},
		{`{"key":"k","mutation_type":"INSERT","logical_commit_time":1,"value":"v"}`, `"INSERT", not UPDATE or DELETE`},
		{`{"key":"k","mutation_type":"UPDATE","logical_commit_time":1.5,"value":"v"}`, "not a 64-bit integer"},
		{`{"key":"k","mutation_type":"UPDATE","logical_commit_time":"1","value":"v"}`, "not a 64-bit integer"},
		{`{"key":"k","mutation_type":"UPDATE","logical_commit_time":9223372036854775808,"value":"v"}`,
			"not a 64-bit integer"},
		{`{"key":1,"mutation_type":"UPDATE","logical_commit_time":1,"value":"v"}`, "key is not a string"},
		{`{"key":"k","mutation_type":"UPDATE","logical_commit_time":1,"value":1}`, "neither a string nor"},
		{`{"key":"k","mutation_type":"UPDATE","logical_commit_time":1,"value":[1]}`, "something other than strings"},
		{`{"key":"k","mutation_type":"UPDATE","logical_commit_time":1,"value":["a",null]}`,
			"something other than strings"},
		{`{"key":"k","mutation_type":"UPDATE","logical_commit_time":1,"value":"v","ttl":3}`, `unknown member "ttl"`},
		{`{"key":"k","key":"l","mutation_type":"UPDATE","logical_commit_time":1,"value":"v"}`, `duplicate member "key"`},
		{"{\"key\":\"\xff\",\"mutation_type\":\"UPDATE\",\"logical_commit_time\":1,\"value\":\"v\"}", "invalid UTF-8"},
		{`{"key":"k","mutation_type":"DELETE","logical_commit_time":1} {}`, "invalid JSON at byte"},
	} {
		var r Row
		err := ParseJSON([]byte(tt.json), &r)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.json, err, tt.want)
		}
	}
	var r Row
	if err := ParseJSON([]byte(`{"value":["b","a","b"],"logical_commit_time":1,"mutation_type":"update","key":"k"}`),
		&r); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Row{Key: []byte("k"), Type: Set, Value: AppendSet(nil, "a", "b"), Commit: 1}, r); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyCompactCarriesInvalidUTF8(t *testing.T) {
	for name, r := range map[string]Row{
		"key":     {Key: []byte("\xff")},
		"value":   {Key: []byte("k"), Value: []byte("\xc0")},
		"element": {Key: []byte("k"), Type: Set, Value: AppendSet(nil, "\xc0")},
	} {
		for codec := Compact; codec <= Avro; codec++ {
			_, err := Append(nil, &Header{Codec: codec}, []Row{r})
			if (err == nil) != (codec == Compact) {
				t.Errorf("%s, %v: error %v", name, codec, err)
			}
		}
	}
}

// Rows of the codecs JSON and Avro that somebody else may write, and must not.
func TestDecodeForeignBodies(t *testing.T) {
	for _, tt := range []struct {
		name  string
		codec Codec
		count int
		body  string
		want  string // "" for none
	}{
		{"spaces", JSON, 1, ` [ {"key":"k","mutation_type":"DELETE","logical_commit_time":1} ] `, ""},
		{"not an array", JSON, 1, `{"key":"k","mutation_type":"DELETE","logical_commit_time":1}`, "not an array"},
		{"more than one array", JSON, 0, `[][]`, "after the array"},
		{"no end", JSON, 1, `[{"key":"k","mutation_type":"DELETE","logical_commit_time":1}`, "row 2"},
		{"bad row", JSON, 1, `[{"key":"k"}]`, "row 1"},
		{"count", JSON, 2, `[{"key":"k","mutation_type":"DELETE","logical_commit_time":1}]`, "the header says 2"},
		{"a count beyond the bytes", JSON, 1 << 30, `[]`, "do not fit into"},
		{"two blocks, one with its size", Avro, 2, "\x02\x02k\x02\x02\x00\x01\x0a\x02l\x02\x02\x00\x00", ""},
		{"an array in blocks", Avro, 1, "\x02\x02k\x00\x02\x04\x02\x02b\x02\x02a\x00\x00", ""},
		{"a count of 2^62", Avro, 1, string(binary.AppendVarint(nil, 1<<62)), "truncated"},
		{"the most negative count", Avro, 1, string(binary.AppendVarint(nil, -1<<63)) + "\x00", "truncated"},
		{"no end", Avro, 1, "\x02\x02k\x02\x02\x00", "truncated"},
		{"a negative length", Avro, 1, "\x02\x01k\x02\x02\x00\x00", "truncated"},
		{"a kind too many", Avro, 1, "\x02\x02k\x04\x02\x00\x00", "neither an update nor"},
		{"a branch too many", Avro, 1, "\x02\x02k\x02\x02\x06\x00", "not in the schema"},
		{"an update of null", Avro, 1, "\x02\x02k\x00\x02\x00\x00", "requires a value"},
		{"a delete of a string", Avro, 1, "\x02\x02k\x02\x02\x02\x02v\x00", "a delete must not have one"},
		{"no key", Avro, 1, "\x02\x00\x02\x02\x00\x00", "no key"},
		{"no text", Avro, 1, "\x02\x02\xff\x02\x02\x00\x00", "UTF-8"},
		{"behind", Avro, 0, "\x00\x00", "after the last row"},
		{"count", Avro, 2, "\x02\x02k\x02\x02\x00\x00", "the header says 2"},
	} {
		t.Run(tt.codec.String()+", "+tt.name, func(t *testing.T) {
			b := appendHeader(nil, &Header{Codec: tt.codec, Count: uint32(tt.count)})
			b = append(append(b, tt.body...), 0, 0, 0, 0)
			resum(b)
			_, _, err := Decode(b, nil)
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func BenchmarkText(b *testing.B) {
	for _, codec := range []Codec{JSON, Avro} {
		h, rows, _ := batchOf(b, 1000)
		h.Codec = codec
		m, err := Append(nil, &h, rows)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(codec.String()+"/encode", func(b *testing.B) {
			for b.Loop() {
				m, _ = Append(m[:0], &h, rows)
			}
			perUpdate(b, 1000)
			b.ReportMetric(float64(len(m))/1000, "bytes/update")
		})
		b.Run(codec.String()+"/decode", func(b *testing.B) {
			for b.Loop() {
				if _, _, err := Decode(m, rows); err != nil {
					b.Fatal(err)
				}
			}
			perUpdate(b, 1000)
		})
	}
}
