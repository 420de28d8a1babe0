package samples_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/parquet"
	"github.com/plimsoll/plimsoll/internal/samples"
)

// TestParquetOfEveryKind: each value is in the table under its own name, with its own unit. What is in a file of
// Parquet, the tests of that package know.
func TestParquetOfEveryKind(t *testing.T) {
	text := func(name string) parquet.Column { return parquet.Column{Name: name, Kind: parquet.Text} }
	whole := func(name string) parquet.Column { return parquet.Column{Name: name} }
	moment := parquet.Column{Name: "timestamp", Kind: parquet.Microseconds}
	maybe := func(name string) parquet.Column { return parquet.Column{Name: name, Optional: true} }
	for csv, want := range map[string]struct {
		columns []parquet.Column
		rows    [][]any
	}{
		header + "2026-11-21T20:47:00.000001Z,GET /,12.345,ok,0.001,,0.344,512\n1969-12-31T23:59:59Z,,0,,,1,,-0\n": {
			[]parquet.Column{moment, text("operation"), whole("response_time_ns"), text("status"), maybe("send_ns"),
				maybe("wait_ns"), maybe("body_ns"), whole("bytes")},
			[][]any{{1795294020000001, "GET /", 12345000, "ok", 1000, nil, 344000, 512}, {-1000000, "", 0, "", nil, 1000000, nil, 0}},
		},
		"messageType,latencyMs,roomId,phase\nTEXT,1,3,window\n": {
			[]parquet.Column{text("operation"), whole("response_time_ns"), whole("room"), text("phase")},
			[][]any{{"TEXT", 1000000, 3, "window"}},
		},
		"message,responseMs,serviceMs,status\nm,2.5,2,ok\n": {
			[]parquet.Column{text("operation"), whole("response_time_ns"), whole("service_time_ns"), text("status")},
			[][]any{{"m", 2500000, 2000000, "ok"}},
		},
		"operation,bytes,total,duration,iteration,stream\nupload,1,2,0.000003,4,5\n": {
			[]parquet.Column{text("operation"), whole("bytes"), whole("total_bytes"), whole("duration_ns"), whole("iteration"),
				whole("stream")},
			[][]any{{"upload", 1, 2, 3, 4, 5}},
		},
	} {
		var own, got bytes.Buffer
		w, err := parquet.New(&own, want.columns)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range want.rows {
			for i, v := range row {
				switch v := v.(type) {
				case int:
					w.Integer(i, int64(v))
				case string:
					w.Text(i, []byte(v))
				}
			}
			err = errors.Join(err, w.EndRow())
		}
		r, no := samples.NewReader(strings.NewReader(csv+"cut"), "s.csv")
		if err := errors.Join(err, w.Close(), no); err != nil {
			t.Fatal(err)
		}
		written, err := samples.ToParquet(t.Context(), r, &got)
		if !bytes.Equal(own.Bytes(), got.Bytes()) || written != (samples.Written{Rows: int64(len(want.rows)), Cut: 3}) || err != nil {
			t.Errorf("%s: it is another table; %+v, %v", csv, written, err)
		}
	}
}

// TestNames: what the names of files mean, which documents of runs and the manual name.
func TestNames(t *testing.T) {
	for name, is := range map[string]bool{"a.parquet": true, "a.b.PARQUET": true, "a.parquet.csv": false, "parquet": false} {
		if samples.IsParquet(name) != is || samples.IsParquet(name+samples.StreamEnding) {
			t.Errorf("%s", name)
		}
	}
	if samples.Stdin != "-" || samples.StreamEnding != ".csv" || fmt.Sprint(samples.Text) != "text" {
		t.Error(samples.Stdin, samples.StreamEnding, samples.Text)
	}
}

// full takes so many bytes.
type full struct{ left int }

var errFull = errors.New("full")

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestFull: what cannot be written is an error, and the rest of the file is not read for it.
func TestFull(t *testing.T) {
	write := map[string]func(context.Context, *samples.Reader, io.Writer) (samples.Written, error){
		"parquet": samples.ToParquet,
		"log": func(ctx context.Context, r *samples.Reader, out io.Writer) (samples.Written, error) {
			return samples.ToLog(ctx, r, "s.csv", out)
		},
	}
	few, many := row(1, "a", "1", "ok"), strings.Repeat(row(1, "a", "1", "ok"), 122_880)
	for second := range 121 {
		many += row(2+second, "a", "1", "ok")
	}
	for name, to := range write {
		for left, rows := range map[int]string{0: few, 100: few, 10: many} {
			in := io.Reader(strings.NewReader(logHeader + rows))
			if rows == many {
				in = io.MultiReader(in, iotest.ErrReader(errors.New("it was read on")))
			}
			r, err := samples.NewReader(in, "s.csv")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := to(t.Context(), r, &full{left}); !errors.Is(err, errFull) {
				t.Errorf("%s, with room for %d bytes: %v", name, left, err)
			}
		}
	}
}

// TestFullDisk: a file that cannot be written whole is an error of the run, and not of the user's.
func TestFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no /dev/full")
	}
	for _, ending := range []string{samples.ParquetEnding, samples.LogEnding} {
		to := filepath.Join(t.TempDir(), "x"+ending)
		if err := os.Symlink("/dev/full", to); err != nil {
			t.Fatal(err)
		}
		full := strings.NewReader(logHeader + row(1, "a", "1", "ok"))
		_, err := samples.ConvertFrom(t.Context(), outfile.Files{}, full, "s.csv", to, true)
		if fault.CodeOf(err) != fault.RunFailed || !strings.HasPrefix(err.Error(), "cannot write "+to) {
			t.Errorf("%v", err)
		}
	}
}

// TestNoColumns: what the first line lacks is said, and no file is made of it, whole or begun.
func TestNoColumns(t *testing.T) {
	dir := t.TempDir()
	broken := iotest.ErrReader(errors.New("gone"))
	for _, test := range []struct {
		in   io.Reader
		want string
		code fault.Code
	}{
		{strings.NewReader(""), "s.csv: the file is empty", fault.Usage},
		{strings.NewReader("s"), "s.csv:1: the header line is incomplete", fault.Usage},
		{strings.NewReader("status,\"a\"b\n"), "s.csv:1: expected a comma after a quoted field", fault.Usage},
		{broken, "cannot read s.csv: gone", fault.RunFailed},
		{io.MultiReader(strings.NewReader(logHeader), broken), "cannot read s.csv: gone", fault.RunFailed},
	} {
		to := filepath.Join(dir, "x.hlog")
		_, err := samples.ConvertFrom(t.Context(), outfile.Files{}, test.in, "s.csv", to, false)
		if err == nil || err.Error() != test.want || fault.CodeOf(err) != test.code {
			t.Errorf("%v, want %s", err, test.want)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%v is left", left)
		}
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	to := filepath.Join(dir, "x.hlog")
	_, err := samples.ConvertFrom(stopped, outfile.Files{}, strings.NewReader(logHeader), "s.csv", to, false)
	if fault.CodeOf(err) != fault.Interrupted {
		t.Errorf("interrupted before the first row: %v", err)
	}
}

// TestLongestRow: a row has a mebibyte at most, with its end.
func TestLongestRow(t *testing.T) {
	for size, good := range map[int]bool{1 << 20: true, 1<<20 + 1: false} {
		rows, _, err := all("status\n" + strings.Repeat("x", size-1) + "\n")
		if (err == nil) != good || good && len(rows[0]) != size-1 {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}
