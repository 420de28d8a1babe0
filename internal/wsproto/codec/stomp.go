package codec

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"sync"
)

// The fields of STOMP that are no headers, and the command that stands for a line end between frames.
const (
	stompCommand = iota
	stompBody
	heartbeat = "heartbeat"
)

// stomp are the frames of STOMP 1.2 (https://stomp.github.io/stomp-specification-1.2.html), each in a frame of
// WebSocket, which may hold several. Any name is a field: that of a header.
type stomp struct {
	mu     sync.Mutex
	fields []string
}

func newStomp() *stomp { return &stomp{fields: []string{"command", "body"}} }

func (c *stomp) Name() string                                   { return "stomp" }
func (c *stomp) HasBody() bool                                  { return true }
func (c *stomp) Binary() bool                                   { return false }
func (c *stomp) End() string                                    { return "\x00" }
func (c *stomp) Packet(kind string, _ []string) (Packet, error) { return nil, noPacket(c.Name(), kind) }

func (c *stomp) Fields() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.fields)
}

// Field numbers the headers that are asked for.
func (c *stomp) Field(name string) (int, error) {
	if name == "" {
		return 0, errors.New("a STOMP header must have a name")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.fields, name)
	if i < 0 {
		i = len(c.fields)
		c.fields = append(c.fields, name)
	}
	return i, nil
}

func (c *stomp) NewDecoder() Decoder {
	names := c.Fields()
	return &stompDecoder{names: names, fields: make([][]byte, len(names))}
}

type stompDecoder struct {
	names   []string
	fields  [][]byte
	rest    []byte
	beat    bool   // the frame has nothing but line ends
	strings []byte // without their escapes
}

// Begin takes a frame.
func (d *stompDecoder) Begin(frame []byte) {
	d.rest = lines(frame)
	d.beat = len(d.rest) == 0 && len(frame) > 0
	if d.beat {
		d.rest = frame
	}
}

// lines passes over line ends, which may stand between frames.
func lines(b []byte) []byte {
	for len(b) > 0 && (b[0] == '\n' || b[0] == '\r' && len(b) > 1 && b[1] == '\n') {
		b = b[1:]
	}
	return b
}

var (
	errStompHead   = errors.New("command or headers not terminated")
	errStompHeader = errors.New("header without a colon")
	errStompEscape = errors.New("header with an escape that STOMP 1.2 does not define")
	errStompLength = errors.New("content-length is not a number, or no NUL follows the body")
	errStompEnd    = errors.New("no NUL after the body")
)

// Next reads the next frame of STOMP.
func (d *stompDecoder) Next(m *Message) (bool, error) {
	clear(d.fields)
	d.strings = d.strings[:0]
	m.Fields, m.Body, m.Raw = d.fields, nil, d.rest
	if len(d.rest) == 0 {
		return false, nil
	}
	whole := d.rest
	d.rest = nil // where a frame has no end, none is behind it
	if d.beat {
		d.fields[stompCommand] = []byte(heartbeat)
		return true, nil
	}
	b, length, err := d.head(whole)
	if err != nil {
		return true, err
	}
	end, err := bodyEnd(b, length)
	if err != nil {
		return true, err
	}
	if end > 0 {
		m.Body = b[:end:end]
		d.fields[stompBody] = m.Body
	}
	m.Raw = whole[:len(whole)-len(b)+end]
	d.rest = lines(b[end+1:])
	return true, nil
}

// bodyEnd is where the NUL stands that ends a body.
func bodyEnd(b, length []byte) (int, error) {
	if length == nil {
		if end := bytes.IndexByte(b, 0); end >= 0 {
			return end, nil
		}
		return 0, errStompEnd
	}
	n, err := strconv.ParseUint(string(length), 10, 31)
	if err != nil || int(n) >= len(b) || b[n] != 0 {
		return 0, errStompLength
	}
	return int(n), nil
}

// head reads the command and the headers, and gives what is behind them and the length that they say; nil: none.
func (d *stompDecoder) head(b []byte) (body, length []byte, err error) {
	line, b, ok := stompLine(b)
	if !ok {
		return nil, nil, errStompHead
	}
	d.fields[stompCommand] = line
	plain := string(line) == "CONNECTED" // which has no escapes, as STOMP 1.0 has none
	for {
		if line, b, ok = stompLine(b); !ok {
			return nil, nil, errStompHead
		}
		if len(line) == 0 {
			return b, length, nil
		}
		name, value, ok := bytes.Cut(line, []byte{':'})
		if !ok {
			return nil, nil, errStompHeader
		}
		if !plain {
			if name, err = d.unescape(name); err != nil {
				return nil, nil, err
			}
			if value, err = d.unescape(value); err != nil {
				return nil, nil, err
			}
		}
		if string(name) == "content-length" && length == nil {
			length = value
		}
		d.header(name, value)
	}
}

// header notes a header that is a field, unless it came before.
func (d *stompDecoder) header(name, value []byte) {
	for i := stompBody + 1; i < len(d.names); i++ {
		if d.names[i] == string(name) && d.fields[i] == nil {
			d.fields[i] = value
		}
	}
}

// stompLine is a line without its end, and what is behind it.
func stompLine(b []byte) (line, behind []byte, ok bool) {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		return nil, nil, false
	}
	line, behind = b[:i:i], b[i+1:]
	if i > 0 && line[i-1] == '\r' {
		line = line[: i-1 : i-1]
	}
	return line, behind, true
}

// unescape is a name or a value of a header as it is meant.
func (d *stompDecoder) unescape(b []byte) ([]byte, error) {
	i := bytes.IndexByte(b, '\\')
	if i < 0 {
		return b, nil
	}
	from := len(d.strings)
	for i >= 0 {
		d.strings = append(d.strings, b[:i]...)
		if i+1 == len(b) {
			return nil, errStompEscape
		}
		switch b[i+1] {
		case 'r':
			d.strings = append(d.strings, '\r')
		case 'n':
			d.strings = append(d.strings, '\n')
		case 'c':
			d.strings = append(d.strings, ':')
		case '\\':
			d.strings = append(d.strings, '\\')
		default:
			return nil, errStompEscape
		}
		b = b[i+2:]
		i = bytes.IndexByte(b, '\\')
	}
	d.strings = append(d.strings, b...)
	return d.strings[from:len(d.strings):len(d.strings)], nil
}
