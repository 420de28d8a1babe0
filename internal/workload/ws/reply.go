package ws

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// reply is what the client must know of a reply. Its fields alias the parser's memory, or the reply's.
type reply struct {
	id       []byte // messageId, or that of originalMessage; empty when there is none
	rejected bool   // status is "error"
}

// parser reads replies. It keeps its memory from one to the next.
type parser struct {
	in      bytes.Reader
	dec     *jsontext.Decoder
	options jsontext.Options

	// Of the reply that is read: its own messageId, and that of its originalMessage.
	own, original []byte
	status        bool // seen
}

func newParser() *parser {
	// A reply that has a name twice is still a reply; the first one counts.
	p := &parser{options: jsontext.AllowDuplicateNames(true)}
	p.dec = jsontext.NewDecoder(&p.in, p.options)
	return p
}

var (
	errNotObject = errors.New("not a JSON object")
	errTrailing  = errors.New("more than one JSON value")
	errFound     = errors.New("all found") // ends the search
)

// parse reads a reply: what is not one JSON object as a whole is an error.
//
// It goes over the text twice. The first time checks the whole in one call, which takes two
// thirds of what reading every token takes; the second looks for the members that matter and
// stops when it has them, which come first in the usual reply.
func (p *parser) parse(data []byte) (reply, error) {
	if err := p.check(data); err != nil {
		return reply{}, err
	}
	if r, ok := quick(data); ok {
		return r, nil
	}
	return p.search(data)
}

// quick reads a reply that begins with its messageId and its status, without spaces, as those of most targets do. It
// must be valid.
func quick(data []byte) (r reply, ok bool) {
	const first, second = `{"messageId":"`, `","status":"`
	if len(data) < len(first) || string(data[:len(first)]) != first {
		return r, false
	}
	id, rest := data[len(first):], data[len(first):]
	end := bytes.IndexByte(id, '"')
	if end <= 0 || len(rest) < end+len(second) || string(rest[end:end+len(second)]) != second {
		return r, false
	}
	id, rest = id[:end], rest[end+len(second):]
	if bytes.IndexByte(id, '\\') >= 0 {
		return r, false
	}
	const refusal = `error"`
	return reply{id: id, rejected: len(rest) >= len(refusal) && string(rest[:len(refusal)]) == refusal}, true
}

// search looks for the members of a valid reply that matter.
func (p *parser) search(data []byte) (reply, error) {
	var r reply
	p.rewind(data)
	p.own, p.original, p.status = p.own[:0], p.original[:0], false
	err := p.members(func(name []byte) error { return p.member(name, &r) })
	if err != nil && err != errFound {
		return reply{}, err
	}
	if r.id = p.own; len(r.id) == 0 {
		r.id = p.original
	}
	return r, nil
}

func (p *parser) rewind(data []byte) {
	p.in.Reset(data)
	p.dec.Reset(&p.in, p.options)
}

// check makes sure that the text is one JSON object.
func (p *parser) check(data []byte) error {
	p.rewind(data)
	value, err := p.dec.ReadValue()
	if err != nil {
		return err
	}
	if value.Kind() != '{' {
		return errNotObject
	}
	if _, err := p.dec.ReadToken(); err != io.EOF {
		return errTrailing
	}
	return nil
}

// member takes a member of the reply.
func (p *parser) member(name []byte, r *reply) (err error) {
	switch string(name) {
	case `"messageId"`:
		if len(p.own) > 0 {
			return p.skip()
		}
		p.own, err = p.text(p.own)
	case `"status"`:
		var value jsontext.Value
		value, err = p.dec.ReadValue()
		r.rejected = r.rejected || string(value) == `"error"`
		p.status = true
	case `"originalMessage"`:
		err = p.readOriginal()
	default:
		err = p.skip()
	}
	if err == nil && p.status && len(p.own) > 0 {
		return errFound
	}
	return err
}

// readOriginal looks for a messageId in the message that the reply quotes.
func (p *parser) readOriginal() error {
	if p.dec.PeekKind() != '{' {
		return p.skip()
	}
	return p.members(func(name []byte) (err error) {
		if string(name) != `"messageId"` || len(p.original) > 0 {
			return p.skip()
		}
		p.original, err = p.text(p.original)
		return err
	})
}

// members reads an object, calling value where each member's value is to be read. The name
// is in quotes, and valid until then.
func (p *parser) members(value func(name []byte) error) error {
	if _, err := p.dec.ReadToken(); err != nil {
		return err
	}
	for p.dec.PeekKind() != '}' {
		name, err := p.dec.ReadValue()
		if err != nil {
			return err
		}
		if err := value(name); err != nil {
			return err
		}
	}
	_, err := p.dec.ReadToken()
	return err
}

// text reads a value and appends it if it is a string.
func (p *parser) text(to []byte) ([]byte, error) {
	value, err := p.dec.ReadValue()
	if err != nil || value.Kind() != '"' {
		return to, err
	}
	return jsontext.AppendUnquote(to, value)
}

// skip passes over a value. (SkipValue reads the tokens of an object one by one.)
func (p *parser) skip() error {
	_, err := p.dec.ReadValue()
	return err
}
