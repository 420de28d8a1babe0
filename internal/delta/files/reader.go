package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// RowError says that a row is wrong, or that a file is.
type RowError struct {
	File  string
	Line  int64  // counted from 1, or 0 for a format without lines
	Place string // without lines: "record 3", "message 2", or empty
	Final bool   // nothing behind it can be read
	Whole bool   // it is a whole message: how many rows it had is not known
	Err   error
}

// Error is file:line: message, as compilers write it.
func (e *RowError) Error() string {
	switch {
	case e.Line > 0:
		return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
	case e.Place != "":
		return fmt.Sprintf("%s: %s: %v", e.File, e.Place, e.Err)
	}
	return fmt.Sprintf("%s: %v", e.File, e.Err)
}

func (e *RowError) Unwrap() error { return e.Err }

// Options say how to read.
type Options struct {
	Name   string // of the file, for errors
	Format Format // Auto finds out
	// Bad, when it is set, is told of rows that are wrong, which are skipped. Otherwise the
	// first one ends the reading.
	Bad func(*RowError)
}

// Reader reads the rows of a file.
type Reader struct {
	source source
	format Format
	o      Options
}

// source is a reader of one format. Its errors have no file name; it is called no more after
// one that is not a RowError, or is final.
type source interface {
	// next reads a row, whose memory is valid until the next call, or returns io.EOF.
	next(r *delta.Row) error
	// at is the place of the row that was read last.
	at() RowError
}

// bufferSize is what is read at once, and the length of a line that needs no copy.
const bufferSize = 256 << 10

// NewReader begins to read a file. Errors are *RowError, or those of in.
func NewReader(in io.Reader, o Options) (*Reader, error) {
	b := bufio.NewReaderSize(in, bufferSize)
	begin, err := b.Peek(512)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	final := func(err error) error { return &RowError{File: o.Name, Final: true, Err: err} }
	if err := unsupported(begin); err != nil {
		return nil, final(err)
	}
	r := &Reader{format: o.Format, o: o}
	if r.format == Auto {
		r.format = detect(begin)
	}
	if r.format == Auto {
		r.format = FormatOf(o.Name)
	}
	if string(begin[:min(len(begin), len(utf8Mark))]) == utf8Mark && (r.format == CSV || r.format == JSONLines) {
		_, _ = b.Discard(len(utf8Mark)) // it is in the buffer
	}
	switch r.format {
	case CSV:
		r.source, err = newCSVReader(b)
	case JSONLines:
		r.source, err = newJSONReader(b), nil
	case Avro:
		r.source, err = newAvroReader(b)
	case Compact:
		r.source, err = newCompactReader(b)
	default:
		return nil, final(errors.New("the file is empty"))
	}
	return r, r.named(err)
}

// Format is the format that the file has.
func (r *Reader) Format() Format { return r.format }

// Next reads a row. Its memory is valid until the next call. The error is io.EOF at the end of
// the file, a *RowError, or that of the file itself.
func (r *Reader) Next(row *delta.Row) error {
	for {
		err := r.source.next(row)
		if err == nil || err == io.EOF {
			return err
		}
		err = r.named(err)
		bad, ok := err.(*RowError)
		if !ok || bad.Final || r.o.Bad == nil {
			return err
		}
		r.o.Bad(bad)
	}
}

// Wrong is the error for the row that was read last, of somebody who cannot use it.
func (r *Reader) Wrong(err error) *RowError {
	e := r.source.at()
	e.File, e.Err = r.o.Name, err
	return &e
}

// named gives an error the file's name.
func (r *Reader) named(err error) error {
	if err == nil {
		return nil
	}
	var bad *RowError
	if errors.As(err, &bad) {
		bad.File = r.o.Name
		return bad
	}
	return fmt.Errorf("%s: %w", r.o.Name, err)
}
