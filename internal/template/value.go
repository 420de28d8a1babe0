package template

import (
	"encoding/hex"
	"math/bits"
	"strconv"
)

// kind is what a value is.
type kind uint8

const (
	nothing kind = iota
	id
	seq
	client
	uuid
	number
	pick
	words
	column
	kept
	drawn
	number64 // the id of an attempt at a message
	mark
	room
	rfc3339 // the times, from here on
	unix
	unixMilli
	unixMicro
	unixNano
	httpDate
	rfc3339Micro

	firstTime = rfc3339
)

// stands reports whether every value of this kind is at a place what it must be: so none has to be escaped.
func (k kind) stands(at Place) bool {
	switch k {
	case seq, client, number, number64, room, unix, unixMilli, unixMicro, unixNano:
		return true
	case id, uuid, mark:
		return at != bare
	case words:
		return at == inString || at == Header || at == inHeader || at == inBody
	case rfc3339, httpDate, rfc3339Micro:
		return at == inString || at == Header || at == inBody
	}
	return false
}

// append appends the value, not escaped.
func (s *segment) append(b []byte, v *Values) []byte {
	switch s.kind {
	case id:
		return appendID(b, v)
	case seq:
		return strconv.AppendUint(b, v.Index, 10)
	case client:
		return strconv.AppendUint(b, v.Client, 10)
	case uuid:
		return appendUUID(b, newDraws(v, s.draw))
	case number:
		d := newDraws(v, s.draw)
		return strconv.AppendInt(b, int64(s.low+d.upTo(s.span)), 10)
	case pick:
		d := newDraws(v, s.draw)
		return append(b, s.picks[d.upTo(uint64(len(s.picks)-1))]...)
	case words:
		return appendWords(b, s.length, newDraws(v, s.draw))
	case column:
		if s.which < len(v.Row) {
			b = append(b, v.Row[s.which]...)
		}
		return b
	case kept:
		if s.which < len(v.Kept) {
			b = append(b, v.Kept[s.which]...)
		}
		return b
	case drawn:
		return s.of.Append(b, v)
	case number64:
		return strconv.AppendUint(b, v.ID, 10)
	case mark:
		return append(b, v.Mark...)
	case room:
		return strconv.AppendUint(b, v.Room, 10)
	}
	return s.appendTime(b, v)
}

func (s *segment) appendTime(b []byte, v *Values) []byte {
	switch s.kind {
	case unix:
		return strconv.AppendInt(b, v.Now.Unix(), 10)
	case unixMilli:
		return strconv.AppendInt(b, v.Now.UnixMilli(), 10)
	case unixMicro:
		return strconv.AppendInt(b, v.Now.UnixMicro(), 10)
	case unixNano:
		return strconv.AppendInt(b, v.Now.UnixNano(), 10)
	case httpDate:
		return v.Now.UTC().AppendFormat(b, "Mon, 02 Jan 2006 15:04:05 GMT")
	case rfc3339Micro:
		return v.Stamps.append(b, v.Now, 6)
	}
	return v.Stamps.append(b, v.Now, 3)
}

// draws are random numbers for one place of one operation: SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, "Fast
// splittable pseudorandom number generators", 2014), from the seed, the operation and the place.
type draws struct{ state uint64 }

func newDraws(v *Values, place uint64) draws {
	if !v.begun || v.seed != v.Seed || v.index != v.Index {
		v.seed, v.index, v.begin, v.begun = v.Seed, v.Index, mix(v.Seed^mix(v.Index+golden)), true
	}
	return draws{mix(v.begin + place*golden)}
}

const golden = 0x9e3779b97f4a7c15 // 2^64 by the golden ratio

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (d *draws) next() uint64 {
	d.state += golden
	return mix(d.state)
}

// upTo is a number from 0 to most: the upper half of a product, which favours none by more than 2^-64 of most.
func (d *draws) upTo(most uint64) uint64 {
	if most+1 == 0 {
		return d.next()
	}
	hi, _ := bits.Mul64(d.next(), most+1)
	return hi
}

// appendID appends 16 hexadecimal digits that no other operation of the run has: a permutation of the numbers, which
// the seed chooses.
func appendID(b []byte, v *Values) []byte { return appendHex(b, mix(v.Index^mix(v.Seed+golden)), 8) }

// appendHex appends the upper n bytes of v.
func appendHex(b []byte, v uint64, n int) []byte {
	var raw [8]byte
	for i := range raw {
		raw[i] = byte(v >> (56 - 8*i))
	}
	return hex.AppendEncode(b, raw[:n])
}

// appendUUID appends one of version 4 (RFC 9562, 5.4).
func appendUUID(b []byte, d draws) []byte {
	hi, lo := d.next(), d.next()
	hi = hi&^0xf000 | 0x4000
	lo = lo&^(3<<62) | 2<<62
	b = append(appendHex(b, hi, 4), '-')
	b = append(appendHex(b, hi<<32, 2), '-')
	b = append(appendHex(b, hi<<48, 2), '-')
	b = append(appendHex(b, lo, 2), '-')
	return appendHex(b, lo<<16, 6)
}

// appendWords appends n characters: words of small letters with a space between them.
func appendWords(b []byte, n int, d draws) []byte {
	for n > 0 {
		letters := d.next()
		length := min(2+int(letters>>60)%9, n) // the upper bits are not in the letters
		for range length {
			b = append(b, byte('a'+letters%26))
			letters /= 26
		}
		if n -= length; n > 1 {
			b = append(b, ' ')
			n--
		}
	}
	return b
}
