package samples

import (
	"context"
	"errors"
	"io"

	"github.com/plimsoll/plimsoll/internal/parquet"
)

// Written is what became of a file.
type Written struct {
	Rows int64
	Cut  int64 // bytes of a last line that has no end, and is left out
	Left int64 // rows that are no response times of the window, and in no log
}

// looks is after how many rows it is looked whether to go on.
const looks = 4096

// each reads all rows of a file.
func each(ctx context.Context, r *Reader, row func([]Value) error) (w Written, err error) {
	for ; ; w.Rows++ {
		if w.Rows%looks == 0 && ctx.Err() != nil {
			return Written{}, ctx.Err()
		}
		values, err := r.Next()
		if errors.Is(err, io.EOF) {
			w.Cut = r.Cut()
			return w, nil
		}
		if err == nil {
			err = row(values)
		}
		if err != nil {
			return Written{}, err
		}
	}
}

// ToParquet writes a file of samples as Parquet.
func ToParquet(ctx context.Context, r *Reader, out io.Writer) (Written, error) {
	w, err := parquet.New(out, parquetColumns(r.Columns))
	if err != nil {
		return Written{}, err
	}
	written, err := each(ctx, r, func(row []Value) error {
		for i := range row {
			switch v := &row[i]; {
			case v.Absent:
			case r.Columns[i].Kind == Text:
				w.Text(i, v.Text)
			default:
				w.Integer(i, v.Number)
			}
		}
		return w.EndRow()
	})
	if err != nil {
		return Written{}, err
	}
	return written, w.Close()
}
