package http2

import (
	"errors"
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

// Limits bound what an answer may take, and the use of a connection.
type Limits struct {
	Head   int // bytes of its fields, and 32 for each
	Fields int
	// Requests is how many a connection is used for; 0: as many as it has numbers.
	Requests int64
}

// DefaultLimits are those that fit what servers send.
func DefaultLimits() Limits { return Limits{Head: 64 << 10, Fields: 1000} }

// tableSize is what our settings leave it at.
const tableSize = 4096

// decoder reads field blocks (RFC 7541).
type decoder struct {
	of      *hpack.Decoder
	into    *Head
	limits  Limits
	tooLong *Error
}

// decode reads a field block behind what h holds. tooLong is what is said of an answer whose fields exceed the limits:
// the block has been read nevertheless, since the fields of others depend on it.
func (d *decoder) decode(h *Head, block []byte, l Limits) (tooLong, err *Error) {
	d.into, d.limits, d.tooLong = h, l, nil
	_, wrong := d.of.Write(block)
	if wrong == nil {
		wrong = d.of.Close()
	}
	switch {
	case errors.Is(wrong, hpack.ErrStringLength):
		return nil, broken(HeadTooLong, EnhanceYourCalm,
			fmt.Sprintf("a header is longer than %d bytes", l.Head), nil)
	case wrong != nil:
		return nil, broken(BadCompression, CompressionError, wrong.Error(), nil)
	}
	return d.tooLong, nil
}

// add takes a field into the head.
func (d *decoder) add(f hpack.HeaderField) {
	h := d.into
	h.size += int(f.Size())
	switch {
	case h.size > d.limits.Head:
		d.tooLong = broken(HeadTooLong, Cancel, fmt.Sprintf("the headers exceed %d bytes", d.limits.Head), nil)
	case len(h.fields) >= d.limits.Fields:
		d.tooLong = broken(TooManyHeaders, Cancel, fmt.Sprintf("the response has more than %d headers", d.limits.Fields), nil)
	}
	if d.tooLong != nil {
		return
	}
	from := len(h.text)
	h.text = append(append(h.text, f.Name...), f.Value...)
	h.fields = append(h.fields, span{from, from + len(f.Name), len(h.text)})
}
