package samples_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/samples"
)

const header = "timestamp,request,latencyMs,statusCode,sendMs,waitMs,bodyMs,bytes\n"

// all reads all rows of a text, as they are printed.
func all(text string) (rows []string, cut int64, err error) {
	r, err := samples.NewReader(strings.NewReader(text), "s.csv")
	if err != nil {
		return nil, 0, err
	}
	for {
		row, err := r.Next()
		if err == io.EOF {
			return rows, r.Cut(), nil
		}
		if err != nil {
			return rows, 0, err
		}
		var b strings.Builder
		for i, v := range row {
			switch {
			case v.Absent:
				b.WriteString(" -")
			case r.Columns[i].Kind == samples.Text:
				b.WriteString(" " + string(v.Text))
			default:
				b.WriteString(" " + r.Columns[i].Name + "=" + itoa(v.Number))
			}
		}
		rows = append(rows, b.String()[1:])
	}
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// TestRead: what each kind's samples have, to the microsecond, and quoted names.
func TestRead(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{header + "2026-11-21T20:47:00.000001Z,GET /,12.345,ok,0.001,12.000,0.344,512\n" +
			"2026-11-21T20:47:01.000000Z,\"a \"\"b\"\", c\",1000.000,timeout,,,,0\r\n",
			"timestamp=1795294020000001 GET / response_time_ns=12345000 ok send_ns=1000 wait_ns=12000000 body_ns=344000 bytes=512\n" +
				`timestamp=1795294021000000 a "b", c response_time_ns=1000000000 timeout - - - bytes=0`},
		{"timestamp,messageType,latencyMs,statusCode,roomId,phase\n2026-11-21T20:47:00.000000Z,TEXT,0.000,,3,window\n",
			"timestamp=1795294020000000 TEXT response_time_ns=0  room=3 window"},
		{"timestamp,operation,responseMs,serviceMs,status\n2026-11-21T20:47:00.000000Z,publish,2.500,2.000,ok\n",
			"timestamp=1795294020000000 publish response_time_ns=2500000 service_time_ns=2000000 ok"},
		{`"operation","bytes","total","duration","iteration","stream"` + "\n" + `"upload-block",1024,2048,-0.500,1,0` + "\n",
			"upload-block bytes=1024 total_bytes=2048 duration_ns=-500000 iteration=1 stream=0"},
		{"message,latencyMs\n\"two\nlines\",9223372036854.775807\n\xff,1\n\"\",1.5\n",
			"two\nlines response_time_ns=9223372036854775807\n\ufffd response_time_ns=1000000\n response_time_ns=1500000"},
		{header, ""},
	} {
		rows, cut, err := all(test.text)
		if diff := cmp.Diff(test.want, strings.Join(rows, "\n")); diff != "" || cut != 0 || err != nil {
			t.Errorf("%d bytes cut, %v: %s", cut, err, diff)
		}
	}
}

// TestWrong: what is wrong is said with its file and line.
func TestWrong(t *testing.T) {
	good := "2026-11-21T20:47:00.000001Z,GET /,12.345,ok,,,,512\n"
	for text, want := range map[string]string{
		"{\n":                   "s.csv:1: \"{\" is not a known column",
		"timestamp,timestamp\n": "s.csv:1: the columns \"timestamp\" and \"timestamp\" are duplicates",
		"message,request\n":     "s.csv:1: the columns \"message\" and \"request\" are duplicates",
		header + good + "x\n":   "s.csv:3: the row has 1 fields, but there are 8 columns",
		header + good + strings.Replace(good, "12.345", "1e3", 1):           "s.csv:3: latencyMs is \"1e3\", not a time in ms",
		header + good + strings.Replace(good, "12.345", "", 1):              "s.csv:3: latencyMs is \"\", not a time in ms",
		header + strings.Replace(good, "12.345", "1.2345678", 1):            "s.csv:2: latencyMs is \"1.2345678\"",
		header + strings.Replace(good, "12.345", "9223372036854.775808", 1): "s.csv:2: latencyMs is \"9223372036854.775808\"",
		header + strings.Replace(good, "512", "5.0", 1):                     "s.csv:2: bytes is \"5.0\", not a whole number",
		header + strings.Replace(good, "512", "5:", 1):                      "s.csv:2: bytes is \"5:\"",
		header + strings.Replace(good, "512", "--5", 1):                     "s.csv:2: bytes is \"--5\"",
		header + strings.Replace(good, "12.345", "12.", 1):                  "s.csv:2: latencyMs is \"12.\"",
		header + strings.Replace(good, "12.345", ".5", 1):                   "s.csv:2: latencyMs is \".5\"",
		header + strings.Replace(good, ".000001Z", ".0000005Z", 1):          "s.csv:2: timestamp is",
		"status\n\"a\"b\n": "s.csv:2: expected a comma after a quoted field",
		header + strings.Replace(good, "512", "-", 1):                        "s.csv:2: bytes is \"-\"",
		header + strings.Replace(good, ".000001Z", "", 1):                    "s.csv:2: timestamp is \"2026-11-21T20:47:00\", not a time",
		header + strings.Replace(good, ".000001Z", ".0000001Z", 1):           "s.csv:2: timestamp is",
		header + strings.Replace(good, "GET /", "a \"b", 1) + "x\"\n":        "s.csv:2: unexpected quote in \"a \\\"b\"",
		header + strings.Replace(good, "GET /", "\"a\"b", 1):                 "s.csv:2: expected a comma after a quoted field",
		header + "\"a\n\"\n" + good:                                          "s.csv:2: the row has 1 fields",
		header + good + "a\"" + strings.Repeat("x\n", 1<<19) + "\"\n" + good: "s.csv:3: a row exceeds 1048576 bytes",
	} {
		_, _, err := all(text)
		if err == nil || !strings.HasPrefix(err.Error(), want) || fault.CodeOf(err) != fault.Usage || fault.HintOf(err) == "" {
			t.Errorf("%.100q: %v, want %s", text, err, want)
		}
	}
}

// TestConvertIsWholeOrNot: a row that is wrong leaves no file, and a file that was there as it was.
func TestConvertIsWholeOrNot(t *testing.T) {
	dir := t.TempDir()
	bad, good, to := filepath.Join(dir, "bad.csv"), filepath.Join(dir, "good.csv"), filepath.Join(dir, "x.parquet")
	row := "2026-11-21T20:47:00.000001Z,GET /,12.345,ok,,,,512\n"
	for path, text := range map[string]string{bad: header + row + "x\n", good: header + row + "2026"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, ending := range []string{".parquet", ".hlog"} {
		to = filepath.Join(dir, "x"+ending)
		if _, err := samples.Convert(t.Context(), outfile.Files{}, bad, to, true); err == nil || !strings.HasPrefix(err.Error(), bad+":3: ") {
			t.Errorf("%v", err)
		}
		stopped, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := samples.Convert(stopped, outfile.Files{}, good, to, true); fault.CodeOf(err) != fault.Interrupted {
			t.Errorf("%v", err)
		}
		if left, _ := os.ReadDir(dir); len(left) != 2 {
			t.Fatalf("%v is left", left)
		}
		w, err := samples.Convert(t.Context(), outfile.Files{}, good, to, false)
		if err != nil || w != (samples.Written{Rows: 1, Cut: 4}) {
			t.Errorf("%+v, %v", w, err)
		}
		before, _ := os.ReadFile(to)
		if _, err := samples.Convert(t.Context(), outfile.Files{}, good, to, false); fault.CodeOf(err) != fault.Usage ||
			!strings.Contains(err.Error(), "already exists") {
			t.Errorf("%v", err)
		}
		if _, err := samples.Convert(t.Context(), outfile.Files{}, bad, to, true); err == nil {
			t.Error("no error")
		}
		if after, _ := os.ReadFile(to); !bytes.Equal(before, after) || len(before) == 0 {
			t.Errorf("%s was changed", to)
		}
		if err := os.Remove(to); err != nil {
			t.Fatal(err)
		}
	}
	for _, to := range []string{filepath.Join(dir, "x.csv"), filepath.Join(dir, "missing", "x.hlog"), dir + "/.parquet/"} {
		if _, err := samples.Convert(t.Context(), outfile.Files{}, good, to, false); err == nil || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", to, err)
		}
	}
	if _, err := samples.Convert(t.Context(), outfile.Files{}, filepath.Join(dir, "missing.csv"), to, false); fault.CodeOf(err) != fault.Usage {
		t.Errorf("%v", err)
	}
}

// FuzzRead: whatever a file has, each of its rows is one of encoding/csv, and nothing ends the program.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		header + "2026-11-21T20:47:00.000001Z,GET /,12.345,ok,0.001,12.000,0.344,512\n",
		header + "2026-11-21T20:47:01.000000Z,\"a \"\"b\"\", c\",1000.000,timeout,,,,0\r\n2026",
		"operation,status\n\"a\nb\",x\n,\n", "status\n\"\"\n\n", "request\n\"",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := samples.NewReader(bytes.NewReader(text), "s.csv")
		if err != nil {
			return
		}
		var texts [][]string
		for {
			row, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return
			}
			var fields []string
			for i, v := range row {
				if r.Columns[i].Kind == samples.Text {
					fields = append(fields, string(v.Text))
				}
			}
			texts = append(texts, fields)
		}
		theirs, err := csv.NewReader(bytes.NewReader(text[:len(text)-int(r.Cut())])).ReadAll()
		if err != nil || len(r.Columns) == 1 {
			return // it leaves empty lines out
		}
		theirs = theirs[1:]
		if len(theirs) != len(texts) {
			t.Fatalf("%d rows, and %d", len(texts), len(theirs))
		}
		for n, row := range theirs {
			var fields []string
			for i, v := range row {
				if r.Columns[i].Kind == samples.Text {
					fields = append(fields, strings.ToValidUTF8(v, "\ufffd"))
				}
			}
			for i := range fields { // it makes \r\n in a field \n
				if strings.ReplaceAll(texts[n][i], "\r\n", "\n") != fields[i] {
					t.Fatalf("row %d: %q, and %q", n, texts[n], fields)
				}
			}
		}
	})
}

// A name that nothing can be read from, or written to, is the user's to mend.
func TestNamesOfNoFile(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "s.csv")
	if err := os.WriteFile(in, []byte(header), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{{dir, filepath.Join(dir, "o.parquet")}, {in, filepath.Join(dir, "none", "o.parquet")}} {
		_, err := samples.Convert(t.Context(), outfile.Files{}, c[0], c[1], false)
		if fault.CodeOf(err) != fault.Usage || fault.HintOf(err) == "" {
			t.Errorf("%v: %v", c, err)
		}
	}
}
