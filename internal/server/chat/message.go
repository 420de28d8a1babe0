package chat

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// message is what the server knows of a message received. Its slices are parts of the bytes
// that were read.
type message struct {
	id      []byte // messageId as it stands in JSON; nil when it is not given or cannot be read
	object  []byte // the whole object
	kind    messageType
	missing ruleSet // required fields that are not there
	broken  ruleSet // rules broken otherwise
	syntax  string  // what is wrong with the JSON, when that rule is broken
}

func (m *message) valid() bool { return m.missing|m.broken == 0 }

// decoder reads messages in one pass over their bytes. It is used by one goroutine at a time
// and keeps its buffers from one message to the next.
type decoder struct {
	source  bytes.Reader
	json    *jsontext.Decoder
	options jsontext.Options
	scratch []byte
}

// decoders pools them: an idle connection holds none.
type decoders struct{ pool sync.Pool }

func (p *decoders) get() *decoder {
	if d, ok := p.pool.Get().(*decoder); ok {
		return d
	}
	// As encoding/json and most others have it, the last of several equal names counts.
	d := &decoder{options: jsontext.AllowDuplicateNames(true)}
	d.json = jsontext.NewDecoder(&d.source, d.options)
	return d
}

func (p *decoders) put(d *decoder) { p.pool.Put(d) }

// read checks a message against all rules. It keeps no reference to data; the result does.
func (d *decoder) read(data []byte) message {
	m := message{missing: required}
	d.source.Reset(data)
	d.json.Reset(&d.source, d.options)
	defer d.source.Reset(nil)
	var err error
	if d.json.PeekKind() != '{' {
		if _, err = d.json.ReadValue(); err == nil {
			m.broken = m.broken.with(ruleObject)
		}
	} else {
		err = d.readObject(data, &m)
	}
	if err == nil {
		err = d.end()
	}
	if err != nil {
		m.broken, m.syntax = m.broken.with(ruleJSON), explain(err)
	}
	for _, r := range [...]rule{ruleJSON, ruleObject} {
		if m.broken.has(r) {
			// What the fields were is beside the point, and half of them may be unread.
			m.missing, m.broken, m.kind = 0, 1<<r, typeInvalid
		}
	}
	return m
}

func (d *decoder) readObject(data []byte, m *message) error {
	if _, err := d.json.ReadToken(); err != nil {
		return err
	}
	start := d.json.InputOffset() - 1
	for d.json.PeekKind() != '}' {
		name, err := d.json.ReadValue()
		if err != nil {
			return err
		}
		field := d.field(name) // before the next read overwrites the name
		value, err := d.json.ReadValue()
		if err != nil {
			return err
		}
		if field != ruleCount {
			end := d.json.InputOffset()
			d.check(m, field, data[end-int64(len(value)):end])
		}
	}
	if _, err := d.json.ReadToken(); err != nil {
		return err
	}
	m.object = data[start:d.json.InputOffset()]
	return nil
}

// errTrailing is for text after the value.
var errTrailing = errors.New("unexpected data after its end")

func (d *decoder) end() error {
	switch _, err := d.json.ReadToken(); {
	case err == io.EOF:
		return nil
	case err == nil:
		return errTrailing
	default:
		return err
	}
}

// field is the rule about the field with this name, still quoted, or ruleCount if it is a
// field without one.
func (d *decoder) field(name []byte) rule {
	switch string(d.unquote(name)) {
	case "userId":
		return ruleUserID
	case "username":
		return ruleUsername
	case "message":
		return ruleMessage
	case "timestamp":
		return ruleTimestamp
	case "messageType":
		return ruleMessageType
	case "messageId":
		return ruleMessageID
	}
	return ruleCount
}

// check applies a field's rule to its value. A field may come again: the last one counts.
func (d *decoder) check(m *message, r rule, value []byte) {
	m.missing, m.broken = m.missing.without(r), m.broken.without(r)
	if value[0] == 'n' { // null is as good as nothing
		m.missing |= required & (1 << r)
		d.set(m, r, nil)
		return
	}
	if !d.set(m, r, value) {
		m.broken = m.broken.with(r)
	}
}

// set notes what the reply needs of the value, and reports whether the value is right.
func (d *decoder) set(m *message, r rule, value []byte) bool {
	isString := len(value) > 0 && value[0] == '"'
	switch r {
	case ruleMessageID:
		m.id = nil
		if isString || len(value) > 0 && isNumber(value[0]) {
			m.id = value
		}
		return m.id != nil
	case ruleMessageType:
		m.kind = typeInvalid
		if isString {
			m.kind = parseType(d.unquote(value))
		}
		return m.kind != typeInvalid
	case ruleUserID:
		if isString {
			value = d.unquote(value)
		}
		return isUserID(value)
	}
	if !isString {
		return false
	}
	switch s := d.unquote(value); r {
	case ruleUsername:
		return isUsername(s)
	case ruleMessage:
		return isText(s)
	default:
		return isTimestamp(s)
	}
}

func isNumber(c byte) bool { return c == '-' || c >= '0' && c <= '9' }

// unquote gives the text of a JSON string that is known to be right, until the next call.
func (d *decoder) unquote(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	d.scratch, _ = jsontext.AppendUnquote(d.scratch[:0], quoted)
	return d.scratch
}

// explain puts a syntax error in words for the sender.
func explain(err error) string {
	if err == io.EOF {
		return "it is empty"
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "it ends too early"
	}
	return strings.TrimPrefix(err.Error(), "jsontext: ")
}
