package wsproto

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/wsproto/codec"
)

// Send is something that is sent. TextOf and PacketOf make one.
type Send struct {
	Text   *template.Template // of a codec whose messages are text, with what must stand behind it
	Packet codec.Packet       // else
	Values []*template.Template
	Source string // as the file has it

	head, tail *template.Template // of Text
	end        string
}

// TextOf is a text that is sent, with end behind it; source is how the file has it.
func TextOf(text *template.Template, end, source string) Send {
	s := Send{Text: text, Source: source, end: end}
	s.head, s.tail = text.Split()
	return s
}

// PacketOf is a packet that is sent, with the values of its keys.
func PacketOf(p codec.Packet, values []*template.Template, source string) Send {
	return Send{Packet: p, Values: values, Source: source}
}

// Head appends what all attempts at a message have in common: a pure function of the seed, the message's number and
// its client. It is nothing of a packet.
func (s *Send) Head(b []byte, v *template.Values) []byte {
	if s.Packet != nil {
		return b
	}
	return s.head.Append(b, v)
}

// Tail appends the rest, which names the attempt. The error is of a packet that cannot be made of these values, and is
// nothing that another attempt would mend.
func (s *Send) Tail(b []byte, v *template.Values) ([]byte, error) {
	if s.Packet == nil {
		return append(s.tail.Append(b, v), s.end...), nil
	}
	// The values are rendered behind b, the packet behind them, and then moved to where they began.
	from := len(b)
	v.Parts = slices.Grow(v.Parts[:0], len(s.Values))[:len(s.Values)]
	ends := [mostKeys]int{}
	for i, t := range s.Values {
		b = t.Append(b, v)
		ends[i] = len(b)
	}
	begins := from
	for i := range s.Values {
		v.Parts[i] = b[begins:ends[i]:ends[i]]
		begins = ends[i]
	}
	b, err := s.Packet.Append(b, v.Parts)
	if err != nil {
		return b[:from], err
	}
	return b[:from+copy(b[from:], b[begins:])], nil
}

// mostKeys bounds the keys of a packet.
const mostKeys = 32

// templates are all of its texts.
func (s *Send) templates() []*template.Template {
	if s.Packet != nil {
		return s.Values
	}
	return []*template.Template{s.Text}
}

// UsesID reports whether the attempt's number is in it.
func (s *Send) UsesID() bool { return slices.ContainsFunc(s.templates(), (*template.Template).UsesID) }

// UsesMark reports whether the attempt's mark is in it.
func (s *Send) UsesMark() bool {
	return slices.ContainsFunc(s.templates(), (*template.Template).UsesMark)
}

// UsesRoom reports whether the room is in it.
func (s *Send) UsesRoom() bool {
	return slices.ContainsFunc(s.templates(), (*template.Template).UsesRoom)
}

// IDBits is how many bits its ${id N} has; 0 where it has none, or one without a bound.
func (s *Send) IDBits() uint {
	var bits uint
	for _, t := range s.templates() {
		bits = max(bits, t.IDBits())
	}
	return bits
}
