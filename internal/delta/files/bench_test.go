package files

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/plimsoll/plimsoll/internal/delta"
)

func TestReaderDoesNotAllocatePerRow(t *testing.T) {
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
