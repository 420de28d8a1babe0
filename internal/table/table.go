package table

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/infile"
)

// Bounds on a table: it is in memory for as long as a run goes on.
const (
	mostRows    = 10_000_000
	mostColumns = 1000
	mostValues  = 1 << 25
	mostBytes   = 1 << 30
	mostOfRow   = 1 << 20 // bytes
)

// Read reads CSV (RFC 4180) whose first line names the columns. It reads no more than it keeps.
func Read(name string, from io.Reader) (columns []string, rows [][]string, err error) {
	return read(name, from, mostRows)
}

// rowReader reads no more than a row may have until it is told that the next one begins.
type rowReader struct {
	from io.Reader
	left int   // of the row
	all  int64 // that was read
}

var (
	errLongRow  = errors.New("a row is too long")
	errLongFile = errors.New("it is too long")
)

func (r *rowReader) Read(p []byte) (int, error) {
	switch {
	case r.all > mostBytes:
		return 0, errLongFile
	case r.left <= 0:
		return 0, errLongRow
	}
	n, err := r.from.Read(p[:min(len(p), r.left)])
	r.left -= n
	r.all += int64(n)
	return n, err
}

func read(name string, from io.Reader, most int) (columns []string, rows [][]string, err error) {
	in := bufio.NewReader(from)
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		_, _ = in.Discard(len(mark))
	}
	bounded := &rowReader{from: in}
	c := csv.NewReader(bounded)
	for {
		bounded.left = mostOfRow
		record, err := c.Read()
		switch {
		case errors.Is(err, errLongRow):
			row := "its header line"
			if columns != nil {
				row = fmt.Sprint("row ", len(rows)+1)
			}
			return nil, nil, fault.New(fault.Usage, "%s: %s is longer than 1 MiB", name, row).
				Hint("check for an unclosed quote")
		case errors.Is(err, errLongFile):
			return nil, nil, infile.TooLarge(name, mostBytes)
		case err == io.EOF && columns == nil:
			return nil, nil, fault.New(fault.Usage, "%s: the file is empty", name).
				Hint("write the column names in the first line")
		case err == io.EOF && len(rows) == 0:
			return nil, nil, fault.New(fault.Usage, "%s: the file has a header line but no rows", name).
				Hint("add at least one row")
		case err == io.EOF:
			return columns, rows, nil
		case err != nil:
			wrong := &csv.ParseError{}
			if !errors.As(err, &wrong) {
				return nil, nil, fault.New(fault.Usage, "%s: %w", name, err).Hint("use a readable file")
			}
			return nil, nil, fault.New(fault.Usage, "%s:%d:%d: %w", name, wrong.Line, wrong.Column, wrong.Err).
				Hint("use CSV: fields separated by commas, and as many fields in each row as there are columns")
		case columns == nil:
			if columns, err = names(name, record); err != nil {
				return nil, nil, err
			}
		case len(rows) == most || len(rows)*len(columns) > mostValues:
			return nil, nil, fault.New(fault.Usage, "%s: more than %d rows", name, len(rows)).Hint("use a part of it")
		default:
			rows = append(rows, record)
		}
	}
}

func names(name string, record []string) ([]string, error) {
	if len(record) > mostColumns {
		return nil, fault.New(fault.Usage, "%s:1: more than %d columns", name, mostColumns).
			Hint("remove the columns that no request uses")
	}
	for i, column := range record {
		if !utf8.ValidString(column) || strings.ContainsFunc(column, unicode.IsControl) {
			return nil, fault.New(fault.Usage, "%s:1: %q is not a valid column name: is this a text file?", name, column).
				Hint("write the column names in the first line, in UTF-8, separated by commas")
		}
		if slices.Contains(record[:i], column) || column == "" {
			return nil, fault.New(fault.Usage, "%s:1: the column %q is empty or a duplicate", name, column).
				Hint("write each column name once in the first line")
		}
	}
	return record, nil
}
