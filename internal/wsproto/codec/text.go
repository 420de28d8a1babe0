package codec

import (
	"fmt"
	"regexp"
	"slices"
)

// text are messages without a form of their own: the field text is the whole of one, and a regular expression may
// name parts of it.
type text struct {
	split  string
	exp    *regexp.Regexp // nil: none
	fields []string       // text first
	groups []int          // of the expression, of the fields behind text
	body   int            // group; 0: none
}

// bodyGroup is the name of the group that is the Body.
const bodyGroup = "body"

func newText(o Options) (*text, error) {
	c := &text{split: o.Split, fields: []string{"text"}}
	if o.Fields == "" {
		return c, nil
	}
	exp, err := regexp.Compile(o.Fields)
	if err != nil {
		return nil, &Error{"fields", err.Error()}
	}
	c.exp = exp
	for i, name := range exp.SubexpNames() {
		switch {
		case name == "":
			continue
		case slices.Contains(c.fields, name):
			return nil, &Error{"fields", fmt.Sprintf("duplicate field %s; the field text is the whole message", name)}
		case name == bodyGroup:
			c.body = i
		}
		c.fields, c.groups = append(c.fields, name), append(c.groups, i)
	}
	if len(c.fields) == 1 {
		return nil, &Error{"fields", "the pattern has no named group; write one as (?P<name>…)"}
	}
	return c, nil
}

func (c *text) Name() string                                   { return "text" }
func (c *text) Fields() []string                               { return slices.Clone(c.fields) }
func (c *text) HasBody() bool                                  { return c.body > 0 }
func (c *text) Binary() bool                                   { return false }
func (c *text) End() string                                    { return "" }
func (c *text) Packet(kind string, _ []string) (Packet, error) { return nil, noPacket("text", kind) }

func (c *text) Field(name string) (int, error) {
	if i := slices.Index(c.fields, name); i >= 0 {
		return i, nil
	}
	return 0, noField("text", name, c.fields)
}

func (c *text) NewDecoder() Decoder {
	return &textDecoder{pieces: pieces{split: []byte(c.split)}, codec: c, fields: make([][]byte, len(c.fields))}
}

type textDecoder struct {
	pieces
	codec  *text
	fields [][]byte
}

// Next takes the next piece. One that the expression does not match has only its text.
func (d *textDecoder) Next(m *Message) (bool, error) {
	piece, ok := d.next()
	m.Raw, m.Body, m.Fields = piece, nil, d.fields
	if !ok {
		return false, nil
	}
	clear(d.fields)
	d.fields[0] = piece
	if d.codec.exp == nil {
		return true, nil
	}
	at := d.codec.exp.FindSubmatchIndex(piece) // what it allocates cannot be had otherwise
	if at == nil {
		return true, nil
	}
	for i, group := range d.codec.groups {
		d.fields[i+1] = part(piece, at, group)
	}
	if d.codec.body > 0 {
		if body := part(piece, at, d.codec.body); len(body) > 0 {
			m.Body = body
		}
	}
	return true, nil
}

// part is what a group matched; nil where it took no part.
func part(b []byte, at []int, group int) []byte {
	from, to := at[2*group], at[2*group+1]
	if from < 0 {
		return nil
	}
	return b[from:to:to]
}
