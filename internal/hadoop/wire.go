package hadoop

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// decoder reads what Hadoop writes, in the form of its Writables and in that of protocol
// buffers. After the first error it reads zeros, and err says what it was.
type decoder struct {
	rest []byte
	err  error
}

var (
	errShort  = errors.New("unexpected end of data")
	errLength = errors.New("a length is negative or exceeds the remaining data")
)

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
	d.rest = nil
}

// take gives the next n bytes.
func (d *decoder) take(n int64) []byte {
	if d.err != nil {
		return nil
	}
	if n < 0 || n > int64(len(d.rest)) {
		d.fail(errLength)
		return nil
	}
	b := d.rest[:n:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) byte() byte {
	if len(d.rest) == 0 {
		d.fail(errShort)
		return 0
	}
	return d.take(1)[0]
}

// long is the integer of DataOutput.writeLong.
func (d *decoder) long() int64 {
	if len(d.rest) < 8 {
		d.fail(errShort)
		return 0
	}
	return int64(binary.BigEndian.Uint64(d.take(8)))
}

// vint is the integer of WritableUtils.writeVLong and writeVInt: one byte from -112 on is the
// number; below, it tells the sign and how many bytes follow, the highest first.
func (d *decoder) vint() int64 {
	first := int8(d.byte())
	if first >= -112 {
		return int64(first)
	}
	n := -112 - int(first)
	if first < -120 {
		n = -120 - int(first)
	}
	if len(d.rest) < n {
		d.fail(errShort)
		return 0
	}
	var v uint64
	for _, b := range d.take(int64(n)) {
		v = v<<8 | uint64(b)
	}
	if first < -120 {
		v = ^v
	}
	return int64(v)
}

// text is the string of Text.write and Text.writeString.
func (d *decoder) text() string { return string(d.take(d.vint())) }

// uvarint is the integer of protocol buffers.
func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.fail(errShort)
		return 0
	}
	d.take(int64(n))
	return v
}

// message is what has its length before it, as a uvarint.
func (d *decoder) message() []byte {
	n := d.uvarint()
	if n > uint64(len(d.rest)) {
		d.fail(errLength)
		return nil
	}
	return d.take(int64(n))
}

// fields calls do for each field of a message that is bytes or text, and skips the others.
func (d *decoder) fields(do func(field uint64, value []byte)) {
	for d.err == nil && len(d.rest) > 0 {
		tag := d.uvarint()
		switch kind := tag & 7; kind {
		case 0:
			d.uvarint()
		case 1:
			d.take(8)
		case 2:
			if value := d.message(); d.err == nil {
				do(tag>>3, value)
			}
		case 5:
			d.take(4)
		default:
			d.fail(fmt.Errorf("unknown wire type %d", kind))
		}
	}
}
