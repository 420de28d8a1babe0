package parquet

import "encoding/binary"

// The types of thrift's compact protocol that the format needs.
const (
	thriftTrue   = 1
	thriftI32    = 5
	thriftI64    = 6
	thriftBinary = 8
	thriftList   = 9
	thriftStruct = 12
)

// thrift writes values of thrift's compact protocol:
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
// Fields of a struct are written in the order of their numbers, none of which is more than 15 above the one before.
type thrift struct {
	out  []byte
	last []int // the number of the last field of each struct that is open
}

func (t *thrift) begin() { t.last = append(t.last, 0) }

func (t *thrift) end() {
	t.last = t.last[:len(t.last)-1]
	t.out = append(t.out, 0)
}

func (t *thrift) field(number, kind int) {
	top := len(t.last) - 1
	t.out = append(t.out, byte((number-t.last[top])<<4|kind))
	t.last[top] = number
}

func (t *thrift) i32(number int, v int32) {
	t.field(number, thriftI32)
	t.varint(int64(v))
}

func (t *thrift) i64(number int, v int64) {
	t.field(number, thriftI64)
	t.varint(v)
}

func (t *thrift) text(number int, v string) {
	t.field(number, thriftBinary)
	t.bytes(v)
}

func (t *thrift) yes(number int) { t.field(number, thriftTrue) }

// structure writes a field that is a struct.
func (t *thrift) structure(number int, fields func()) {
	t.field(number, thriftStruct)
	t.element(fields)
}

// element writes a struct that is one of a list.
func (t *thrift) element(fields func()) {
	t.begin()
	fields()
	t.end()
}

// list begins a field that is a list; its elements follow.
func (t *thrift) list(number, kind, length int) {
	t.field(number, thriftList)
	if length < 15 {
		t.out = append(t.out, byte(length<<4|kind))
		return
	}
	t.out = append(t.out, byte(15<<4|kind))
	t.out = binary.AppendUvarint(t.out, uint64(length))
}

// varint is zigzag, as binary.AppendVarint has it.
func (t *thrift) varint(v int64) { t.out = binary.AppendVarint(t.out, v) }

func (t *thrift) bytes(v string) {
	t.out = binary.AppendUvarint(t.out, uint64(len(v)))
	t.out = append(t.out, v...)
}
