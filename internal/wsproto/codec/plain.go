package codec

import "bytes"

// plain are messages that are a body and nothing else: JSON.
type plain struct{ name, split string }

func (c *plain) Name() string                                   { return c.name }
func (c *plain) Fields() []string                               { return nil }
func (c *plain) Field(name string) (int, error)                 { return 0, noField(c.name, name, nil) }
func (c *plain) HasBody() bool                                  { return true }
func (c *plain) Binary() bool                                   { return false }
func (c *plain) End() string                                    { return "" }
func (c *plain) Packet(kind string, _ []string) (Packet, error) { return nil, noPacket(c.name, kind) }
func (c *plain) NewDecoder() Decoder                            { return &plainDecoder{pieces{split: []byte(c.split)}} }

type plainDecoder struct{ pieces }

// Next takes the next piece as it is; whether it is JSON is found when it is looked into.
func (d *plainDecoder) Next(m *Message) (bool, error) {
	piece, ok := d.next()
	m.Raw, m.Body, m.Fields = piece, piece, nil
	return ok, nil
}

// pieces are the messages of a frame, between which a text stands. Empty ones are none; a frame that is not split is
// one message, if an empty one.
type pieces struct {
	split []byte
	rest  []byte
	whole bool // of a frame that is not split: it was not read yet
}

func (p *pieces) Begin(frame []byte) {
	if frame == nil {
		frame = []byte{} // a message that is empty is there
	}
	p.rest, p.whole = frame, len(p.split) == 0
}

func (p *pieces) next() (piece []byte, ok bool) {
	if len(p.split) == 0 {
		ok, p.whole = p.whole, false
		return p.rest[:len(p.rest):len(p.rest)], ok
	}
	for len(p.rest) > 0 {
		piece, p.rest, _ = bytes.Cut(p.rest, p.split)
		if len(piece) > 0 {
			return piece, true
		}
	}
	return nil, false
}
