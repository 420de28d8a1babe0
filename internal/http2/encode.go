package http2

// AppendField writes a field whose name is in lower case. It leaves no trace in the server's table.
func AppendField(b []byte, name, value string) []byte {
	if i := find(name, value); i > 0 {
		return append(b, 0x80|byte(i))
	}
	b = append(AppendName(b, name), 0)
	from := len(b)
	b, _ = EndValue(append(b, value...), from)
	return b
}

// AppendName writes the name of a field, in lower case. Its value follows: a byte, the value, and EndValue.
func AppendName(b []byte, name string) []byte {
	never := byte(0)
	switch name {
	case "authorization", "cookie", "proxy-authorization": // nobody on the way may keep them
		never = 0x10
	}
	for i := 1; i <= statics; i++ {
		if known, _ := static(i); known == name {
			from := len(b)
			b = appendInteger(b, 4, i)
			b[from] |= never
			return b
		}
	}
	b = append(b, never)
	b = appendInteger(b, 7, len(name))
	return append(b, name...)
}

// EndValue writes how long the value is that begins at from, into the byte before it. Where that does not do, it moves
// the value by so many bytes.
func EndValue(b []byte, from int) (_ []byte, moved int) {
	n := len(b) - from
	if n < 127 {
		b[from-1] = byte(n)
		return b, 0
	}
	var room [8]byte
	length := appendInteger(room[:0], 7, n)
	moved = len(length) - 1
	b = append(b, length[:moved]...) // whatever it is: room
	copy(b[from+moved:], b[from:from+n])
	copy(b[from-1:], length)
	return b, moved
}

// find is the entry of the static table with this name and value, or 0.
func find(name, value string) int {
	for i := 1; i <= statics; i++ {
		if n, v := static(i); n == name && v == value && v != "" {
			return i
		}
	}
	return 0
}

// appendInteger writes a number, with so many bits in its first byte.
func appendInteger(b []byte, bits, n int) []byte {
	most := 1<<bits - 1
	if n < most {
		return append(b, byte(n))
	}
	b = append(b, byte(most))
	for n -= most; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}
