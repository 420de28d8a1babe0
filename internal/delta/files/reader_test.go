package files

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// TestReaderDetectsFormat, and those that the content or the name tells.
func TestReaderDetectsFormat(t *testing.T) {
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
		{"", Options{Name: "x.avro"}, Auto, "x.avro: the file is truncated in its header"},
		{"", Options{Name: "x.compact"}, Auto, "x.compact: the file is truncated in its header"},
		{"", Options{Name: "x"}, Auto, "x: the file is empty"}, {"\n", Options{Name: "x"}, Auto, "x: the file is empty: the"},
		{"", Options{Name: "x", Format: JSONLines}, JSONLines, ""},
		{csvHeader, Options{Name: "x.avro"}, CSV, ""}, {csvHeader, Options{Format: JSONLines}, JSONLines, ""},
		{"PLMX\n", Options{Name: "x"}, Auto, `x:1: unknown column "PLMX"`},
		{"PLM\n", Options{Name: "x"}, Auto, `x:1: unknown column "PLM"`},
		{`k"ey`, Options{Name: "x"}, Auto, "x:1: unescaped quote in a field"},
		{"Obj\n", Options{Name: "x"}, Auto, `x:1: unknown column "Obj"`},
		{"hello, world", Options{Name: "x", Format: Avro}, Auto, "x: it is not an Avro container file"},
		{"hello, world", Options{Name: "x", Format: Compact}, Auto, "x: it is not a compact delta file"},
		{"PLMX\x01\x00\x00\x00", Options{Name: "x", Format: Compact}, Auto, "x: it is not a compact delta file"},
		{"PLMF\x01\x00\x00\x01", Options{Name: "x", Format: Compact}, Auto, "x: it is a compact file of another version"},
		{"PLMF\x01\x00\x00", Options{Name: "x", Format: Compact}, Auto, "x: the file is truncated in its header"},
		{utf8Mark + "Obj\x01", Options{Name: "x", Format: Avro}, Auto, "x: it is not an Avro container file"},
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

// TestRowErrorsNameTheRow: who cannot use a row says where it stands, as the reader does.
func TestRowErrorsNameTheRow(t *testing.T) {
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

// TestReadErrorIsReportedWhereverItOccurs is told, wherever it does, though all of the file comes afterwards.
func TestReadErrorIsReportedWhereverItOccurs(t *testing.T) {
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

// zeros is a device without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestEndlessRowEndsTheReading: a row that does not end is not passed over for ever, whoever passes bad rows over.
func TestEndlessRowEndsTheReading(t *testing.T) {
	r, err := NewReader(zeros{}, Options{Name: "zero", Format: JSONLines, Bad: func(*RowError) {}})
	if err == nil {
		err = r.Next(new(delta.Row))
	}
	var bad *RowError
	if !errors.As(err, &bad) || !bad.Final {
		t.Errorf("%v", err)
	}
}
