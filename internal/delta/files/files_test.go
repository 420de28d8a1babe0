package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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

func TestEveryFormatHoldsEveryRow(t *testing.T) {
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

func TestWhatIsWritten(t *testing.T) {
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

func TestRowsThatAFormatCannotHold(t *testing.T) {
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

func TestNamesOfFiles(t *testing.T) {
	if got := Name(42, CSV); got != "DELTA_0000000000000042.csv" {
		t.Error(got)
	}
	for _, f := range Formats() {
		if n, ok := ParseName("/some/dir/" + Name(MaxNumber, f)); n != MaxNumber || !ok {
			t.Errorf("%v: %d, %v", f, n, ok)
		}
		if got, err := ParseFormat(f.String()); got != f || err != nil {
			t.Errorf("%v: %v, %v", f, got, err)
		}
		if got := FormatOf("x." + strings.ToUpper(f.String())); got != f {
			t.Errorf("%v: %v", f, got)
		}
	}
	for _, bad := range []string{"", "DELTA_", "DELTA_1", "delta_0000000000000042", "DELTA_000000000000004x",
		"DELTA_00000000000000421", ".DELTA_0000000000000042.csv.123.partial", "DELTA_0000000000000042.csv.partial", "SNAPSHOT_0000000000000042"} {
		if n, ok := ParseName(bad); ok {
			t.Errorf("%q is %d", bad, n)
		}
	}
	if n, ok := ParseName("DELTA_0000000000000042"); n != 42 || !ok {
		t.Error("a name without an extension is none")
	}
}

func TestFilesThatAreNoDeltas(t *testing.T) {
	for _, tt := range []struct{ name, content, want string }{
		{"nothing", "", "FILE: the file is empty"},
		{"gzip", "\x1f\x8b\x08\x00", "compressed with gzip: unpack it first"},
		{"zstd", "\x28\xb5\x2f\xfd\x00", "compressed with zstd"},
		{"zip", "PK\x03\x04", "zip archive"},
		{"Parquet", "PAR1", "Parquet"},
		{"UTF-16", "\xff\xfek\x00", "UTF-16"},
		{"JSON array", "[{}]", "jq -c '.[]'"},
		{"Avro, only the magic", avroMagic, "FILE: the file ends within its header"},
		{"compact, only the magic", compactMagic[:5], "FILE: the file ends within its header"},
		{"compact, another version", "PLMF\x02\x00\x00\x00", "FILE: it is a compact file of another version"},
		{"text", "hello\n", `FILE:1: "hello" is no column of delta files: the first line has to be key,`},
		{"a CSV file without its header", "k,UPDATE,1,v,string\n", `FILE:1: "k" is no column`},
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
	for _, before := range []string{"", csvHeader + "\n", csvHeader + "\nk,UPDATE,1,\"v\n", `{"key":`, compactMagic + "\x50", avroMagic} {
		broken := errors.New("broken disk")
		in := io.MultiReader(strings.NewReader(before), iotest.ErrReader(broken))
		_, err := read(in, Options{Bad: func(e *RowError) { t.Errorf("%q: a bad row: %v", before, e) }})
		if !errors.Is(err, broken) {
			t.Errorf("%q: %v", before, err)
		}
	}
}

func TestCSV(t *testing.T) {
	const row = "k,UPDATE,1,v,string\n"
	k := delta.Row{Key: []byte("k"), Commit: 1, Value: []byte("v")}
	for _, tt := range []struct {
		name, content string
		rows          []delta.Row
		errs          []string
	}{
		{"a mark, CRLF, empty lines, no line end at the end",
			utf8Mark + csvHeader + "\r\n\r\nk,UPDATE,1,v,string\r\n\n" + "k,update,1,v,", []delta.Row{k, k}, nil},
		{"columns in another order, without types", "value,key,logical_commit_time,mutation_type\nv,k,1,UPDATE\n", []delta.Row{k}, nil},
		{"quotes", csvHeader + "\n\"k\",\"UPDATE\",\"1\",v,\"string\"\r\n\"k\",UPDATE,1,\"v\",string", []delta.Row{k, k}, nil},
		{"quotes in the header", "\"key\",mutation_type,logical_commit_time,value,\"value_type\"\n" + row, []delta.Row{k}, nil},
		{"fields", csvHeader + "\nk,UPDATE,1,v\n" + row + "k,UPDATE,1,v,string,\n", []delta.Row{k},
			[]string{"FILE:2: the header has 5 fields, and this row has 4", "FILE:4: the header has 5 fields, and this row has 6"}},
		{"mutation", csvHeader + "\nk,UPSERT,1,v,string\n" + row, []delta.Row{k}, []string{`FILE:2: mutation_type is "UPSERT", not UPDATE or DELETE`}},
		{"no number", csvHeader + "\nk,UPDATE,1e3,v,string\n", nil, []string{`FILE:2: logical_commit_time is "1e3", no whole number of 64 bits`}},
		{"numbers at the ends", csvHeader + "\nk,UPDATE,9223372036854775808,v,string\nk,UPDATE,-9223372036854775809,v,string\nk,UPDATE,,v,string\nk,UPDATE,-,v,string\nk,UPDATE,99999999999999999999,v,string\n",
			nil, []string{`FILE:2: logical_commit_time is "9223372036854775808"`, `FILE:3: `, `FILE:4: `, `FILE:5: `, `FILE:6: `}},
		{"type", csvHeader + "\nk,UPDATE,1,7,uint32_set\n", nil, []string{`FILE:2: value_type is "uint32_set", not string or string_set`}},
		{"no key", csvHeader + "\n,UPDATE,1,v,string\n", nil, []string{`FILE:2: it has no key`}},
		{"deleted value", csvHeader + "\nk,DELETE,1,v,string\n", nil, []string{`FILE:2: a delete has a value`}},
		{"a typed delete", csvHeader + "\nk,DELETE,1,,string_set\n", []delta.Row{{Key: []byte("k"), Commit: 1, Kind: delta.Delete}}, nil},
		{"NUL", csvHeader + "\nk,UPDATE,1,\x00,string\n" + row, []delta.Row{k}, []string{"FILE:2: there is a NUL byte"}},
		{"no text", csvHeader + "\nk,UPDATE,1,\xff,string\n" + row, []delta.Row{k}, []string{"FILE:2: it holds bytes that are no UTF-8"}},
		{"carriage returns", csvHeader + "\nk,UPDATE,1,a\rb,string\n\"k\",UPDATE,1,a\rb,string\n" + row, []delta.Row{k},
			[]string{"FILE:2: there is a carriage return", "FILE:3: there is a carriage return"}},
		{"a quote inside", csvHeader + "\nk,UPDATE,1,say \"hi\",string\n" + row, []delta.Row{k}, []string{"FILE:2: a quote within a field"}},
		{"behind a quote", csvHeader + "\nk,UPDATE,1,\"v\"w,string\n" + row, []delta.Row{k}, []string{"FILE:2: something stands behind the quote"}},
		{"lines counted through a field", csvHeader + "\n\"k\",UPDATE,1,\"a\nb\n\",strin\nk,UPDATE,x,v,string\n", nil,
			[]string{`FILE:2: value_type is "strin"`, "FILE:5: logical_commit_time"}},
		{"a quote that stays open", csvHeader + "\n" + row + "k,UPDATE,1,\"v,string\n" + row, []delta.Row{k}, []string{"FILE:3: a quote is never closed"}},
		{"a column too few", "key,mutation_type,value\n", nil, []string{"FILE:1: the column logical_commit_time is missing"}},
		{"a column twice", "key,key,mutation_type,value\n", nil, []string{"FILE:1: the column key comes twice"}},
		{"a line too long", csvHeader + "\nk,UPDATE,1," + strings.Repeat("v", MaxRow) + ",string\n" + row, []delta.Row{k}, []string{"FILE:2: the row has more than 16 MiB"}},
		{"a field of many lines, too long", csvHeader + "\nk,UPDATE,1,\"" + strings.Repeat("v\n", MaxRow/2) + "\",string\nk,UPDATE,1,v,str\n", nil,
			[]string{"FILE:2: the row has more than 16 MiB"}},
	} {
		t.Run(tt.name, func(t *testing.T) { checkBad(t, tt.content, tt.rows, tt.errs) })
	}
}

// checkBad reads a file twice, to the first bad row and past all of them.
func checkBad(t *testing.T, content string, rows []delta.Row, errs []string) {
	t.Helper()
	var bad []string
	got, err := read(strings.NewReader(content), Options{Bad: func(e *RowError) { bad = append(bad, e.Error()) }})
	if err != nil {
		bad = append(bad, err.Error())
	}
	if rows == nil {
		rows = []delta.Row{}
	}
	if got == nil {
		got = []delta.Row{}
	}
	if diff := same(rows, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	for i, want := range errs {
		if i >= len(bad) || !strings.HasPrefix(bad[i], want) {
			t.Errorf("error %d of %.300q, want %q", i+1, bad, want)
		}
	}
	if len(bad) > len(errs) && len(errs) > 0 && !strings.HasPrefix(errs[len(errs)-1], "FILE:2: the row has") || len(bad) > 0 && len(errs) == 0 {
		t.Errorf("more errors: %.300q", bad)
	}
	_, err = read(strings.NewReader(content), Options{})
	if len(errs) > 0 && (err == nil || !strings.HasPrefix(err.Error(), errs[0])) {
		t.Errorf("without going on: %v, want %q", err, errs[0])
	}
}

func TestJSONLines(t *testing.T) {
	const row = `{"key":"k","mutation_type":"UPDATE","logical_commit_time":1,"value":"v"}` + "\n"
	k := delta.Row{Key: []byte("k"), Commit: 1, Value: []byte("v")}
	checkBad(t, utf8Mark+"\r\n"+row+" \t\n"+strings.TrimSpace(row)+"\r\n"+strings.TrimSpace(row), []delta.Row{k, k, k}, nil)
	checkBad(t, row+"{\n"+row+`{"key":""}`+"\n"+strings.Repeat(" ", MaxRow)+" {}\n"+row, []delta.Row{k, k, k},
		[]string{"FILE:2: the JSON object is cut off", `FILE:4: there is no member "mutation_type"`, "FILE:5: the row has more than 16 MiB"})
	checkBad(t, row+row[:20], []delta.Row{k}, []string{"FILE:2: the JSON object is cut off"})
}

func TestCompactFiles(t *testing.T) {
	b := write(t, Compact, 3, someRows()[:7]) // three messages
	damaged := bytes.Clone(b)
	damaged[len(compactMagic)+40] ^= 1
	checkBad(t, string(damaged), someRows()[3:7], []string{"FILE: message 1: a damaged message: its checksum does not match"})
	for cut := range b {
		if cut < len(compactMagic) {
			continue
		}
		if _, err := read(bytes.NewReader(b[:cut]), Options{}); err == nil || !strings.Contains(err.Error(), "cut off") {
			t.Errorf("cut after %d bytes: %v", cut, err)
		}
	}
	if _, err := read(bytes.NewReader(append(bytes.Clone(b), 0)), Options{}); err == nil || !strings.Contains(err.Error(), "behind the end") {
		t.Error(err)
	}
	huge := compactMagic + "\xff\xff\xff\xff\xff\x7f"
	if _, err := read(strings.NewReader(huge), Options{}); err == nil || !strings.Contains(err.Error(), "more than 64 MiB") {
		t.Error(err)
	}
}

func TestWriterSaysThatTheDiskIsFull(t *testing.T) {
	for _, f := range Formats() {
		w, err := NewWriter(&fullDisk{room: 1000}, f, 3)
		for i := 0; err == nil && i < 1000; i++ {
			err = w.Write(&someRows()[9])
		}
		var bad *RowError
		if err == nil || errors.As(err, &bad) {
			t.Errorf("%v: %v", f, err)
		}
		w, err = NewWriter(&fullDisk{}, f, 3)
		if err == nil {
			err = w.Write(&someRows()[0])
		}
		if err == nil {
			err = w.Close()
		}
		if err == nil {
			t.Errorf("%v: a small file on a full disk, and no error", f)
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

func TestFilesAppearWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	listed := func() string {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(entries)
	}
	create := func(content string, overwrite bool) *File {
		t.Helper()
		f, err := Create(path, overwrite)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(content); err != nil {
			t.Fatal(err)
		}
		if _, ok := ParseName(f.Name()); ok {
			t.Errorf("%s has the name of a delta file", f.Name())
		}
		return f
	}
	one, two := create("one", false), create("two", false)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is there before its time: %v", err)
	}
	if err := one.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := two.Commit(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the second: %v", err)
	}
	if _, err := Create(path, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a third: %v", err)
	}
	if err := create("dropped", true).Abandon(); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(path); string(got) != "one" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	path = link
	if err := create("four", true).Commit(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "x")); string(got) != "four" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got := listed(); strings.Contains(got, temporary) {
		t.Errorf("left behind: %s", got)
	}
	if _, err := Create(dir, true); err == nil {
		t.Error("a directory became a file")
	}
	null, err := Create(os.DevNull, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(null.Commit(), null.Abandon()); err == nil {
		t.Error("it was closed twice")
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("the null device: %v, %v", info, err)
	}
}

func TestSummary(t *testing.T) {
	z := NewSummarizer(10)
	set := delta.Row{Key: []byte("s"), Type: delta.Set, Value: delta.AppendSet(nil, "aa", "b"), Commit: 5}
	rows := []delta.Row{
		{Key: []byte("a"), Value: []byte("new"), Commit: 3},
		{Key: []byte("a"), Value: []byte("old"), Commit: 2},
		{Key: []byte("bb"), Value: []byte("first"), Commit: 2},
		{Key: []byte("bb"), Value: []byte("last"), Commit: 2},
		{Key: []byte("c"), Value: []byte(""), Commit: 1},
		{Key: []byte("c"), Kind: delta.Delete, Commit: 1},
		{Key: []byte("d"), Kind: delta.Delete, Commit: 9},
		{Key: []byte("d"), Value: []byte("too late"), Commit: -8},
		set,
	}
	for i := range rows {
		z.Add(&rows[i])
	}
	want := Summary{Rows: 9, Updates: 7, Deletes: 2, Sets: 1, Keys: 5,
		Commit: &Span{-8, 9, 17. / 9}, Key: &Span{1, 2, 11. / 9}, Value: &Span{0, 8, 26. / 7},
		State: &State{Live: 3, Digest: delta.Hash(&rows[0]) + delta.Hash(&rows[3]) + delta.Hash(&set)}}
	if diff := cmp.Diff(want, z.Summary()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Summary{State: &State{}}, NewSummarizer(1).Summary()); diff != "" {
		t.Errorf("no rows:\n%s", diff)
	}
}

// Beyond the limit the keys are estimated, within four standard errors, and no state is claimed.
func TestEstimateOfKeys(t *testing.T) {
	for _, n := range []int{1, 101, 5000, 40_000, 300_000} {
		z := NewSummarizer(0)
		for i := range n {
			r := delta.Row{Key: fmt.Appendf(nil, "key-%d", i)}
			z.Add(&r)
			z.Add(&r)
		}
		s := z.Summary()
		if off := float64(s.Keys)/float64(n) - 1; s.State != nil || s.KeysError == 0 || off > 4*s.KeysError || off < -4*s.KeysError {
			t.Errorf("%d keys: %d, state %v, error %v", n, s.Keys, s.State, s.KeysError)
		}
	}
	exact, over := NewSummarizer(2), NewSummarizer(2)
	for _, k := range []string{"a", "b", "a", "b", "c"} {
		r := delta.Row{Key: []byte(k)}
		if over.Add(&r); k != "c" {
			exact.Add(&r)
		}
	}
	if s := exact.Summary(); s.KeysError != 0 || s.Keys != 2 || s.State == nil {
		t.Errorf("two keys, limit two: %+v", s)
	}
	long := NewSummarizer(2)
	long.maxBytes = 3
	for _, k := range []string{"aa", "aa", "bb"} {
		long.Add(&delta.Row{Key: []byte(k)})
	}
	if s := long.Summary(); s.KeysError == 0 || s.Keys != 2 || s.State != nil {
		t.Errorf("four bytes of keys, limit three: %+v", s)
	}
	if s := over.Summary(); s.KeysError == 0 || s.Keys != 3 || s.State != nil {
		t.Errorf("three keys, limit two: %+v", s)
	}
}

func TestDirectories(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{Name(2, CSV), Name(1, Avro), "DELTA_0000000000000003", ".x" + temporary, "notes.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Expand([]string{"-", dir, "none"})
	want := []string{"-", filepath.Join(dir, Name(1, Avro)), filepath.Join(dir, Name(2, CSV)), filepath.Join(dir, "DELTA_0000000000000003"), "none"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if _, err := Expand([]string{t.TempDir()}); err == nil || !strings.Contains(err.Error(), "no delta files") {
		t.Error(err)
	}
}

// A row costs no memory: reading and writing twice as many rows allocates as often, but for
// JSON, whose library makes strings.
func TestRowsCostNoMemory(t *testing.T) {
	g, err := delta.NewGenerator(delta.Generation{Batch: 4000, KeyLength: 30, ValueLength: 10, Deletes: .1})
	if err != nil {
		t.Fatal(err)
	}
	rows, _ := g.Rows(0, nil, nil)
	rows[17].Kind, rows[17].Value = delta.Update, []byte("in \"quotes\",\nas it should be")
	allocations := func(from, to Format, n int) float64 {
		b := write(t, from, 100, rows[:n])
		return testing.AllocsPerRun(5, func() {
			r, err := NewReader(bytes.NewReader(b), Options{})
			if err != nil {
				t.Fatal(err)
			}
			w, err := NewWriter(io.Discard, to, 100)
			if err != nil {
				t.Fatal(err)
			}
			var row delta.Row
			for err = r.Next(&row); err == nil; err = r.Next(&row) {
				if err := w.Write(&row); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(w.Close(), err); err.Error() != "EOF" {
				t.Fatal(err)
			}
		})
	}
	for _, from := range []Format{CSV, Avro, Compact} {
		for _, to := range Formats() {
			// A hundred messages or blocks more may cost a few; 2000 rows more may not.
			if few, many := allocations(from, to, 2000), allocations(from, to, 4000); many > few+100 {
				t.Errorf("%v to %v: %v allocations for 2000 rows, %v for 4000", from, to, few, many)
			}
		}
	}
}

func BenchmarkConvert(b *testing.B) {
	g, err := delta.NewGenerator(delta.Generation{Batch: 10_000, KeyLength: 30, ValueLength: 10})
	if err != nil {
		b.Fatal(err)
	}
	rows, _ := g.Rows(0, nil, nil)
	for _, f := range Formats() {
		content := write(b, f, 0, rows)
		b.Run("read "+f.String(), func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			for b.Loop() {
				r, err := NewReader(bytes.NewReader(content), Options{})
				if err != nil {
					b.Fatal(err)
				}
				var row delta.Row
				for err = r.Next(&row); err == nil; err = r.Next(&row) {
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/row")
		})
		b.Run("write "+f.String(), func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			for b.Loop() {
				w, err := NewWriter(io.Discard, f, 0)
				for i := 0; err == nil && i < len(rows); i++ {
					err = w.Write(&rows[i])
				}
				if err = errors.Join(err, w.Close()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/row")
		})
	}
}
