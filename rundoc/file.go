package rundoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/outfile"
)

// MaxBytes bounds the size of a document that Read accepts. Its series and slices have less than 4 MB, however
// long the run was; before points covered more than a second, a run of a week had 80 MB.
const MaxBytes = 128 << 20

// ErrSchema is in the chain of the error for a document of another schema or version.
var ErrSchema = errors.New("not a document of the schema " + Schema)

// Read reads a run document. Fields that it does not know are left out, so that documents of
// a later program can be read; another schema or version is an ErrSchema. What a document
// says is not checked for truth: that is for Judge.
func Read(r io.Reader) (*Run, error) { return read(r, "") }

// ReadFile reads the run document in a file. Errors name the file, and the line if they can.
func ReadFile(path string) (*Run, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f, path)
}

func read(r io.Reader, name string) (*Run, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	switch {
	case err != nil:
		return nil, place(name, 0, err)
	case len(data) > MaxBytes:
		return nil, place(name, 0, fmt.Errorf("larger than %d bytes, so no run document", MaxBytes))
	case len(bytes.TrimSpace(data)) == 0:
		return nil, place(name, 0, errors.New("empty: no run document was written to it"))
	}
	run, line, err := decode(data)
	if err != nil {
		return nil, place(name, line, err)
	}
	return run, nil
}

// decode reads a document, and says on which line it is broken, or 0.
func decode(data []byte) (*Run, int, error) {
	var run Run
	broken := run.UnmarshalJSON(data)
	head := struct {
		Schema string `json:"schema"`
	}{run.Schema}
	if broken != nil {
		// The schema comes first: in another version any other field may have another shape.
		if err := json.Unmarshal(data, &head); err != nil {
			return nil, lineOf(data, err), fmt.Errorf("not a run document: %w", err)
		}
	}
	if err := checkSchema(head.Schema); err != nil {
		return nil, 0, err
	}
	if broken != nil {
		return nil, lineOf(data, broken), fmt.Errorf("not a run document: %w", broken)
	}
	return &run, 0, nil
}

func checkSchema(got string) error {
	family, _, _ := strings.Cut(Schema, "/")
	switch {
	case got == Schema:
		return nil
	case got == "":
		return fmt.Errorf("%w: it names no schema", ErrSchema)
	case strings.HasPrefix(got, family+"/"):
		return fmt.Errorf("%w: it is a %.40q, of another version of Plimsoll; read it with that version",
			ErrSchema, got)
	}
	return fmt.Errorf("%w: it is a %.40q", ErrSchema, got)
}

// place puts "file:line: " before an error, as far as they are known.
func place(name string, line int, err error) error {
	switch {
	case name == "" && line == 0:
		return err
	case name == "":
		return fmt.Errorf("line %d: %w", line, err)
	case line == 0:
		return fmt.Errorf("%s: %w", name, err)
	}
	return fmt.Errorf("%s:%d: %w", name, line, err)
}

// lineOf is the line that a JSON error is about, or 0 if it does not say.
func lineOf(data []byte, err error) int {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var offset int64
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	default:
		return 0
	}
	offset = max(0, min(offset, int64(len(data))))
	return 1 + bytes.Count(data[:offset], []byte("\n"))
}

// Write writes the document as indented JSON that ends in a newline. The schema is filled
// in, times are put into UTC, and empty lists are written as [] rather than null.
func Write(w io.Writer, run *Run) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(normal(run))
}

// WriteFile writes the document to a file, whole or not at all: it writes a temporary file in
// the same directory, waits until the disk has it, and renames it. A file that was there is
// replaced; after an error it is as it was. A link is followed, and what is no file, such as a
// device or a pipe, is written to and stays what it is.
func WriteFile(path string, run *Run) error {
	f, err := outfile.Create(path, true)
	if err != nil {
		return err
	}
	if err = Write(f, run); err == nil && !f.Special() {
		err = f.Sync()
	}
	if err == nil {
		return f.Commit()
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = &fs.PathError{Op: p.Op, Path: path, Err: p.Err} // nobody knows the temporary name
	}
	return errors.Join(err, f.Abandon())
}

// normal is a copy of the document in the form that is written.
func normal(run *Run) *Run {
	c := *run
	c.Schema = Schema
	c.Started, c.Ended = c.Started.UTC(), c.Ended.UTC()
	c.Phases = append([]Phase{}, c.Phases...)
	for i := range c.Phases {
		c.Phases[i].Started = c.Phases[i].Started.UTC()
	}
	c.Operations = orEmpty(c.Operations)
	c.Connections.Reconnects = orEmpty(c.Connections.Reconnects)
	c.Retries = orEmpty(c.Retries)
	c.Series = orEmpty(c.Series)
	c.Verdict.Reasons = orEmpty(c.Verdict.Reasons)
	c.Warnings = orEmpty(c.Warnings)
	return &c
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return slices.Clip(s)
}
