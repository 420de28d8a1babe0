package parquet_test

import (
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// thing is a value of thrift's compact protocol: a number, a text, a list of them, or a struct by the numbers of its fields.
type thing any

type fields = map[int]thing

// thriftReader reads the protocol as its specification has it, and knows nothing of the writer.
type thriftReader struct{ in []byte }

func (t *thriftReader) structure() fields {
	out, last := fields{}, 0
	for {
		head := t.in[0]
		t.in = t.in[1:]
		if head == 0 {
			return out
		}
		if delta := int(head >> 4); delta != 0 {
			last += delta
		} else {
			last = int(t.number())
		}
		out[last] = t.value(head & 15)
	}
}

func (t *thriftReader) value(kind byte) thing {
	switch kind {
	case 1, 2:
		return kind == 1
	case 4, 5, 6:
		return t.number()
	case 8:
		return string(t.bytes())
	case 9:
		head := t.in[0]
		t.in = t.in[1:]
		n := uint64(head >> 4)
		if n == 15 {
			n = t.unsigned()
		}
		list := []thing{}
		for range n {
			list = append(list, t.value(head&15))
		}
		return list
	case 12:
		return t.structure()
	}
	panic(fmt.Sprintf("type %d", kind))
}

func (t *thriftReader) unsigned() uint64 {
	v, n := binary.Uvarint(t.in)
	t.in = t.in[n:]
	return v
}

func (t *thriftReader) number() int64 {
	v, n := binary.Varint(t.in)
	t.in = t.in[n:]
	return v
}

func (t *thriftReader) bytes() []byte {
	n := t.unsigned()
	b := t.in[:n]
	t.in = t.in[n:]
	return b
}

// table is what a file has: the rows, in which a value is an int64, a string, or nil.
type table struct {
	schema []fields
	groups []fields
	rows   [][]any
}

// read reads a file.
func read(file []byte) table {
	size := binary.LittleEndian.Uint32(file[len(file)-8:])
	meta := (&thriftReader{file[len(file)-8-int(size):]}).structure()
	var out table
	for _, e := range meta[2].([]thing)[1:] {
		out.schema = append(out.schema, e.(fields))
	}
	for _, g := range meta[4].([]thing) {
		group := g.(fields)
		out.groups = append(out.groups, group)
		from := len(out.rows)
		for range group[3].(int64) {
			out.rows = append(out.rows, make([]any, len(out.schema)))
		}
		for column, c := range group[1].([]thing) {
			chunk := c.(fields)[3].(fields)
			for i, v := range readChunk(file, out.schema[column], chunk) {
				out.rows[from+i][column] = v
			}
		}
	}
	if int64(len(out.rows)) != meta[3].(int64) {
		panic("the number of rows")
	}
	return out
}

func readPage(file []byte, at int64) (header fields, content []byte, end int64) {
	t := &thriftReader{file[at:]}
	header = t.structure()
	packed := t.in[:header[3].(int64)]
	z, _ := zstd.NewReader(nil)
	defer z.Close()
	content, err := z.DecodeAll(packed, nil)
	if err != nil || int64(len(content)) != header[2].(int64) {
		panic(fmt.Sprint("page: ", err))
	}
	return header, content, int64(len(file) - len(t.in) + len(packed))
}

func readChunk(file []byte, schema, chunk fields) []any {
	var dictionary []string
	end := int64(0)
	first, has := chunk[11].(int64)
	if has {
		header, content, next := readPage(file, first)
		for range header[7].(fields)[1].(int64) {
			n := binary.LittleEndian.Uint32(content)
			dictionary = append(dictionary, string(content[4:4+n]))
			content = content[4+n:]
		}
		if len(content) != 0 || next != chunk[9].(int64) {
			panic("the dictionary does not end where the data begins")
		}
	} else {
		first = chunk[9].(int64)
	}
	header, content, end := readPage(file, chunk[9].(int64))
	if end-first != chunk[7].(int64) {
		panic("the size of the chunk")
	}
	n := int(header[5].(fields)[1].(int64))
	there := make([]uint32, n)
	for i := range there {
		there[i] = 1
	}
	if schema[3].(int64) == 1 {
		size := binary.LittleEndian.Uint32(content)
		there = readHybrid(content[4:4+size], n, 1)
		content = content[4+size:]
	}
	out := make([]any, n)
	var numbers []uint32
	if has {
		present := 0
		for _, t := range there {
			present += int(t)
		}
		numbers = readHybrid(content[1:], present, int(content[0]))
	}
	for i := range out {
		switch {
		case there[i] == 0:
		case has:
			out[i], numbers = dictionary[numbers[0]], numbers[1:]
		default:
			out[i], content = int64(binary.LittleEndian.Uint64(content)), content[8:]
		}
	}
	return out
}

// readHybrid reads runs and packed groups.
func readHybrid(in []byte, n, width int) []uint32 {
	var out []uint32
	for len(out) < n {
		head, size := binary.Uvarint(in)
		in = in[size:]
		if head&1 == 0 {
			v, size := uint32(0), (width+7)/8
			for i := range size {
				v |= uint32(in[i]) << (8 * i)
			}
			in = in[size:]
			for range head >> 1 {
				out = append(out, v)
			}
			continue
		}
		packed := in[:int(head>>1)*width]
		in = in[len(packed):]
		for i := range int(head>>1) * 8 {
			v := uint32(0)
			for bit := range width {
				at := i*width + bit
				v |= uint32(packed[at/8]>>(at%8)&1) << bit
			}
			out = append(out, v)
		}
	}
	if len(out)-n >= 8 {
		panic("too many")
	}
	return out[:n]
}
