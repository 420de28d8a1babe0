package updates

import (
	"errors"
	"io"
	"os"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/delta/files"
)

// cutter reads files one after the other and cuts each into batches.
type cutter struct {
	paths []string // not begun yet
	batch int
	file  *os.File // nil between two files
	rows  *files.Reader
}

// next reads a batch into s. The error is io.EOF when there is none left.
func (c *cutter) next(s *scratch) ([]delta.Row, error) {
	s.rows, s.buf = s.rows[:0], s.buf[:0]
	for {
		if c.file == nil {
			if err := c.open(); err != nil {
				return nil, err
			}
		}
		err := c.fill(s)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if err != nil {
			c.close()
		}
		if len(s.rows) > 0 {
			return s.rows, nil
		}
	}
}

// open opens the next file.
func (c *cutter) open() error {
	if len(c.paths) == 0 {
		return io.EOF
	}
	path := c.paths[0]
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	r, err := files.NewReader(f, files.Options{Name: path})
	if err != nil {
		return errors.Join(err, f.Close())
	}
	c.paths, c.file, c.rows = c.paths[1:], f, r
	return nil
}

// close closes the file that is open.
func (c *cutter) close() {
	if c.file != nil {
		_ = c.file.Close() // it was only read
		c.file, c.rows = nil, nil
	}
}

// fill reads rows of one file. They are copied: the reader's memory does not last.
func (c *cutter) fill(s *scratch) error {
	var err error
	for len(s.rows) < c.batch {
		var r delta.Row
		if err = c.rows.Next(&r); err != nil {
			break
		}
		s.buf = append(append(s.buf, r.Key...), r.Value...)
		s.rows = append(s.rows, r)
	}
	// The buffer moved while it grew: only now is it known where everything is.
	at := 0
	for i := range s.rows {
		r := &s.rows[i]
		key, value := len(r.Key), len(r.Value)
		r.Key = s.buf[at : at+key : at+key]
		at += key
		if r.Kind == delta.Update {
			r.Value = s.buf[at : at+value : at+value]
		}
		at += value
	}
	return err
}
