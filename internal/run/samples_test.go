package run

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/record"
)

// TestSamplesAsParquet: rows are streamed as CSV beside the file that is asked for, and are in one of the two at the end.
func TestSamplesAsParquet(t *testing.T) {
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range map[string]struct {
		hard    context.Context
		row     string
		parquet bool
		why     string
	}{
		"whole":       {t.Context(), "a,1.500,ok\n", true, ""},
		"interrupted": {interrupted, "a,1.500,ok\n", false, "interrupted before "},
		"no row":      {t.Context(), "a,b,ok\n", false, `:2: latencyMs is "b", not a time in ms`},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.Parquet")
			r := runEnding(io.Discard, Conclusion{})
			of := &Samples{Path: path, Header: "request,latencyMs,statusCode\n", Format: func(row []byte, _ *record.Sample) []byte {
				return append(row, test.row...)
			}}
			s, err := r.openSamples(of)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(path); err == nil {
				t.Error("the Parquet file is there before its time")
			}
			s.Buffer().Add(&record.Sample{})
			file := r.closeSamples(test.hard, s, of)
			_, parquet := os.Stat(path)
			rows, csv := os.ReadFile(path + ".csv")
			if (parquet == nil) != test.parquet || (csv == nil) == test.parquet || file.Written != 1 {
				t.Errorf("Parquet: %v, CSV: %v, %+v", parquet, csv, file)
			}
			if test.parquet {
				if file.Path != path || file.Error != "" || r.spoiled != nil {
					t.Errorf("%+v, %v", file, r.spoiled)
				}
				return
			}
			why := r.spoiled[path]
			if file.Path != path+".csv" || !strings.Contains(file.Error, test.why) || string(rows) != of.Header+test.row ||
				why == nil || !strings.Contains(why.Error(), "all samples are in "+path+".csv") {
				t.Errorf("%+v, %v, %q", file, why, rows)
			}
		})
	}
}
