package setdoc

import (
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/plimsoll/plimsoll/internal/docfile"
)

// MaxBytes bounds the size of a document that Read accepts: a sweep of a thousand runs has less than 4 MB.
const MaxBytes = 64 << 20

// ErrSchema is in the chain of the error for a document of another schema or version.
var ErrSchema = errors.New("not a document of the schema " + Schema)

func file() docfile.Kind {
	return docfile.Kind{Schema: Schema, What: "set document", MaxBytes: MaxBytes, Wrong: ErrSchema}
}

// Read reads a set document. Fields that it does not know are left out, so that documents of a later program can be
// read; another schema or version is an ErrSchema. Levels, rows and members that it points to exist, and paths stay
// in the folder of the set. Whether what it says is true is not checked.
func Read(r io.Reader) (*Set, error) {
	var set Set
	if err := file().Read(r, "", set.decode); err != nil {
		return nil, err
	}
	return &set, nil
}

// ReadFile reads the set document in a file. Errors name the file, and the line if they can.
func ReadFile(path string) (*Set, error) {
	var set Set
	if err := file().ReadFile(path, set.decode); err != nil {
		return nil, err
	}
	return &set, nil
}

func (s *Set) decode(data []byte) (schema string, err error) {
	if err = json.Unmarshal(data, s); err == nil && s.Schema == Schema {
		err = s.shape()
	}
	return s.Schema, err
}

// Write writes the document as indented JSON that ends in a newline. The schema is filled
// in, times are put into UTC, and empty lists are written as [] rather than null.
func Write(w io.Writer, set *Set) error { return docfile.Write(w, normal(set)) }

// WriteFile writes the document to a file, whole or not at all: after an error a file that was there is as it was.
func WriteFile(path string, set *Set) error { return docfile.WriteFile(path, normal(set)) }

// normal is a copy of the document in the form that is written.
func normal(set *Set) *Set {
	c := *set
	c.Schema = Schema
	c.Started, c.Ended = c.Started.UTC(), c.Ended.UTC()
	c.Members = append([]Member{}, c.Members...)
	for i := range c.Members {
		m := &c.Members[i]
		m.Started = m.Started.UTC()
		m.Verdict.Reasons = orEmpty(m.Verdict.Reasons)
	}
	c.Verdict.Reasons = orEmpty(c.Verdict.Reasons)
	if c.Sweep != nil {
		s := *c.Sweep
		s.Vary, s.Order, s.Rows, s.Levels = orEmpty(s.Vary), orEmpty(s.Order), orEmpty(s.Rows), orEmpty(s.Levels)
		c.Sweep = &s
	}
	if c.Comparison != nil {
		c.Comparison = c.Comparison.normal()
	}
	if c.Launches != nil {
		l := *c.Launches
		l.Values = orEmpty(l.Values)
		c.Launches = &l
	}
	if c.Loadline != nil {
		l := *c.Loadline
		l.SLO, l.Probes = orEmpty(l.SLO), orEmpty(l.Probes)
		c.Loadline = &l
	}
	return &c
}

func (c *Comparison) normal() *Comparison {
	n := *c
	n.Looks, n.Alphas, n.Figures, n.Launches = orEmpty(n.Looks), orEmpty(n.Alphas), orEmpty(n.Figures), orEmpty(n.Launches)
	n.Rows, n.Doubts = orEmpty(n.Rows), orEmpty(n.Doubts)
	for i := range n.Sides {
		if len(n.Sides[i].Plan) == 0 {
			n.Sides[i].Plan = json.RawMessage("{}")
		}
	}
	n.Launches = slices.Clone(n.Launches)
	for i := range n.Launches {
		for side, values := range n.Launches[i].Values {
			n.Launches[i].Values[side] = orEmpty(values)
		}
	}
	return &n
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return slices.Clip(s)
}
