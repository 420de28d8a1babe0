package delta

import (
	"encoding/binary"
	"fmt"
)

// AvroSchema is the Avro schema of a row, in messages and in files. A delete's value is null.
const AvroSchema = `{"type":"record","name":"Mutation","namespace":"plimsoll.delta","fields":[` +
	`{"name":"key","type":"string"},` +
	`{"name":"mutation_type","type":{"type":"enum","name":"MutationType","symbols":["UPDATE","DELETE"]}},` +
	`{"name":"logical_commit_time","type":"long"},` +
	`{"name":"value","type":["null","string",{"type":"array","items":"string"}]}]}`

// The branches of the union that a value is.
const (
	avroNull   = 0
	avroString = 1
	avroArray  = 2
)

// AppendAvro appends a row in Avro's binary encoding, by AvroSchema.
func AppendAvro(dst []byte, r *Row) ([]byte, error) {
	if err := CheckText(r); err != nil {
		return nil, err
	}
	dst = appendAvroText(dst, r.Key)
	dst = binary.AppendVarint(dst, int64(r.Kind)) // Avro's long is a zigzag varint, as Go's
	dst = binary.AppendVarint(dst, r.Commit)
	switch {
	case r.Kind == Delete:
		return binary.AppendVarint(dst, avroNull), nil
	case r.Type == String:
		return appendAvroText(binary.AppendVarint(dst, avroString), r.Value), nil
	}
	count := int64(0)
	for range Elements(r.Value) {
		count++
	}
	dst = binary.AppendVarint(dst, avroArray)
	if count > 0 {
		dst = binary.AppendVarint(dst, count)
		for e := range Elements(r.Value) {
			dst = appendAvroText(dst, e)
		}
	}
	return append(dst, 0), nil // a block without elements ends the array
}

func appendAvroText(dst, text []byte) []byte {
	return append(binary.AppendVarint(dst, int64(len(text))), text...)
}

// AvroInput reads values of Avro's binary encoding from the start of a slice. Once something
// is not there, Bad says so, and everything read after it is empty.
type AvroInput struct {
	Rest []byte
	Bad  bool
}

// Long reads an int, a long, the index of an enum or of a union.
func (a *AvroInput) Long() int64 {
	v, n := uvarint(a.Rest)
	if n <= 0 {
		a.Bad, a.Rest = true, nil
		return 0
	}
	a.Rest = a.Rest[n:]
	return int64(v>>1) ^ -int64(v&1)
}

// Bytes reads a string or bytes. They share the memory of the slice.
func (a *AvroInput) Bytes() []byte {
	length := a.Long()
	if length < 0 || length > int64(len(a.Rest)) {
		a.Bad, a.Rest = true, nil
		return nil
	}
	b := a.Rest[:length:length]
	a.Rest = a.Rest[length:]
	return b
}

// Blocks reads the blocks of an array or a map whose elements have at least one byte, and
// calls element to read each.
func (a *AvroInput) Blocks(element func()) {
	for {
		count := a.Long()
		if count == 0 {
			return
		}
		if count < 0 { // the block's size in bytes follows, for those who skip it
			count = -count
			a.Long()
		}
		if uint64(count) > uint64(len(a.Rest)) { // as is the most negative number
			a.Bad, a.Rest = true, nil
			return
		}
		for range count {
			if element(); a.Bad {
				return
			}
		}
	}
}

// Set reads an array of strings as a packed set.
func (a *AvroInput) Set() []byte {
	var elements [][]byte
	size := 0
	a.Blocks(func() {
		e := a.Bytes()
		elements = append(elements, e)
		size += len(e) + binary.MaxVarintLen32
	})
	return AppendSet(make([]byte, 0, size), elements...)
}

func appendAvroRows(dst []byte, rows []Row) ([]byte, error) {
	if len(rows) > 0 {
		dst = binary.AppendVarint(dst, int64(len(rows)))
	}
	for i := range rows {
		b, err := AppendAvro(dst, &rows[i])
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
		dst = b
	}
	return append(dst, 0), nil
}

func readAvroRows(b []byte, count uint32, rows []Row) ([]Row, error) {
	a := AvroInput{Rest: b}
	rows = rows[:0]
	why := ""
	a.Blocks(func() {
		rows = append(rows, Row{})
		if why == "" {
			why = readAvroRow(&a, &rows[len(rows)-1])
		}
		a.Bad = a.Bad || why != ""
	})
	switch {
	case a.Bad && why == "":
		return nil, fmt.Errorf("%w: row %d is truncated", ErrMalformed, len(rows)+1)
	case a.Bad:
		return nil, fmt.Errorf("%w: row %d: %s", ErrMalformed, len(rows), why)
	case len(a.Rest) > 0:
		return nil, fmt.Errorf("%w: extra bytes after the last row: %d", ErrMalformed, len(a.Rest))
	case len(rows) != int(count):
		return nil, fmt.Errorf("%w: %d rows, but the header says %d", ErrMalformed, len(rows), count)
	}
	return rows, nil
}

// readAvroRow reads a row by AvroSchema, or says what is wrong with it.
func readAvroRow(a *AvroInput, r *Row) string {
	r.Key = a.Bytes()
	kind := a.Long()
	r.Commit = a.Long()
	branch := a.Long()
	switch branch {
	case avroNull:
	case avroString:
		r.Value = a.Bytes()
	case avroArray:
		r.Type, r.Value = Set, a.Set()
	}
	switch {
	case a.Bad:
		return "it is truncated"
	case kind < int64(Update) || kind > int64(Delete):
		return "it is neither an update nor a delete"
	case branch < avroNull || branch > avroArray:
		return "its value has a type that is not in the schema"
	}
	r.Kind = Kind(kind)
	if (branch == avroNull) != (r.Kind == Delete) {
		return "an update requires a value, and a delete must not have one"
	}
	if err := CheckText(r); err != nil {
		return err.Error()
	}
	return ""
}
