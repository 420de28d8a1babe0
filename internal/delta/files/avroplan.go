package files

import (
	"errors"
	"fmt"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// avroPlan reads the records of one schema. It is made once a file, so that a record costs no
// look at its schema.
type avroPlan struct{ fields []avroField }

type avroField struct {
	name  string
	shape shape
}

// shape is a type of which a row can have something.
type shape struct {
	kind     shapeKind
	symbols  [][]byte // of an enum
	branches []shape  // of a union
}

type shapeKind uint8

const (
	shapeNull shapeKind = iota
	shapeText
	shapeNumber
	shapeEnum
	shapeSet
	shapeUnion
)

// avroValue is what was read of a field.
type avroValue struct {
	kind   shapeKind // of the branch that was taken
	text   []byte    // a text, a packed set, the symbol of an enum
	number int64
}

// planOf makes the plan of a schema: a record with the fields of a row, in any order, each of
// any type that it can be read from.
func planOf(record *avroType) (*avroPlan, error) {
	if record.kind != "record" && record.kind != "error" {
		return nil, errors.New("its schema is not a record with the fields of a row: " + avroFields)
	}
	p := &avroPlan{}
	seen := map[string]bool{}
	for _, f := range record.fields {
		sh, err := shapeOf(f.of)
		if err != nil {
			return nil, fmt.Errorf("its schema's field %.40q: %w", f.name, err)
		}
		switch f.name {
		case delta.FieldKey, delta.FieldMutation, delta.FieldCommit, delta.FieldValue:
		default:
			return nil, fmt.Errorf("its schema has the unknown field %.40q: %s", f.name, avroFields)
		}
		seen[f.name] = true
		p.fields = append(p.fields, avroField{f.name, sh})
	}
	for _, name := range []string{delta.FieldKey, delta.FieldMutation, delta.FieldCommit, delta.FieldValue} {
		if !seen[name] {
			return nil, fmt.Errorf("its schema has no field %q: %s", name, avroFields)
		}
	}
	return p, nil
}

const avroFields = "the fields are key, mutation_type, logical_commit_time and value"

func shapeOf(t *avroType) (shape, error) {
	switch t.kind {
	case "null":
		return shape{kind: shapeNull}, nil
	case "string", "bytes":
		return shape{kind: shapeText}, nil
	case "int", "long":
		return shape{kind: shapeNumber}, nil
	case "enum":
		return shape{kind: shapeEnum, symbols: t.symbols}, nil
	case "array":
		if items, err := shapeOf(t.items); err == nil && items.kind == shapeText {
			return shape{kind: shapeSet}, nil
		}
	case "union":
		u := shape{kind: shapeUnion}
		for _, branch := range t.branches {
			b, err := shapeOf(branch)
			if err != nil {
				return shape{}, err
			}
			u.branches = append(u.branches, b)
		}
		return u, nil
	}
	return shape{}, fmt.Errorf("the type %s is not supported", t.kind)
}

// read reads a value of this shape.
func (s *shape) read(in *delta.AvroInput) avroValue {
	v := avroValue{kind: s.kind}
	switch s.kind {
	case shapeText:
		v.text = in.Bytes()
	case shapeNumber:
		v.number = in.Long()
	case shapeSet:
		v.text = in.Set()
	case shapeEnum:
		if i := in.Long(); i < 0 || i >= int64(len(s.symbols)) {
			in.Bad = true
		} else {
			v.text = s.symbols[i]
		}
	case shapeUnion:
		if i := in.Long(); i < 0 || i >= int64(len(s.branches)) {
			in.Bad = true
		} else {
			return s.branches[i].read(in)
		}
	}
	return v
}

var errRecord = errors.New("the record does not match the schema, or is truncated")

// row reads a record. When in is bad afterwards, what follows cannot be read; otherwise an error
// is the record's own.
func (p *avroPlan) row(in *delta.AvroInput, r *delta.Row) error {
	*r = delta.Row{}
	var problem error
	var value avroValue
	for i := range p.fields {
		f := &p.fields[i]
		v := f.shape.read(in)
		if in.Bad {
			return errRecord
		}
		ok := true
		switch f.name {
		case delta.FieldKey:
			r.Key, ok = v.text, v.kind == shapeText
		case delta.FieldMutation:
			r.Kind, ok = delta.ParseKind(v.text)
		case delta.FieldCommit:
			r.Commit, ok = v.number, v.kind == shapeNumber
		case delta.FieldValue:
			value = v
		}
		if !ok && problem == nil {
			problem = fmt.Errorf("%s has an unsupported type", f.name)
		}
	}
	if problem != nil {
		return problem
	}
	if err := setValue(value, r); err != nil {
		return err
	}
	return delta.CheckText(r)
}

func setValue(v avroValue, r *delta.Row) error {
	switch v.kind {
	case shapeNull:
		if r.Kind == delta.Update {
			return errors.New("an update requires a value")
		}
		return nil
	case shapeText, shapeSet:
	default:
		return errors.New("value is neither a string nor an array of strings")
	}
	// Schemas without null have something else for a delete: nothing.
	if r.Kind == delta.Delete {
		if len(v.text) > 0 {
			return errors.New("a delete must not have a value")
		}
		return nil
	}
	r.Value = v.text
	if v.kind == shapeSet {
		r.Type = delta.Set
	}
	return nil
}
