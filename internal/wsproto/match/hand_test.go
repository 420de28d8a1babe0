package match

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/bits"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// What the reference chat did by hand before its protocol was a file, for what a template and a matcher cost beside it.

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

// messages makes messages: number index is a pure function of the seed and the index.
type messages struct {
	seed        uint64
	users       uint64
	rooms       uint64
	texts       []string // quoted as JSON
	join, leave uint64   // draws below join are JOIN, then up to leave LEAVE, else TEXT
	head        string   // of every messageId
}

func newMessages(texts []string) *messages {
	m := &messages{seed: 42, users: 100_000, rooms: 100, join: 1 << 32 / 20, leave: 1 << 32 / 10, head: "0a1b2c3d-"}
	for _, text := range texts {
		quoted, err := json.Marshal(text)
		if err != nil {
			panic(err) // a string of ours is valid UTF-8
		}
		m.texts = append(m.texts, string(quoted))
	}
	return m
}

// The message types, in the order of the kinds.
const (
	text = iota
	join
	leave
)

var types = [...]string{text: "TEXT", join: "JOIN", leave: "LEAVE"}

// draws are the random numbers of one message: SplitMix64 (G. L. Steele, D. Lea,
// C. H. Flood, "Fast Splittable Pseudorandom Number Generators", 2014), started at a point
// that the seed and the index give.
type draws uint64

func newDraws(seed, index uint64) draws { return draws(mix64(seed) ^ mix64(index+golden)) }

const golden = 0x9E3779B97F4A7C15

func mix64(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// below draws a number from 0 to n−1.
func (d *draws) below(n uint64) uint64 {
	*d += golden
	high, _ := bits.Mul64(mix64(uint64(*d)), n)
	return high
}

// kind draws the type of the message; it is the first draw.
func (m *messages) kind(d *draws) int {
	switch v := d.below(1 << 32); {
	case v < m.join:
		return join
	case v < m.leave:
		return leave
	default:
		return text
	}
}

// append makes message index, but for the end that names the attempt, and says of which
// kind it is and for which room, counted from 0. A room of 0 or more is taken instead of a
// drawn one.
func (m *messages) append(b []byte, index uint64, room int) (body []byte, kind, inRoom int) {
	d := newDraws(m.seed, index)
	kind = m.kind(&d)
	user := d.below(m.users) + 1
	words := m.texts[d.below(uint64(len(m.texts)))]
	if drawn := int(d.below(m.rooms)); room < 0 {
		room = drawn
	}
	b = append(b, `{"userId":"`...)
	b = strconv.AppendUint(b, user, 10)
	b = append(b, `","username":"user`...)
	b = strconv.AppendUint(b, user, 10)
	b = append(b, `","message":`...)
	b = append(b, words...)
	b = append(b, `,"roomId":"`...)
	b = strconv.AppendInt(b, int64(room)+1, 10)
	b = append(b, `","messageType":"`...)
	b = append(b, types[kind]...)
	b = append(b, `","messageId":"`...)
	b = append(b, m.head...)
	b = strconv.AppendUint(b, index, 10)
	b = append(b, '-')
	return b, kind, room
}

// appendEnd completes a message with the client and the attempt that send it, and the time.
func appendEnd(b []byte, client, seq uint64, now time.Time, clock *stampCache) []byte {
	b = strconv.AppendUint(b, client, 10)
	b = append(b, '.')
	b = strconv.AppendUint(b, seq, 10)
	b = append(b, `","timestamp":"`...)
	b = clock.append(b, now)
	return append(b, `"}`...)
}

// stampCache writes times as ISO-8601 in UTC with microseconds, and keeps the part that
// stays the same for a second.
type stampCache struct {
	second int64
	prefix []byte
}

func (c *stampCache) append(b []byte, t time.Time) []byte {
	if s := t.Unix(); s != c.second || c.prefix == nil {
		c.second = s
		c.prefix = t.UTC().AppendFormat(c.prefix[:0], "2006-01-02T15:04:05.")
	}
	b = append(b, c.prefix...)
	us := t.Nanosecond() / 1000
	for div := 100000; div > 0; div /= 10 {
		b = append(b, byte('0'+us/div%10))
	}
	return append(b, 'Z')
}
