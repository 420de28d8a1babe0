package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// TestWhatNamesSay: numbers and formats of file names, and the names of formats.
func TestWhatNamesSay(t *testing.T) {
	if MaxNumber != 9999999999999999 || Name(MaxNumber, JSONLines) != "DELTA_9999999999999999.jsonl" ||
		Name(0, Auto) != "DELTA_0000000000000000.auto" {
		t.Error(Name(MaxNumber, JSONLines), Name(0, Auto))
	}
	for name, want := range map[string]uint64{"DELTA_0000000000000000": 0, "DELTA_1234567890123456.": 1234567890123456,
		"a/DELTA_0000000000000007.x": 7, "DELTA_0000000000000009.csv.old": 9, "DELTA_0000000000000008.partial.csv": 8} {
		if n, ok := ParseName(name); n != want || !ok {
			t.Errorf("%s: %d, %v", name, n, ok)
		}
	}
	for _, name := range []string{"DELTA_000000000000004", "DELTA_+000000000000042", "DELTA_0000000000000_42",
		"DELTA_00000000000000:2", "DELTA_0000000000000042x", "DELTA_0000000000000042.partial", "xDELTA_0000000000000042"} {
		if n, ok := ParseName(name); n != 0 || ok {
			t.Errorf("%s: %d", name, n)
		}
	}
	for name, want := range map[string]Format{"x.csv": CSV, "x.JSONL": JSONLines, "x.ndjson": JSONLines,
		"x.Json": JSONLines, "x.avro": Avro, "x.compact": Compact, "x.auto": Auto, "x.txt": Auto, "x": Auto,
		"x.csv.gz": Auto, "csv": Auto} {
		if got := FormatOf(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	var names []string
	for _, f := range Formats() {
		names = append(names, f.String())
	}
	if got := strings.Join(names, " ") + " " + Auto.String(); got != "csv jsonl avro compact auto" {
		t.Error(got)
	}
	for _, name := range []string{"", "auto", "CSV", "json"} {
		f, err := ParseFormat(name)
		if f != Auto || err == nil || err.Error() != fmt.Sprintf("%q is no format: csv, jsonl, avro or compact", name) {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
	if w, err := NewWriter(io.Discard, Auto, 0); w != nil || err == nil ||
		err.Error() != "auto is no format that can be written" {
		t.Error(err)
	}
}

// TestListsHaveNoDirectories, and one that is not there is an error.
func TestListsHaveNoDirectories(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, Name(1, CSV)), 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := List(dir); len(got) > 0 || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := List(filepath.Join(dir, "none")); got != nil || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%q, %v", got, err)
	}
	got, err := Expand([]string{"x", dir})
	want := dir + ": there are no delta files (DELTA_ and 16 digits) in it"
	if got != nil || err == nil || err.Error() != want {
		t.Errorf("%q, %v", got, err)
	}
}

// TestFormatsThatAreGiven, and those that the content or the name tells.
func TestFormatsThatAreGiven(t *testing.T) {
	const object = `{"key":"k","mutation_type":"DELETE","logical_commit_time":1}`
	for _, tt := range []struct {
		content string
		o       Options
		format  Format
		want    string // of the error; "" for none
	}{
		{csvHeader, Options{}, CSV, ""}, {object, Options{}, JSONLines, ""}, {"{", Options{}, JSONLines, ""},
		{"\xef\xbb\xbf" + csvHeader, Options{}, CSV, ""},
		{" \t\r\n" + object, Options{}, JSONLines, ""}, {utf8Mark + "\n" + object, Options{}, JSONLines, ""},
		{"", Options{Name: "x.csv"}, Auto, "x.csv:0: "}, {"", Options{Name: "x.jsonl"}, JSONLines, ""},
		{"", Options{Name: "x.avro"}, Auto, "x.avro: the file ends within its header"},
		{"", Options{Name: "x.compact"}, Auto, "x.compact: the file ends within its header"},
		{"", Options{Name: "x"}, Auto, "x: the file is empty"}, {"\n", Options{Name: "x"}, Auto, "x: the file is empty: the"},
		{"", Options{Name: "x", Format: JSONLines}, JSONLines, ""},
		{csvHeader, Options{Name: "x.avro"}, CSV, ""}, {csvHeader, Options{Format: JSONLines}, JSONLines, ""},
		{"PLMX\n", Options{Name: "x"}, Auto, `x:1: "PLMX" is no column`},
		{"PLM\n", Options{Name: "x"}, Auto, `x:1: "PLM" is no`},
		{`k"ey`, Options{Name: "x"}, Auto, "x:1: a quote within a field"},
		{"Obj\n", Options{Name: "x"}, Auto, `x:1: "Obj" is no column`},
		{"hello, world", Options{Name: "x", Format: Avro}, Auto, "x: it is no Avro container file"},
		{"hello, world", Options{Name: "x", Format: Compact}, Auto, "x: it is no compact file of deltas"},
		{"PLMX\x01\x00\x00\x00", Options{Name: "x", Format: Compact}, Auto, "x: it is no compact file of deltas"},
		{"PLMF\x01\x00\x00\x01", Options{Name: "x", Format: Compact}, Auto, "x: it is a compact file of another version"},
		{"PLMF\x01\x00\x00", Options{Name: "x", Format: Compact}, Auto, "x: the file ends within its header"},
		{utf8Mark + "Obj\x01", Options{Name: "x", Format: Avro}, Auto, "x: it is no Avro container file"},
	} {
		r, err := NewReader(strings.NewReader(tt.content), tt.o)
		if tt.want != "" {
			var bad *RowError
			if err == nil || !strings.HasPrefix(err.Error(), strings.TrimSuffix(tt.want, ":0: ")) ||
				!errors.As(err, &bad) || !bad.Final || bad.Whole {
				t.Errorf("%.20q, %+v: %v, want %s", tt.content, tt.o, err, tt.want)
			}
			continue
		}
		if err != nil || r.Format() != tt.format {
			t.Errorf("%.20q, %+v: %v", tt.content, tt.o, err)
		}
	}
}

// TestPlaceOfARow: who cannot use a row says where it stands, as the reader does.
func TestPlaceOfARow(t *testing.T) {
	unusable := errors.New("unusable")
	for f, want := range map[Format][]string{
		CSV:       {"FILE:2: unusable", "FILE:3: unusable", "FILE:6: unusable"}, // the second has three lines
		JSONLines: {"FILE:1: unusable", "FILE:2: unusable", "FILE:3: unusable"},
		Avro:      {"FILE: record 1: unusable", "FILE: record 2: unusable", "FILE: record 3: unusable"},
		Compact: {"FILE: message 1, row 1: unusable", "FILE: message 1, row 2: unusable",
			"FILE: message 2, row 1: unusable"},
	} {
		r, err := NewReader(bytes.NewReader(write(t, f, 2, someRows()[:3])), Options{Name: "FILE"})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		var row delta.Row
		for err = r.Next(&row); err == nil; err = r.Next(&row) {
			wrong := r.Wrong(unusable)
			if !errors.Is(wrong, unusable) || wrong.Final || wrong.Whole {
				t.Errorf("%v: %+v", f, wrong)
			}
			got = append(got, wrong.Error())
		}
		if diff := cmp.Diff(want, got); diff != "" || err != io.EOF {
			t.Errorf("%v: %v\n%s", f, err, diff)
		}
	}
}

// TestRowsThatCSVCannotHold, with what is wrong at the beginning.
func TestRowsThatCSVCannotHold(t *testing.T) {
	set := func(elements ...string) delta.Row {
		return delta.Row{Key: []byte("k"), Type: delta.Set, Value: delta.AppendSet(nil, elements...)}
	}
	for _, tt := range []struct {
		row  delta.Row
		want string // what is written, or why not
	}{
		{delta.Row{Key: []byte("\x00k")}, "error: it holds a NUL byte, which CSV files cannot"},
		{delta.Row{Key: []byte("k\x00")}, "error: it holds a NUL byte, which CSV files cannot"},
		{delta.Row{Key: []byte("k"), Value: []byte("\x00")}, "error: it holds a NUL byte, which CSV files cannot"},
		{set("\x00"), "error: it holds a NUL byte, which CSV files cannot"},
		{set("a", "b\x00"), "error: it holds a NUL byte, which CSV files cannot"},
		{set("|"), "error: an element of its set holds '|', which separates them in CSV files"},
		{set("a", "|b"), "error: an element of its set holds '|', which separates them in CSV files"},
		{set("a", "b|"), "error: an element of its set holds '|', which separates them in CSV files"},
		{set(), "k,UPDATE,0,,string_set\n"}, {set(""), "k,UPDATE,0,|,string_set\n"}, {set("a"), "k,UPDATE,0,a,string_set\n"},
		{set("", "a"), "k,UPDATE,0,|a,string_set\n"}, {set("b", "a", "c"), "k,UPDATE,0,a|b|c,string_set\n"},
		{delta.Row{Key: []byte(`"k`), Value: []byte(",")}, "\"\"\"k\",UPDATE,0,\",\",string\n"},
		{delta.Row{Key: []byte("\n"), Value: []byte("\r")}, "\"\n\",UPDATE,0,\"\r\",string\n"},
		{delta.Row{Key: []byte("k"), Kind: delta.Delete, Commit: -7}, "k,DELETE,-7,,\n"},
	} {
		var b bytes.Buffer
		w, err := NewWriter(&b, CSV, 0)
		if err != nil {
			t.Fatal(err)
		}
		want := csvHeader + "\n" + tt.want
		err = w.Write(&tt.row)
		if why, bad := strings.CutPrefix(tt.want, "error: "); bad {
			want = csvHeader + "\n"
			var wrong *RowError
			if !errors.As(err, &wrong) || wrong.Err.Error() != why {
				t.Errorf("%q: %v, want %s", tt.row.Key, err, why)
			}
		} else if err != nil {
			t.Errorf("%q: %v", tt.row.Key, err)
		}
		if err := w.Close(); err != nil || b.String() != want {
			t.Errorf("%v: %q, want %q", err, b.String(), want)
		}
	}
}

// failing is a disk on which one of the writes fails, and none before it or behind it.
type failing struct{ after int }

func (f *failing) Write(b []byte) (int, error) {
	if f.after--; f.after == -1 {
		return 0, errOnce
	}
	return len(b), nil
}

// TestWritesThatFail are told, whichever it is, and by each of the writers.
func TestWritesThatFail(t *testing.T) {
	rows := someRows()[:5]
	for f, writes := range map[Format]int{CSV: 5, JSONLines: 5, Avro: 1 + 3, Compact: 1 + 3*2 + 1} {
		for n := range writes + 1 {
			disk := &failing{n}
			var s sink
			var err error
			switch f {
			case CSV:
				s = &csvWriter{out: disk}
			case JSONLines:
				s = &jsonWriter{out: disk}
			case Avro:
				s, err = newAvroWriter(disk)
			case Compact:
				s, err = newCompactWriter(disk, 2)
			}
			for i := range rows {
				if err == nil {
					err = s.write(&rows[i])
				}
			}
			if err == nil {
				err = s.end()
			}
			if (err == nil) != (n == writes) || err != nil && err != errOnce {
				t.Errorf("%v, write %d of %d fails: %v", f, n+1, writes, err)
			}
		}
	}
}

// once fails the first time that it is read, and is at its end from then on.
type once struct{ failed bool }

var errOnce = errors.New("the disk failed once")

func (o *once) Read([]byte) (int, error) {
	if o.failed {
		return 0, io.EOF
	}
	o.failed = true
	return 0, errOnce
}

// TestADiskThatFailsOnce is told, wherever it does, though all of the file comes afterwards.
func TestADiskThatFailsOnce(t *testing.T) {
	rows := someRows()[:4]
	pad := delta.Row{Key: bytes.Repeat([]byte("k"), 600)} // the first 512 bytes are looked at before
	header := avroMagic + "\x02" + avroText("pad") + avroText(strings.Repeat("p", 600)) + "\x01\x80\x08" +
		avroText("avro.schema") + avroText(delta.AvroSchema) + "\x00" + avroSync
	files := []string{header + avroBlockOf(1, "\x02k\x02\x02\x00") +
		avroBlockOf(70, strings.Repeat("\x02l\x02\x02\x00", 70))}
	for _, f := range Formats() {
		files = append(files, string(write(t, f, 2, append([]delta.Row{pad}, rows...))))
	}
	for i, file := range files {
		if _, err := read(strings.NewReader(file), Options{}); err != nil {
			t.Fatal(err)
		}
		step := []int{1, 7}[min(i, 1)]
		for at := 512; at < len(file); at += step {
			in := io.MultiReader(strings.NewReader(file[:at]), &once{}, strings.NewReader(file[at:]))
			_, err := read(in, Options{Bad: func(e *RowError) { t.Errorf("%.20q, failed at %d: %v", file, at, e) }})
			if !errors.Is(err, errOnce) || !strings.HasPrefix(err.Error(), "FILE: ") {
				t.Errorf("%.20q, failed at %d of %d: %v", file, at, len(file), err)
			}
		}
	}
}

// messages are the numbers of rows of a compact file's messages, whose sequence has to be 0, 1, 2 ….
func messages(t *testing.T, b []byte) []int {
	t.Helper()
	b = b[len(compactMagic):]
	var counts []int
	for {
		size, n := binary.Uvarint(b)
		if b = b[n:]; size == 0 {
			break
		}
		h, rows, err := delta.Decode(b[:size], nil)
		if err != nil || h.Sequence != uint64(len(counts)) || h.Warmup || h.Codec != delta.Compact {
			t.Fatalf("message %d: %+v, %v", len(counts), h, err)
		}
		counts = append(counts, len(rows))
		b = b[size:]
	}
	if len(b) > 0 {
		t.Errorf("%d bytes behind the end", len(b))
	}
	return counts
}

// TestMessagesOfCompactFiles have so many rows, or fewer that are long.
func TestMessagesOfCompactFiles(t *testing.T) {
	row := func(size int) delta.Row { return delta.Row{Key: []byte("k"), Value: bytes.Repeat([]byte("v"), size-1)} }
	many := make([]delta.Row, 2001)
	for i := range many {
		many[i] = row(2)
	}
	const half = 1 << 19
	for _, tt := range []struct {
		batch int
		rows  []delta.Row
		want  []int
	}{
		{0, many, []int{1000, 1000, 1}}, {2, many[:4], []int{2, 2}}, {1, many[:2], []int{1, 1}}, {3, nil, nil},
		{9, []delta.Row{row(half), row(half), row(2)}, []int{2, 1}},
		{9, []delta.Row{row(half), row(half - 1), row(2), row(2)}, []int{3, 1}},
		{9, []delta.Row{row(2 * half), row(2), row(2)}, []int{1, 2}},
	} {
		b := write(t, Compact, tt.batch, tt.rows)
		if diff := cmp.Diff(tt.want, messages(t, b)); diff != "" {
			t.Errorf("%d rows, %d a message:\n%s", len(tt.rows), tt.batch, diff)
		}
		got, err := read(bytes.NewReader(b), Options{})
		if err != nil || len(got) != len(tt.rows) || len(got) > 0 && same(tt.rows, got) != "" {
			t.Errorf("%d rows, %d a message: %d come back, %v", len(tt.rows), tt.batch, len(got), err)
		}
	}
}

// TestCompactFilesThatLie: what is told of a message, and whether anything is read behind it.
func TestCompactFilesThatLie(t *testing.T) {
	b := write(t, Compact, 2, someRows()[:4]) // two messages
	first, n := binary.Uvarint(b[len(compactMagic):])
	second := len(compactMagic) + n + int(first)
	damaged := bytes.Clone(b)
	damaged[second-1] ^= 1
	size := func(n uint64) string { return compactMagic + string(binary.AppendUvarint(nil, n)) }
	const cut = "the file ends before it does: it is cut off"
	for _, tt := range []struct {
		content string
		rows    int
		want    RowError
		why     string
	}{
		{string(damaged), 2, RowError{Place: "message 1", Whole: true}, "a damaged message: its checksum does not match"},
		{string(b[:second]), 2, RowError{Place: "message 2", Final: true}, cut},
		{string(b[:second+1]), 2, RowError{Place: "message 2", Final: true}, cut},
		{string(b[:len(b)-1]), 4, RowError{Place: "message 3", Final: true}, cut},
		{string(b) + "\x00", 4, RowError{Place: "message 3", Final: true},
			"something stands behind the end of the file's messages"},
		{compactMagic, 0, RowError{Place: "message 1", Final: true}, cut},
		{size(MaxBlock), 0, RowError{Place: "message 1", Final: true}, cut},
		{size(MaxBlock + 1), 0, RowError{Place: "message 1", Final: true},
			"67108865 bytes: more than 64 MiB are not read"},
		{size(3) + "abc\x00", 0, RowError{Place: "message 1", Whole: true}, "no message of updates"},
	} {
		var bad []*RowError
		rows, err := read(strings.NewReader(tt.content), Options{Bad: func(e *RowError) { bad = append(bad, e) }})
		var end *RowError
		if errors.As(err, &end) {
			bad = append(bad, end)
		}
		if len(rows) != tt.rows || len(bad) != 1 {
			t.Errorf("%s: %d rows, %v", tt.why, len(rows), bad)
			continue
		}
		got := *bad[0]
		if got.Err.Error() != tt.why {
			t.Errorf("%v, want %s", got.Err, tt.why)
		}
		tt.want.File, got.Err = "FILE", nil
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s:\n%s", tt.why, diff)
		}
	}
}
