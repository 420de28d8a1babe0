package http2

import (
	"fmt"

	"golang.org/x/net/http2/hpack"
)

// Head is what an answer says before its body. It is valid until its stream is used again.
type Head struct {
	Status int
	Length int64 // of its body, or −1

	text   []byte
	fields []span
	size   int // as SETTINGS_MAX_HEADER_LIST_SIZE counts
}

// span is a field in the text of a head.
type span struct{ name, value, to int }

// Value is the n-th value, from 0, of the header of this name, in whatever case it is written.
func (h *Head) Value(name string, n int) ([]byte, bool) {
	for i := range h.fields {
		f := &h.fields[i]
		if !sameName(h.text[f.name:f.value], name) {
			continue
		}
		if n == 0 {
			return h.text[f.value:f.to], true
		}
		n--
	}
	return nil, false
}

// sameName compares a name, in lower case, with one in any case.
func sameName(lower []byte, name string) bool {
	if len(lower) != len(name) {
		return false
	}
	for i, c := range lower {
		d := name[i]
		if 'A' <= d && d <= 'Z' {
			d += 'a' - 'A'
		}
		if c != d {
			return false
		}
	}
	return true
}

// reset makes room for other fields.
func (h *Head) reset() { *h = Head{Length: -1, text: h.text[:0], fields: h.fields[:0]} }

// Write takes what was decoded of a string with Huffman's code.
func (h *Head) Write(p []byte) (int, error) {
	h.text = append(h.text, p...)
	return len(p), nil
}

// Limits bound what an answer may take, and the use of a connection.
type Limits struct {
	Head   int // bytes of its fields, and 32 for each
	Fields int
	// Requests is how many a connection is used for; 0: as many as it has numbers.
	Requests int64
}

// DefaultLimits are those that fit what servers send.
func DefaultLimits() Limits { return Limits{Head: 64 << 10, Fields: 1000} }

func compression(why string) *Error { return broken(BadCompression, CompressionError, why, nil) }

// decode reads a field block behind what h holds. tooLong is what is said of an answer whose fields exceed the limits:
// the block has been read nevertheless, since the fields of others depend on it.
func (t *table) decode(h *Head, block []byte, l Limits) (tooLong, err *Error) {
	d := decoder{table: t, head: h, left: block}
	for first := true; len(d.left) > 0; first = false {
		from := len(h.text)
		if d.left[0]&0xe0 == 0x20 { // a new size for the table
			size := d.integer(5)
			if d.err == nil && (!first && !d.sized || size > tableSize) {
				d.err = compression("the size of its table changes where it must not")
			}
			if d.err != nil {
				return nil, d.err
			}
			d.sized = true
			t.limit(size)
			continue
		}
		d.sized = false
		value := d.field()
		if d.err != nil {
			return nil, d.err
		}
		h.size += len(h.text) - from + overhead
		switch {
		case h.size > l.Head:
			tooLong = broken(HeadTooLong, Cancel, fmt.Sprintf("its headers have more than %d bytes", l.Head), nil)
		case len(h.fields) >= l.Fields:
			tooLong = broken(TooManyHeaders, Cancel, fmt.Sprintf("it has more than %d headers", l.Fields), nil)
		}
		if tooLong != nil {
			h.text = h.text[:from]
			continue
		}
		h.fields = append(h.fields, span{from, value, len(h.text)})
	}
	return tooLong, nil
}

// tableSize is what our settings leave it at.
const tableSize = 4096

// decoder reads one field block.
type decoder struct {
	table *table
	head  *Head
	left  []byte
	sized bool // the last was a size of the table
	err   *Error
}

// field reads a field behind the head's text, and says where its value begins.
func (d *decoder) field() (value int) {
	h, first := d.head, d.left[0]
	from := len(h.text)
	if first&0x80 != 0 {
		return d.indexed(d.integer(7))
	}
	prefix := 4
	if first&0x40 != 0 {
		prefix = 6
	}
	if i := d.integer(prefix); i > 0 {
		value = d.indexed(i)
		h.text = h.text[:value]
	} else {
		d.text()
		value = len(h.text)
	}
	d.text()
	if d.err == nil && first&0x40 != 0 {
		d.table.add(h.text[from:value], h.text[value:])
	}
	return value
}

// indexed copies an entry of the tables.
func (d *decoder) indexed(i int) (value int) {
	h := d.head
	switch {
	case d.err != nil:
		return len(h.text)
	case i > statics && i-statics <= d.table.len():
		name, v := d.table.get(i - statics - 1)
		h.text = append(h.text, name...)
		value = len(h.text)
		h.text = append(h.text, v...)
	case 0 < i && i <= statics:
		name, v := static(i)
		h.text = append(h.text, name...)
		value = len(h.text)
		h.text = append(h.text, v...)
	default:
		d.err = compression("a field refers to an entry of the table that is not there")
		return len(h.text)
	}
	return value
}

// integer reads a number whose beginning is in the lower bits of the first byte (RFC 7541, 5.1).
func (d *decoder) integer(bits int) int {
	if d.err != nil {
		return 0
	}
	if len(d.left) == 0 {
		d.err = compression("a field is cut off")
		return 0
	}
	most := 1<<bits - 1
	n := int(d.left[0]) & most
	d.left = d.left[1:]
	if n < most {
		return n
	}
	for shift := 0; len(d.left) > 0; shift += 7 {
		c := d.left[0]
		d.left = d.left[1:]
		n += int(c&0x7f) << shift
		if n > 1<<24 || shift > 28 {
			d.err = compression("a number is too large")
			return 0
		}
		if c&0x80 == 0 {
			return n
		}
	}
	d.err = compression("a field is cut off")
	return 0
}

// text reads a string behind the head's text.
func (d *decoder) text() {
	coded := len(d.left) > 0 && d.left[0]&0x80 != 0
	n := d.integer(7)
	switch {
	case d.err != nil:
		return
	case n > len(d.left):
		d.err = compression("a field is cut off")
		return
	case coded:
		if _, err := hpack.HuffmanDecode(d.head, d.left[:n]); err != nil {
			d.err = compression("a text is not in Huffman's code")
			return
		}
	default:
		d.head.text = append(d.head.text, d.left[:n]...)
	}
	d.left = d.left[n:]
}
