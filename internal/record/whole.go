package record

import (
	"fmt"
	"io"
)

// WholeRows is what a buffer writes to, which gives it whole rows at a time; when a write to the file fails half-way it
// cuts the file back to the rows that are whole. It belongs to one goroutine.
type WholeRows struct {
	file    io.Writer
	size    int64
	Pending int64 // rows given to the buffer and not yet written; whoever gives it one counts it
}

// Write writes rows.
func (w *WholeRows) Write(p []byte) (int, error) {
	n, err := w.file.Write(p)
	if err == nil {
		w.size += int64(n)
		w.Pending = 0
		return n, nil
	}
	if n > 0 {
		err = w.cutBack(err)
	}
	return 0, err
}

// NewWholeRows makes one of a file that is empty.
func NewWholeRows(file io.Writer) *WholeRows { return &WholeRows{file: file} }

// cutBack takes back what a failed write left in the file.
func (w *WholeRows) cutBack(err error) error {
	f, ok := w.file.(interface{ Truncate(size int64) error })
	if !ok {
		return err
	}
	if cut := f.Truncate(w.size); cut != nil {
		return fmt.Errorf("%w (its last row is incomplete: %w)", err, cut)
	}
	return err
}
