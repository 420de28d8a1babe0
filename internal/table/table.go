package table

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Bounds on a table: it is in memory for as long as a run goes on.
const (
	mostRows    = 10_000_000
	mostColumns = 1000
)

// Read reads CSV (RFC 4180) whose first line names the columns.
func Read(name string, data []byte) (columns []string, rows [][]string, err error) {
	return read(name, data, mostRows)
}

func read(name string, data []byte, most int) (columns []string, rows [][]string, err error) {
	c := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	for {
		record, err := c.Read()
		switch {
		case err == io.EOF && columns == nil:
			return nil, nil, fault.New(fault.Usage, "%s: it is empty", name).Hint("its first line names the columns")
		case err == io.EOF && len(rows) == 0:
			return nil, nil, fault.New(fault.Usage, "%s: it has names of columns, and no row", name).
				Hint("write a row for each line below them")
		case err == io.EOF:
			return columns, rows, nil
		case err != nil:
			wrong := &csv.ParseError{Err: err}
			errors.As(err, &wrong) // it is one, of bytes that are in memory
			return nil, nil, fault.New(fault.Usage, "%s:%d:%d: %w", name, wrong.Line, wrong.Column, wrong.Err).
				Hint("it is CSV, with a comma between fields, and as many of them in each row as there are columns")
		case columns == nil:
			if columns, err = names(name, record); err != nil {
				return nil, nil, err
			}
		case len(rows) == most:
			return nil, nil, fault.New(fault.Usage, "%s: it has more than %d rows", name, most).Hint("take a part of it")
		default:
			rows = append(rows, record)
		}
	}
}

func names(name string, record []string) ([]string, error) {
	if len(record) > mostColumns {
		return nil, fault.New(fault.Usage, "%s:1: it has more than %d columns", name, mostColumns).
			Hint("leave out those that no request uses")
	}
	for i, column := range record {
		if !utf8.ValidString(column) || strings.ContainsFunc(column, unicode.IsControl) {
			return nil, fault.New(fault.Usage, "%s:1: %q is no name of a column: is it a file of text?", name, column).
				Hint("its first line names the columns, in UTF-8, with a comma between them")
		}
		if slices.Contains(record[:i], column) || column == "" {
			return nil, fault.New(fault.Usage, "%s:1: the column %q stands there twice, or has no name", name, column).
				Hint("its first line names the columns, each once")
		}
	}
	return record, nil
}
