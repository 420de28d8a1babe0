package files

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// The columns of a CSV file, in the order in which they are written.
const (
	columnKey = iota
	columnMutation
	columnCommit
	columnValue
	columnType
	columns
)

const (
	csvHeader    = "key,mutation_type,logical_commit_time,value,value_type"
	setSeparator = '|'
	typeString   = "string"
	typeSet      = "string_set"
)

// csvReader reads CSV as RFC 4180 has it. The standard library's reader would do, but for what
// hostile files make of it: a quote that is never closed takes the rest of the file into
// memory, and a line end within quotes is not what it was.
type csvReader struct {
	lines  lines
	start  int64 // line on which the record begins
	place  [columns]int
	width  int      // columns of the header
	fields [][]byte // of the record, in the order of the header
	record []byte   // the fields of one with quotes
	ends   []int    // where they end in it
	broken error    // of the file, within a record
	set    []byte
	parts  [][]byte
}

func newCSVReader(in *bufio.Reader) (*csvReader, error) {
	c := &csvReader{lines: lines{in: in}}
	err := c.read()
	if err == io.EOF {
		return nil, &RowError{Final: true, Err: errors.New("the file is empty: the first line must be " + csvHeader)}
	}
	var bad *RowError
	if errors.As(err, &bad) {
		bad.Final = true
	}
	if err != nil {
		return nil, err
	}
	if err := c.header(); err != nil {
		return nil, &RowError{Line: c.start, Final: true, Err: err}
	}
	return c, nil
}

// header finds out which column stands where.
func (c *csvReader) header() error {
	names := strings.Split(csvHeader, ",")
	for i := range c.place {
		c.place[i] = -1
	}
	c.width = len(c.fields)
	for at, field := range c.fields {
		column := slices.Index(names, string(field))
		if column < 0 {
			return fmt.Errorf("unknown column %.40q: the first line must be %s", field, csvHeader)
		}
		if c.place[column] >= 0 {
			return fmt.Errorf("duplicate column %s", field)
		}
		c.place[column] = at
	}
	for column, at := range c.place {
		if at < 0 && column != columnType { // without types, all values are strings
			return fmt.Errorf("column %s is missing: the first line must be %s", names[column], csvHeader)
		}
	}
	return nil
}

func (c *csvReader) at() RowError { return RowError{Line: c.start} }

func (c *csvReader) next(r *delta.Row) error {
	if err := c.read(); err != nil {
		return err
	}
	if err := c.row(r); err != nil {
		return &RowError{Line: c.start, Err: err}
	}
	return nil
}

// row makes a row of the fields.
func (c *csvReader) row(r *delta.Row) error {
	if len(c.fields) != c.width {
		return fmt.Errorf("the header has %d fields, but this row has %d", c.width, len(c.fields))
	}
	*r = delta.Row{Key: c.fields[c.place[columnKey]]}
	mutation := c.fields[c.place[columnMutation]]
	var ok bool
	if r.Kind, ok = delta.ParseKind(mutation); !ok {
		return fmt.Errorf("%s is %.40q, not UPDATE or DELETE", delta.FieldMutation, mutation)
	}
	commit := c.fields[c.place[columnCommit]]
	if r.Commit, ok = parseInt(commit); !ok {
		return fmt.Errorf("%s is %.40q, not a 64-bit integer", delta.FieldCommit, commit)
	}
	if err := c.value(r); err != nil {
		return err
	}
	return delta.CheckText(r)
}

func (c *csvReader) value(r *delta.Row) error {
	value := c.fields[c.place[columnValue]]
	kind := []byte(nil)
	if at := c.place[columnType]; at >= 0 {
		kind = c.fields[at]
	}
	set := string(kind) == typeSet
	switch {
	case !set && len(kind) > 0 && string(kind) != typeString:
		return fmt.Errorf("value_type is %.40q, not string or string_set", kind)
	case r.Kind == delta.Delete && len(value) > 0:
		return errors.New("a delete must not have a value")
	case r.Kind == delta.Delete:
		return nil
	case !set:
		r.Value = value
		return nil
	}
	c.parts = c.parts[:0]
	for rest, more := value, len(value) > 0; more; {
		var part []byte
		part, rest, more = bytes.Cut(rest, []byte{setSeparator})
		c.parts = append(c.parts, part)
	}
	c.set = delta.AppendSet(c.set[:0], c.parts...)
	r.Type, r.Value = delta.Set, c.set
	return nil
}

// read reads the fields of the next record that is not an empty line.
func (c *csvReader) read() error {
	for {
		line, err := c.lines.next()
		c.start = c.lines.line
		if errors.Is(err, errTooLong) {
			return &RowError{Line: c.start, Err: err}
		}
		if err != nil {
			return err
		}
		if len(withoutEnd(line)) == 0 {
			continue
		}
		c.fields = c.fields[:0]
		if bytes.IndexByte(line, '"') >= 0 {
			err = c.quoted(line)
		} else {
			err = c.plain(withoutEnd(line))
		}
		if c.broken != nil {
			return c.broken
		}
		if err == nil && slices.ContainsFunc(c.fields, func(f []byte) bool { return bytes.IndexByte(f, 0) >= 0 }) {
			err = errors.New("the line contains a NUL byte")
		}
		if err != nil {
			return &RowError{Line: c.start, Err: err}
		}
		return nil
	}
}

// plain splits a line without quotes.
func (c *csvReader) plain(line []byte) error {
	if bytes.IndexByte(line, '\r') >= 0 {
		return errReturn
	}
	for {
		at := bytes.IndexByte(line, ',')
		if at < 0 {
			c.fields = append(c.fields, line)
			return nil
		}
		c.fields = append(c.fields, line[:at])
		line = line[at+1:]
	}
}

var errReturn = errors.New("the line contains a carriage return: lines must end with LF or CRLF")

// quoted splits a record that begins with this line and has quotes. It reads more lines while
// a quote is open.
func (c *csvReader) quoted(line []byte) error {
	c.record, c.ends = c.record[:0], c.ends[:0]
	for more := true; more; {
		var err error
		if len(line) > 0 && line[0] == '"' {
			line, err = c.inQuotes(line[1:])
		} else {
			line, err = c.bare(line)
		}
		if err != nil {
			return err
		}
		c.ends = append(c.ends, len(c.record))
		if more = len(withoutEnd(line)) > 0; !more {
			break
		}
		if line[0] != ',' {
			return errors.New("unexpected text after a quoted field")
		}
		line = line[1:]
	}
	begin := 0
	for _, end := range c.ends {
		c.fields = append(c.fields, c.record[begin:end])
		begin = end
	}
	return nil
}

// bare appends a field without quotes to record and returns what follows it.
func (c *csvReader) bare(line []byte) (rest []byte, err error) {
	field, rest := line, []byte(nil)
	if at := bytes.IndexByte(line, ','); at >= 0 {
		field, rest = line[:at], line[at:]
	} else {
		field = withoutEnd(line)
	}
	switch {
	case bytes.IndexByte(field, '"') >= 0:
		return nil, errors.New("unescaped quote in a field: put the field in quotes, and double each quote inside it")
	case bytes.IndexByte(field, '\r') >= 0:
		return nil, errReturn
	}
	c.record = append(c.record, field...)
	return rest, nil
}

// inQuotes appends a field to record, from behind its first quote, and returns what follows
// its last one.
func (c *csvReader) inQuotes(line []byte) (rest []byte, err error) {
	for {
		at := bytes.IndexByte(line, '"')
		if at < 0 {
			if len(c.record)+len(line) > MaxRow {
				return nil, errTooLong
			}
			c.record = append(c.record, line...)
			line, err = c.lines.next()
			switch {
			case err == io.EOF:
				return nil, errors.New("a quote is not closed")
			case err != nil && !errors.Is(err, errTooLong):
				c.broken = err
			}
			if err != nil {
				return nil, err
			}
			continue
		}
		c.record = append(c.record, line[:at]...)
		line = line[at+1:]
		if len(line) == 0 || line[0] != '"' {
			return line, nil
		}
		c.record = append(c.record, '"')
		line = line[1:]
	}
}

// parseInt is strconv.ParseInt in base 10, without a plus sign and without an allocation.
func parseInt(b []byte) (int64, bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	if len(b) == 0 || len(b) > 19 {
		return 0, false
	}
	n := uint64(0) // 19 digits fit
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	switch {
	case negative && n <= 1<<63:
		return -int64(n), true
	case !negative && n <= math.MaxInt64:
		return int64(n), true
	}
	return 0, false
}
