package rundoc

import (
	"errors"
	"io"
	"slices"

	"github.com/plimsoll/plimsoll/internal/docfile"
)

// MaxBytes bounds the size of a document that Read accepts. Its series and slices have less than 4 MB, however
// long the run was; before points covered more than a second, a run of a week had 80 MB.
const MaxBytes = 128 << 20

// ErrSchema is in the chain of the error for a document of another schema or version.
var ErrSchema = errors.New("not a document of the schema " + Schema)

func file() docfile.Kind {
	return docfile.Kind{Schema: Schema, What: "run document", MaxBytes: MaxBytes, Wrong: ErrSchema}
}

// Read reads a run document. Fields that it does not know are left out, so that documents of
// a later program can be read; another schema or version is an ErrSchema. What a document
// says is not checked for truth: that is for Judge.
func Read(r io.Reader) (*Run, error) {
	var run Run
	if err := file().Read(r, "", run.decode); err != nil {
		return nil, err
	}
	return &run, nil
}

// ReadFile reads the run document in a file. Errors name the file, and the line if they can.
func ReadFile(path string) (*Run, error) {
	var run Run
	if err := file().ReadFile(path, run.decode); err != nil {
		return nil, err
	}
	return &run, nil
}

func (r *Run) decode(data []byte) (schema string, err error) {
	err = r.UnmarshalJSON(data)
	return r.Schema, err
}

// Write writes the document as indented JSON that ends in a newline. The schema is filled
// in, times are put into UTC, and empty lists are written as [] rather than null.
func Write(w io.Writer, run *Run) error { return docfile.Write(w, normal(run)) }

// WriteFile writes the document to a file, whole or not at all: it writes a temporary file in
// the same directory, waits until the disk has it, and renames it. A file that was there is
// replaced; after an error it is as it was. A link is followed, and what is no file, such as a
// device or a pipe, is written to and stays what it is.
func WriteFile(path string, run *Run) error { return docfile.WriteFile(path, normal(run)) }

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
