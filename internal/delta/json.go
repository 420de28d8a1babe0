package delta

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The names that rows have as text, in JSON, in Avro and in CSV files.
const (
	FieldKey      = "key"
	FieldMutation = "mutation_type"
	FieldCommit   = "logical_commit_time"
	FieldValue    = "value"

	NameUpdate = "UPDATE"
	NameDelete = "DELETE"
)

// String is the kind's name in files.
func (k Kind) String() string {
	if k == Delete {
		return NameDelete
	}
	return NameUpdate
}

// ParseKind reads the name of a kind, in capitals or not.
func ParseKind[T ~string | ~[]byte](name T) (Kind, bool) {
	switch {
	case string(name) == NameUpdate:
		return Update, true
	case string(name) == NameDelete:
		return Delete, true
	case strings.EqualFold(string(name), NameUpdate):
		return Update, true
	case strings.EqualFold(string(name), NameDelete):
		return Delete, true
	}
	return Update, false
}

// errNotText is what formats of text say of other bytes.
var errNotText = errors.New("it contains bytes that are not UTF-8, which only the compact format supports")

// Check is an error for a row that no format can hold.
func Check(r *Row) error {
	if why := wrong(r); why != "" {
		return errors.New(why)
	}
	return nil
}

// CheckText is an error for a row that a format of text cannot hold: Check's, and one for a key
// or a value that is no UTF-8.
func CheckText(r *Row) error {
	if err := Check(r); err != nil {
		return err
	}
	if !utf8.Valid(r.Key) {
		return errNotText
	}
	if r.Type == Set {
		for e := range Elements(r.Value) {
			if !utf8.Valid(e) {
				return errNotText
			}
		}
	} else if !utf8.Valid(r.Value) {
		return errNotText
	}
	return nil
}

// AppendJSON appends a row as a JSON object with the members key, mutation_type,
// logical_commit_time and, for an update, value: a string, or an array of strings for a set.
func AppendJSON(dst []byte, r *Row) ([]byte, error) {
	if err := CheckText(r); err != nil {
		return nil, err
	}
	dst = append(dst, `{"`+FieldKey+`":`...)
	dst = appendText(dst, r.Key)
	dst = append(dst, `,"`+FieldMutation+`":"`...)
	dst = append(dst, r.Kind.String()...)
	dst = append(dst, `","`+FieldCommit+`":`...)
	dst = strconv.AppendInt(dst, r.Commit, 10)
	if r.Kind == Update {
		dst = append(dst, `,"`+FieldValue+`":`...)
		dst = appendJSONValue(dst, r)
	}
	return append(dst, '}'), nil
}

func appendJSONValue(dst []byte, r *Row) []byte {
	if r.Type == String {
		return appendText(dst, r.Value)
	}
	dst = append(dst, '[')
	first := true
	for e := range Elements(r.Value) {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = appendText(dst, e)
	}
	return append(dst, ']')
}

// appendText appends a JSON string of what is known to be UTF-8, the one thing that can fail.
func appendText(dst, text []byte) []byte {
	dst, _ = jsontext.AppendQuote(dst, text)
	return dst
}

type jsonRow struct {
	Key      *string        `json:"key"`
	Mutation *string        `json:"mutation_type"`
	Commit   *int64         `json:"logical_commit_time"`
	Value    jsontext.Value `json:"value"`
}

// ParseJSON reads a row from the JSON object that AppendJSON writes. The members may come in
// any order; others, and one that comes twice, are errors. The row has memory of its own.
func ParseJSON(b []byte, r *Row) error {
	var j jsonRow
	if err := json.Unmarshal(b, &j, json.RejectUnknownMembers(true)); err != nil {
		return jsonProblem(err)
	}
	switch {
	case j.Key == nil:
		return errors.New(`missing member "` + FieldKey + `"`)
	case j.Mutation == nil:
		return errors.New(`missing member "` + FieldMutation + `"`)
	case j.Commit == nil:
		return errors.New(`missing member "` + FieldCommit + `"`)
	}
	kind, ok := ParseKind(*j.Mutation)
	if !ok {
		return fmt.Errorf("%s is %.40q, not UPDATE or DELETE", FieldMutation, *j.Mutation)
	}
	*r = Row{Key: []byte(*j.Key), Commit: *j.Commit, Kind: kind}
	if err := parseJSONValue(j.Value, r); err != nil {
		return err
	}
	return Check(r)
}

func parseJSONValue(v jsontext.Value, r *Row) error {
	kind := jsontext.Kind('n')
	if len(v) > 0 {
		kind = v.Kind()
	}
	switch {
	case kind == 'n' && r.Kind == Delete:
		return nil
	case kind == 'n':
		return errors.New("an update requires a value")
	case r.Kind == Delete:
		return errors.New("a delete must not have a value")
	case kind == '"':
		r.Value, _ = jsontext.AppendUnquote(make([]byte, 0, len(v)), v) // which was read as JSON before
		return nil
	case kind == '[':
		elements, ok := jsonStrings(v)
		if !ok {
			return errors.New("value is an array of something other than strings")
		}
		r.Type, r.Value = Set, AppendSet(make([]byte, 0, len(v)), elements...)
		return nil
	}
	return errors.New("value is neither a string nor an array of strings")
}

// jsonStrings reads an array. A null among strings would pass for an empty one.
func jsonStrings(v jsontext.Value) ([]string, bool) {
	var elements []*string
	if err := json.Unmarshal(v, &elements); err != nil {
		return nil, false
	}
	strs := make([]string, len(elements))
	for i, e := range elements {
		if e == nil {
			return nil, false
		}
		strs[i] = *e
	}
	return strs, true
}

// jsonProblem words what the library says about JSON in the terms of rows.
func jsonProblem(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the JSON object is truncated")
	}
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		member := strings.TrimPrefix(string(semantic.JSONPointer), "/")
		switch {
		case errors.Is(err, json.ErrUnknownName):
			return fmt.Errorf("unknown member %.40q", member)
		case member == FieldCommit:
			return fmt.Errorf("%s is not a 64-bit integer", member)
		case member != "":
			return fmt.Errorf("%.40s is not a string", member)
		}
		return errors.New("it is not a JSON object")
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		why := syntax.Err.Error()
		if errors.Is(err, jsontext.ErrDuplicateName) {
			why = fmt.Sprintf("duplicate member %.40q", strings.TrimPrefix(string(syntax.JSONPointer), "/"))
		}
		return fmt.Errorf("invalid JSON at byte %d: %s", syntax.ByteOffset+1, why)
	}
	return err
}

func appendJSONRows(dst []byte, rows []Row) ([]byte, error) {
	dst = append(dst, '[')
	for i := range rows {
		if i > 0 {
			dst = append(dst, ",\n"...)
		}
		b, err := AppendJSON(dst, &rows[i])
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
		dst = b
	}
	return append(dst, ']'), nil
}

func readJSONRows(b []byte, count uint32, rows []Row) ([]Row, error) {
	if uint64(count) > uint64(len(b)) {
		return nil, fmt.Errorf("%w: %d rows do not fit into %d bytes", ErrMalformed, count, len(b))
	}
	d := jsontext.NewDecoder(bytes.NewReader(b))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '[' {
		return nil, fmt.Errorf("%w: not an array of rows", ErrMalformed)
	}
	rows = rows[:0]
	for d.PeekKind() != ']' {
		v, err := d.ReadValue()
		if err != nil {
			return nil, fmt.Errorf("%w: row %d: %w", ErrMalformed, len(rows)+1, jsonProblem(err))
		}
		var r Row
		if err := ParseJSON(v, &r); err != nil {
			return nil, fmt.Errorf("%w: row %d: %w", ErrMalformed, len(rows)+1, err)
		}
		rows = append(rows, r)
	}
	_, _ = d.ReadToken() // the end of the array, which was looked at
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, fmt.Errorf("%w: extra data after the array of rows", ErrMalformed)
	}
	if len(rows) != int(count) {
		return nil, fmt.Errorf("%w: %d rows, but the header says %d", ErrMalformed, len(rows), count)
	}
	return rows, nil
}
