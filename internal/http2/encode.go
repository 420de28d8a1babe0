package http2

import (
	"bytes"

	"golang.org/x/net/http2/hpack"
)

// AppendField writes a field whose name is in lower case. It leaves no trace in the server's table. It is for what is
// made once: what each request has of its own is written by AppendValue, or by EndValue.
func AppendField(b []byte, name, value string) []byte {
	var out bytes.Buffer
	e := hpack.NewEncoder(&out)
	e.SetMaxDynamicTableSizeLimit(0)
	_ = e.WriteField(hpack.HeaderField{Name: ":method", Value: "GET"}) // what it says of the table comes first
	out.Reset()
	sensitive := false
	switch name {
	case "authorization", "cookie", "proxy-authorization": // nobody on the way may keep them
		sensitive = true
	}
	_ = e.WriteField(hpack.HeaderField{Name: name, Value: value, Sensitive: sensitive})
	return append(b, out.Bytes()...)
}

// AppendName writes the name of a field, in lower case. Its value follows: a byte, the value, and EndValue.
func AppendName(b []byte, name string) []byte {
	const some = "\x00" // which no field of the static table has, and Huffman's code does not make shorter
	b = AppendField(b, name, some)
	return b[:len(b)-1-len(some)]
}

// AppendValue writes a field whose name AppendName has made.
func AppendValue(b, name, value []byte) []byte {
	b = append(append(b, name...), 0)
	from := len(b)
	b, _ = EndValue(append(b, value...), from)
	return b
}

// EndValue writes how long the value is that begins at from, into the byte before it. Where that does not do, it moves
// the value by so many bytes. Values are not compressed: they may be written over until they are sent.
func EndValue(b []byte, from int) (_ []byte, moved int) {
	n := len(b) - from
	if n < 127 {
		b[from-1] = byte(n)
		return b, 0
	}
	var room [8]byte
	length := append(room[:0], 127) // the rest follows, seven bits a byte (RFC 7541, 5.1)
	for n -= 127; n >= 0x80; n >>= 7 {
		length = append(length, byte(n)|0x80)
	}
	length = append(length, byte(n))
	moved = len(length) - 1
	b = append(b, length[:moved]...) // whatever it is: room
	copy(b[from+moved:], b[from:])
	copy(b[from-1:], length)
	return b, moved
}
