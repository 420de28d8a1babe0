package samples

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"time"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/outfile"
)

// maxRow bounds a row of the file, in bytes: one that a run wrote has a few hundred.
const maxRow = 1 << 20

// Value is one of a row.
type Value struct {
	Absent bool
	Number int64  // of all kinds but Text
	Text   []byte // UTF-8, until the next row is read
}

// Reader reads a file of samples, row by row.
type Reader struct {
	Columns []Column

	name   string
	in     *bufio.Reader
	line   int // of the row that was read last, from 1 on
	lines  int // that were read
	raw    []byte
	fields [][]byte
	row    []Value
	cut    int64
}

// NewReader begins to read a file, whose first line names the columns. name is the one in messages.
func NewReader(in io.Reader, name string) (*Reader, error) {
	r := &Reader{name: name, in: bufio.NewReaderSize(in, 256<<10)}
	err := r.next()
	switch {
	case err == io.EOF && r.cut > 0:
		return nil, fault.New(fault.Usage, "%s:1: the header line is incomplete", name).
			Hint("the run was killed before it wrote a sample")
	case err == io.EOF:
		return nil, fault.New(fault.Usage, "%s: the file is empty", name).Hint("use the CSV file that --samples wrote")
	case err != nil:
		return nil, err
	}
	if r.Columns, err = columnsOf(name, r.fields); err != nil {
		return nil, err
	}
	r.row = make([]Value, len(r.Columns))
	return r, nil
}

// Next is the next row, as long as the one after it is not read; io.EOF when there is none. A last line without an end,
// as a run leaves one that is killed, is left out.
func (r *Reader) Next() ([]Value, error) {
	if err := r.next(); err != nil {
		return nil, err
	}
	if len(r.fields) != len(r.Columns) {
		return nil, r.wrong("the row has %d fields, but there are %d columns", len(r.fields), len(r.Columns))
	}
	for i, field := range r.fields {
		v, c := &r.row[i], &r.Columns[i]
		*v = Value{}
		if len(field) == 0 && c.Optional {
			v.Absent = true
			continue
		}
		ok := true
		switch c.Kind {
		case Text:
			if v.Text = field; !utf8.Valid(field) {
				v.Text = bytes.ToValidUTF8(field, []byte("\ufffd"))
			}
		case Count:
			v.Number, ok = decimal(field, 0)
		case Millis:
			v.Number, ok = decimal(field, 6)
		case Instant:
			v.Number, ok = instant(field)
		}
		if !ok {
			return nil, r.wrong("%s is %.40q, not a %s", c.CSV, field, c.Kind)
		}
	}
	return r.row, nil
}

// Cut is how many bytes the last line had that has no end; 0: each has one.
func (r *Reader) Cut() int64 { return r.cut }

func (k Kind) String() string {
	switch k {
	case Count:
		return "whole number"
	case Millis:
		return "time in ms"
	case Instant:
		return "time, such as 2026-11-21T20:47:00.000001Z"
	case Text:
	}
	return "text"
}

func (r *Reader) wrong(format string, args ...any) error {
	return fault.New(fault.Usage, "%s:%d: "+format, append([]any{r.name, r.line}, args...)...).
		Hint("the file was modified after the run, or is not a file of samples; nothing was written")
}

// next reads a row into fields.
func (r *Reader) next() error {
	r.raw, r.line = r.raw[:0], r.lines+1
	quotes := 0
	for {
		part, err := r.in.ReadSlice('\n')
		r.raw = append(r.raw, part...)
		quotes += bytes.Count(part, []byte{'"'})
		switch {
		case err == io.EOF:
			r.cut = int64(len(r.raw))
			return io.EOF
		case len(r.raw) > maxRow:
			return r.wrong("a row exceeds %d bytes", maxRow)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return fault.New(fault.RunFailed, "cannot read %s: %w", r.name, outfile.Reason(err))
		}
		r.lines++
		if quotes%2 == 0 { // else the line ends within a field
			return r.split()
		}
	}
}

// split takes the fields of a row apart (RFC 4180). A quoted one becomes shorter, so that it is written where it stood.
func (r *Reader) split() error {
	r.fields = r.fields[:0]
	rest := r.raw[:len(r.raw)-1]
	rest = bytes.TrimSuffix(rest, []byte{'\r'})
	for {
		if len(rest) == 0 || rest[0] != '"' {
			field, after, more := bytes.Cut(rest, []byte{','})
			if bytes.ContainsRune(field, '"') {
				return r.wrong("unexpected quote in %.40q", field)
			}
			r.fields, rest = append(r.fields, field), after
			if !more {
				return nil
			}
			continue
		}
		field, after := unquote(rest)
		if len(after) > 0 && after[0] != ',' {
			return r.wrong("expected a comma after a quoted field")
		}
		r.fields = append(r.fields, field)
		if len(after) == 0 {
			return nil
		}
		rest = after[1:]
	}
}

// unquote is the quoted field that a text begins with, and what is behind it. It has an end: the text has an even
// number of quotes, as the row has (next), and so has each field before.
func unquote(text []byte) (field, after []byte) {
	to := 0
	for from := 1; ; from++ {
		if text[from] == '"' {
			if from+1 == len(text) || text[from+1] != '"' {
				return text[:to], text[from+1:]
			}
			from++
		}
		text[to] = text[from]
		to++
	}
}

// decimal is a number times ten to the places, of which it has no more.
func decimal(field []byte, places int) (n int64, ok bool) {
	field, negative := bytes.CutPrefix(field, []byte{'-'})
	whole, fraction, point := bytes.Cut(field, []byte{'.'})
	if len(whole) == 0 || point && (len(fraction) == 0 || len(fraction) > places) {
		return 0, false
	}
	for i := range len(whole) + places {
		digit := byte('0')
		switch at := i - len(whole); {
		case at < 0:
			digit = whole[i]
		case at < len(fraction):
			digit = fraction[at]
		}
		if digit < '0' || digit > '9' || n > (math.MaxInt64-int64(digit-'0'))/10 {
			return 0, false
		}
		n = n*10 + int64(digit-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}

// instant is a time in µs since 1970.
func instant(field []byte) (int64, bool) {
	t, err := time.Parse(time.RFC3339Nano, string(field))
	if err != nil || t.Nanosecond()%1000 != 0 {
		return 0, false
	}
	return t.UnixMicro(), true
}
