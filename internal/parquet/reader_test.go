package parquet_test

import (
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// thing is a value of thrift's compact protocol: a bool, an int32, an int64, a text, a list of them, or a struct by the
// numbers of its fields.
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
	case 5:
		return int32(t.number())
	case 6:
		return t.number()
	case 8:
		return string(t.bytes())
	case 9:
		head := t.in[0]
		t.in = t.in[1:]
		n := uint64(head >> 4)
		if n == 15 {
			if n = t.unsigned(); n < 15 {
				panic("a short list in the form of long ones")
			}
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

// table is what a file has: its end, the pages in the order in which they stand, and the rows, in which a value is an
// int64, a string, or nil.
type table struct {
	end    fields
	schema []fields
	groups []fields
	pages  []page
	rows   [][]any
}

// page is a page: where it is and where it ends, its header, and what it has.
type page struct {
	at, end int64
	header  fields
	content []byte
}

const magic = "PAR1"

// read reads a file.
func read(file []byte) table {
	foot := len(file) - 8 - int(binary.LittleEndian.Uint32(file[len(file)-8:]))
	t := &thriftReader{file[foot:]}
	out := table{end: t.structure()}
	if string(file[:4]) != magic || string(file[len(file)-4:]) != magic || len(t.in) != 8 {
		panic("the beginning, or the end")
	}
	for _, e := range out.end[2].([]thing)[1:] {
		out.schema = append(out.schema, e.(fields))
	}
	for _, g := range out.end[4].([]thing) {
		group := g.(fields)
		out.groups = append(out.groups, group)
		from := len(out.rows)
		for range group[3].(int64) {
			out.rows = append(out.rows, make([]any, len(out.schema)))
		}
		for column, c := range group[1].([]thing) {
			for i, v := range out.chunk(file, out.schema[column], c.(fields)[3].(fields)) {
				out.rows[from+i][column] = v
			}
		}
	}
	at := int64(len(magic))
	for _, p := range out.pages { // nothing between them, and nothing behind
		if p.at != at {
			panic("a page does not begin where the one before ends")
		}
		at = p.end
	}
	if at != int64(foot) || int64(len(out.rows)) != out.end[3].(int64) {
		panic("where the pages end, or the number of rows")
	}
	return out
}

func (t *table) page(file []byte, at int64) page {
	r := &thriftReader{file[at:]}
	header := r.structure()
	packed := r.in[:header[3].(int32)]
	z, _ := zstd.NewReader(nil)
	defer z.Close()
	content, err := z.DecodeAll(packed, nil)
	if err != nil || len(content) != int(header[2].(int32)) {
		panic(fmt.Sprint("page: ", err))
	}
	p := page{at, int64(len(file) - len(r.in) + len(packed)), header, content}
	t.pages = append(t.pages, p)
	return p
}

func (t *table) chunk(file []byte, schema, chunk fields) []any {
	var dictionary []string
	first, has := chunk[11].(int64)
	if has {
		p := t.page(file, first)
		content := p.content
		for range p.header[7].(fields)[1].(int32) {
			n := binary.LittleEndian.Uint32(content)
			dictionary = append(dictionary, string(content[4:4+n]))
			content = content[4+n:]
		}
		if len(content) != 0 {
			panic("more than the texts")
		}
	}
	p := t.page(file, chunk[9].(int64))
	content := p.content
	n := int(p.header[5].(fields)[1].(int32))
	there := make([]uint32, n)
	for i := range there {
		there[i] = 1
	}
	if schema[3].(int32) == 1 {
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
		numbers, content = readHybrid(content[1:], present, int(content[0])), nil
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
	if len(content) != 0 {
		panic("more than the values")
	}
	return out
}

// readHybrid reads runs and packed groups, which are all that is there; of no number there may be an empty group.
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
	if len(out)-n >= 8 || n > 0 && len(in) != 0 {
		panic("too many")
	}
	return out[:n]
}
