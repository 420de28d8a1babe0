package files

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// Writer writes the rows of a file.
type Writer struct {
	out  *bufio.Writer
	sink sink
}

// sink is a writer of one format.
type sink interface {
	// write writes a row, whose memory it does not keep. A *RowError says that the format
	// cannot hold it, and that others can follow; another error is the file's.
	write(r *delta.Row) error
	end() error
}

// DefaultBatch is how many rows a message of a compact file has, if nobody says otherwise.
const DefaultBatch = 1000

// NewWriter begins to write a file of this format. batch is the number of rows in a message of
// a compact file; 0 stands for DefaultBatch.
func NewWriter(out io.Writer, f Format, batch int) (*Writer, error) {
	w := &Writer{out: bufio.NewWriterSize(out, bufferSize)}
	if batch == 0 {
		batch = DefaultBatch
	}
	var err error
	switch f {
	case CSV:
		_, err = w.out.WriteString(csvHeader + "\n")
		w.sink = &csvWriter{out: w.out}
	case JSONLines:
		w.sink = &jsonWriter{out: w.out}
	case Avro:
		w.sink, err = newAvroWriter(w.out)
	case Compact:
		w.sink, err = newCompactWriter(w.out, batch)
	default:
		return nil, fmt.Errorf("cannot write the format %v", f)
	}
	return w, err
}

// Write writes a row. A *RowError says that this format cannot hold it; nothing of it was
// written, and others can follow.
func (w *Writer) Write(r *delta.Row) error { return w.sink.write(r) }

// Close ends the file. It does not close what is below.
func (w *Writer) Close() error {
	if err := w.sink.end(); err != nil {
		return err
	}
	return w.out.Flush()
}

type jsonWriter struct {
	out io.Writer
	buf []byte
}

func (j *jsonWriter) write(r *delta.Row) error {
	b, err := delta.AppendJSON(j.buf[:0], r)
	if err != nil {
		return &RowError{Err: err}
	}
	j.buf = append(b, '\n')
	_, err = j.out.Write(j.buf)
	return err
}

func (j *jsonWriter) end() error { return nil }

type csvWriter struct {
	out io.Writer
	buf []byte
	set []byte
}

func (c *csvWriter) write(r *delta.Row) error {
	if err := delta.CheckText(r); err != nil {
		return &RowError{Err: err}
	}
	if bytes.IndexByte(r.Key, 0) >= 0 || r.Type == delta.String && bytes.IndexByte(r.Value, 0) >= 0 {
		return &RowError{Err: errNUL}
	}
	value, kind := r.Value, typeString
	if r.Type == delta.Set {
		var err error
		if c.set, err = appendElements(c.set[:0], r.Value); err != nil {
			return &RowError{Err: err}
		}
		value, kind = c.set, typeSet
	}
	b := appendField(c.buf[:0], r.Key)
	b = append(append(append(b, ','), r.Kind.String()...), ',')
	b = append(strconv.AppendInt(b, r.Commit, 10), ',')
	b = append(appendField(b, value), ',')
	if r.Kind == delta.Update {
		b = append(b, kind...)
	}
	c.buf = append(b, '\n')
	_, err := c.out.Write(c.buf)
	return err
}

func (c *csvWriter) end() error { return nil }

var errNUL = errors.New("it contains a NUL byte, which is not allowed in CSV files")

// appendElements appends the elements of a set with the separator between them. Nothing at
// all is the empty set; that of the empty string alone is two of them.
func appendElements(dst, set []byte) ([]byte, error) {
	start, count := len(dst), 0
	for e := range delta.Elements(set) {
		if bytes.IndexByte(e, setSeparator) >= 0 {
			return nil, fmt.Errorf("an element of its set contains %q, the separator in CSV files", setSeparator)
		}
		if bytes.IndexByte(e, 0) >= 0 {
			return nil, errNUL
		}
		if count > 0 {
			dst = append(dst, setSeparator)
		}
		dst = append(dst, e...)
		count++
	}
	if count == 1 && len(dst) == start {
		dst = append(dst, setSeparator)
	}
	return dst, nil
}

// appendField appends a field, in quotes if need be.
func appendField(dst, field []byte) []byte {
	if !bytes.ContainsAny(field, ",\"\r\n") {
		return append(dst, field...)
	}
	dst = append(dst, '"')
	for {
		at := bytes.IndexByte(field, '"')
		if at < 0 {
			return append(append(dst, field...), '"')
		}
		dst = append(append(dst, field[:at+1]...), '"')
		field = field[at+1:]
	}
}
