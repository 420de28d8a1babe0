package files

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/delta"
)

func someRows() []delta.Row {
	rows := []delta.Row{
		{Key: []byte("a"), Value: []byte("1"), Commit: 1_700_000_000_000_000},
		{Key: []byte("a,b"), Value: []byte("say \"hi\"\r\nand\ngo\r"), Commit: -1},
		{Key: []byte("a"), Kind: delta.Delete, Commit: -1 << 63},
		{Key: []byte("ü"), Type: delta.Set, Value: delta.AppendSet(nil, "y", "x,\"", "", "x"), Commit: 1<<63 - 1},
		{Key: []byte("empty"), Value: []byte{}},
		{Key: []byte("empty set"), Type: delta.Set, Value: []byte{}},
		{Key: []byte("set of nothing"), Type: delta.Set, Value: delta.AppendSet(nil, "")},
		{Key: []byte(" spaces "), Value: []byte(` `)},
		{Key: []byte(`"`), Value: []byte(`""`)},
		{Key: []byte("long"), Value: bytes.Repeat([]byte("v,"), 200_000)},
	}
	return rows
}

func write(t testing.TB, f Format, batch int, rows []delta.Row) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, f, batch)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if err := w.Write(&rows[i]); err != nil {
			t.Fatalf("row %d: %v", i, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// read reads all rows, with memory of their own.
func read(in io.Reader, o Options) ([]delta.Row, error) {
	if o.Name == "" {
		o.Name = "FILE"
	}
	r, err := NewReader(in, o)
	if err != nil {
		return nil, err
	}
	rows := []delta.Row{}
	for {
		var row delta.Row
		if err := r.Next(&row); err == io.EOF {
			return rows, nil
		} else if err != nil {
			return rows, err
		}
		row.Key = bytes.Clone(row.Key)
		row.Value = bytes.Clone(row.Value)
		rows = append(rows, row)
	}
}

// same compares rows; of a value of no bytes it does not matter what it is made of.
func same(a, b []delta.Row) string {
	return cmp.Diff(a, b, cmp.Comparer(func(a, b []byte) bool { return bytes.Equal(a, b) }))
}

func TestEveryFormatRoundTrips(t *testing.T) {
	for _, f := range Formats() {
		for _, rows := range [][]delta.Row{someRows(), {}, someRows()[:1]} {
			b := write(t, f, 3, rows)
			// The format is found without its name, and the reader takes what comes byte by byte.
			for _, in := range []io.Reader{bytes.NewReader(b), iotest.OneByteReader(bytes.NewReader(b))} {
				o := Options{}
				if f == JSONLines {
					o.Name = "x.jsonl" // one without rows is empty
				}
				got, err := read(in, o)
				if err != nil {
					t.Fatalf("%v: %v", f, err)
				}
				if diff := same(rows, got); diff != "" {
					t.Errorf("%v (-written +read):\n%s", f, diff)
				}
			}
			if again := write(t, f, 3, rows); !bytes.Equal(b, again) {
				t.Errorf("%v: the same rows made another file", f)
			}
		}
	}
}

func TestWriterOutput(t *testing.T) {
	got := string(write(t, CSV, 0, someRows()[:9]))
	want := csvHeader + "\n" +
		"a,UPDATE,1700000000000000,1,string\n" +
		"\"a,b\",UPDATE,-1,\"say \"\"hi\"\"\r\nand\ngo\r\",string\n" +
		"a,DELETE,-9223372036854775808,,\n" +
		"ü,UPDATE,9223372036854775807,\"|x|x,\"\"|y\",string_set\n" +
		"empty,UPDATE,0,,string\n" +
		"empty set,UPDATE,0,,string_set\n" +
		"set of nothing,UPDATE,0,|,string_set\n" +
		" spaces ,UPDATE,0, ,string\n" +
		"\"\"\"\",UPDATE,0,\"\"\"\"\"\",string\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWriterRejectsRows(t *testing.T) {
	binary := delta.Row{Key: []byte("\xff")}
	nul := delta.Row{Key: []byte("k"), Value: []byte("a\x00b")}
	bar := delta.Row{Key: []byte("k"), Type: delta.Set, Value: delta.AppendSet(nil, "a|b")}
	keyless := delta.Row{Value: []byte("v")}
	for _, tt := range []struct {
		name string
		row  delta.Row
		can  string // the formats that can
	}{
		{"binary", binary, "compact"}, {"NUL", nul, "jsonl avro compact"},
		{"separator", bar, "jsonl avro compact"}, {"no key", keyless, ""},
	} {
		for _, f := range Formats() {
			var b bytes.Buffer
			w, err := NewWriter(&b, f, 0)
			if err != nil {
				t.Fatal(err)
			}
			err = w.Write(&tt.row)
			var bad *RowError
			if can := strings.Contains(tt.can, f.String()); can != (err == nil) || !can && !errors.As(err, &bad) {
				t.Errorf("%s, %v: %v", tt.name, f, err)
			}
			// The writer goes on, and nothing of the row is there.
			if err := w.Write(&someRows()[0]); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			rows, err := read(&b, Options{})
			if err != nil || same(rows[len(rows)-1:], someRows()[:1]) != "" {
				t.Errorf("%s, %v: %v, %v", tt.name, f, rows, err)
			}
		}
	}
}

func TestReaderRejectsForeignFiles(t *testing.T) {
	for _, tt := range []struct{ name, content, want string }{
		{"nothing", "", "FILE: the file is empty"},
		{"gzip", "\x1f\x8b\x08\x00", "compressed with gzip: decompress it first"},
		{"zstd", "\x28\xb5\x2f\xfd\x00", "compressed with zstd"},
		{"zip", "PK\x03\x04", "zip archive"},
		{"Parquet", "PAR1", "Parquet"},
		{"UTF-16", "\xff\xfek\x00", "UTF-16"},
		{"JSON array", "[{}]", "jq -c '.[]'"},
		{"Avro, only the magic", avroMagic, "FILE: the file is truncated in its header"},
		{"compact, only the magic", compactMagic[:5], "FILE: the file is truncated in its header"},
		{"compact, another version", "PLMF\x02\x00\x00\x00", "FILE: it is a compact file of another version"},
		{"text", "hello\n", `FILE:1: unknown column "hello": the first line must be key,`},
		{"a CSV file without its header", "k,UPDATE,1,v,string\n", `FILE:1: unknown column "k"`},
		{"only a mark", utf8Mark, "FILE: the file is empty: the first line"},
	} {
		_, err := read(strings.NewReader(tt.content), Options{})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		var bad *RowError
		if !errors.As(err, &bad) || !bad.Final {
			t.Errorf("%s: %v is not final", tt.name, err)
		}
	}
	// A disk that breaks is no bad row, wherever it does.
	for _, before := range []string{"", csvHeader + "\n", csvHeader + "\nk,UPDATE,1,\"v\n", `{"key":`,
		compactMagic + "\x50", avroMagic} {
		broken := errors.New("broken disk")
		in := io.MultiReader(strings.NewReader(before), iotest.ErrReader(broken))
		_, err := read(in, Options{Bad: func(e *RowError) { t.Errorf("%q: a bad row: %v", before, e) }})
		if !errors.Is(err, broken) {
			t.Errorf("%q: %v", before, err)
		}
	}
}

// checkBad reads a file twice, to the first bad row and past all of them.
func TestWriterReportsFullDisk(t *testing.T) {
	for _, f := range Formats() {
		w, err := NewWriter(&fullDisk{room: 1000}, f, 3)
		for i := 0; err == nil && i < 1000; i++ {
			err = w.Write(&someRows()[9])
		}
		var bad *RowError
		if err == nil || errors.As(err, &bad) {
			t.Errorf("%v: %v", f, err)
		}
		for _, row := range []delta.Row{someRows()[0], someRows()[9]} { // which the buffer holds, and does not
			w, err = NewWriter(&fullDisk{}, f, 3)
			if err == nil {
				err = w.Write(&row)
			}
			if err == nil {
				err = w.Close()
			}
			if err == nil {
				t.Errorf("%v: a row of %d bytes on a full disk, and no error", f, len(row.Value))
			}
		}
	}
}

type fullDisk struct{ room int }

func (d *fullDisk) Write(b []byte) (int, error) {
	if len(b) > d.room {
		return 0, errors.New("no space left on device")
	}
	d.room -= len(b)
	return len(b), nil
}

// Beyond the limit the keys are estimated, within four standard errors, and no state is claimed.
// A row costs no memory: reading and writing twice as many rows allocates as often, but for
// JSON, whose library makes strings.
