package files

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// A compact file is compactMagic, then messages, each behind its length as an unsigned varint,
// and at last the length 0, without which the file is cut off.

// compactReader reads the rows of such a file, message by message.
type compactReader struct {
	in      *bufio.Reader
	buf     []byte
	rows    []delta.Row
	taken   int // of rows
	message int64
	ended   bool
}

func newCompactReader(in *bufio.Reader) (*compactReader, error) {
	final := func(why string) error { return &RowError{Final: true, Err: errors.New(why)} }
	magic := make([]byte, len(compactMagic))
	_, err := io.ReadFull(in, magic)
	switch {
	case err != nil: // that of a disk would have come before: NewReader has looked at more than this
		return nil, final("the file is truncated in its header")
	case string(magic[:4]) != compactMagic[:4]:
		return nil, final("it is not a compact delta file")
	case string(magic) != compactMagic:
		return nil, final("it is a compact file of another version")
	}
	return &compactReader{in: in}, nil
}

func (c *compactReader) at() RowError {
	return RowError{Place: fmt.Sprintf("message %d, row %d", c.message, c.taken)}
}

func (c *compactReader) next(r *delta.Row) error {
	for c.taken == len(c.rows) {
		if c.ended {
			return io.EOF
		}
		c.rows, c.taken = c.rows[:0], 0
		if err := c.read(); err != nil {
			return err
		}
	}
	*r = c.rows[c.taken]
	c.taken++
	return nil
}

// read reads the next message. One that is damaged is passed over: where the next one begins
// is known.
func (c *compactReader) read() error {
	c.message++
	place := fmt.Sprintf("message %d", c.message)
	cut := func(err error) error {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return &RowError{Place: place, Final: true, Err: errors.New("the file is truncated")}
		}
		return err
	}
	size, err := binary.ReadUvarint(c.in)
	if err != nil {
		return cut(err)
	}
	if size == 0 {
		c.ended = true
		if _, err := c.in.Peek(1); err != io.EOF {
			return &RowError{Place: place, Final: true,
				Err: errors.New("extra data after the last message of the file")}
		}
		return nil
	}
	if size > MaxBlock {
		return &RowError{Place: place, Final: true,
			Err: fmt.Errorf("the message has %d bytes; the limit is %d MiB", size, MaxBlock>>20)}
	}
	if c.buf, err = readN(c.in, c.buf[:0], int(size)); err != nil {
		return cut(err)
	}
	_, rows, err := delta.Decode(c.buf, c.rows)
	if err != nil {
		return &RowError{Place: place, Whole: true, Err: err}
	}
	c.rows = rows
	return nil
}

// compactWriter gathers rows into messages.
type compactWriter struct {
	out    io.Writer
	batch  int
	rows   []delta.Row
	bytes  []byte // of the rows
	buf    []byte
	header delta.Header
}

// compactFull is the size of rows from which a message is full, whatever its number of rows.
const compactFull = 1 << 20

func newCompactWriter(out io.Writer, batch int) (*compactWriter, error) {
	_, err := io.WriteString(out, compactMagic)
	return &compactWriter{out: out, batch: batch}, err
}

func (c *compactWriter) write(r *delta.Row) error {
	if err := delta.Check(r); err != nil {
		return &RowError{Err: err}
	}
	// The rows before keep pointing to the old memory when this grows, which is as good.
	c.bytes = append(append(c.bytes, r.Key...), r.Value...)
	end := len(c.bytes)
	middle := end - len(r.Value)
	kept := *r
	kept.Key = c.bytes[middle-len(r.Key) : middle : middle]
	kept.Value = c.bytes[middle:end:end]
	if c.rows = append(c.rows, kept); len(c.rows) < c.batch && end < compactFull {
		return nil
	}
	return c.flush()
}

func (c *compactWriter) flush() error {
	if len(c.rows) == 0 {
		return nil
	}
	b, err := delta.Append(c.buf[:0], &c.header, c.rows)
	if err != nil {
		return err
	}
	c.buf = b
	c.header.Sequence++
	if _, err := c.out.Write(binary.AppendUvarint(nil, uint64(len(b)))); err != nil {
		return err
	}
	_, err = c.out.Write(b)
	c.rows, c.bytes = c.rows[:0], c.bytes[:0]
	return err
}

func (c *compactWriter) end() error {
	if err := c.flush(); err != nil {
		return err
	}
	_, err := c.out.Write([]byte{0})
	return err
}
