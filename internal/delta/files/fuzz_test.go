package files

import (
	"bytes"
	"io"
	"testing"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// fuzz reads a file of one format in small pieces of memory: no content makes the reader fail
// but with an error, and what it reads can be written to a compact file and read back.
func fuzz(f *testing.F, format Format, seeds ...string) {
	f.Add(write(f, format, 2, someRows()[:9]))
	f.Add(write(f, format, 0, nil))
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		var rows []delta.Row
		r, err := NewReader(bytes.NewReader(content), Options{Name: "FILE", Format: format, Bad: func(e *RowError) {
			if e.Final || e.Error() == "" {
				t.Errorf("not a bad row: %v", e)
			}
		}})
		if err != nil {
			return
		}
		for err == nil {
			var row delta.Row
			if err = r.Next(&row); err == nil {
				row.Key, row.Value = bytes.Clone(row.Key), bytes.Clone(row.Value)
				rows = append(rows, row)
			}
		}
		if err != io.EOF {
			if bad, ok := err.(*RowError); !ok || !bad.Final {
				t.Fatalf("it ended with %v", err)
			}
		}
		back, err := read(bytes.NewReader(write(t, Compact, 0, rows)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := same(rows, back); len(rows) > 0 && diff != "" {
			t.Fatal(diff)
		}
		// Where the format can hold a row, it holds it.
		var b bytes.Buffer
		w, err := NewWriter(&b, format, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			if err := w.Write(&rows[i]); err != nil {
				t.Fatalf("row %d was read from this format and cannot be written to it: %v", i, err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		back, err = read(&b, Options{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		if diff := same(rows, back); len(rows) > 0 && diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzCSV(f *testing.F) {
	fuzz(f, CSV, csvHeader, csvHeader+"\r\n\"k\"\"\",UPDATE,1,\"a\r\nb\",string\r\n",
		"value,key,mutation_type,logical_commit_time\n")
}

func FuzzJSONLines(f *testing.F) { fuzz(f, JSONLines, "{}\n{\n", `{"key":"\u0000","value":[]}`) }

func FuzzAvro(f *testing.F) {
	fuzz(f, Avro, container("null", 1, 5, "\x02k\x02\x02\x00"+avroSync),
		container("snappy", 1, 6, "\x05abcde"+avroSync),
		container("deflate", 1, 3, "\xff\xff\xff"+avroSync))
}

func FuzzCompact(f *testing.F) { fuzz(f, Compact, compactMagic+"\x00", compactMagic+"\x3c") }
