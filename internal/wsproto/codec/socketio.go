package codec

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
)

// The fields of Socket.IO.
const (
	ioType        = iota // the digit of Engine.IO, and of a message the digit of Socket.IO behind it
	ioNamespace          // without the comma behind it; none: the main one
	ioAck                // the number by which an event is acknowledged
	ioAttachments        // how many binary frames follow
	ioFields
)

// attachment is the type of a binary frame that belongs to the message before it.
const attachment = "attachment"

// socketIO are the packets of Socket.IO (protocol 5) in those of Engine.IO (protocol 4), as text:
// https://socket.io/docs/v4/socket-io-protocol/. Their payload is the body.
type socketIO struct{ split string }

func (c *socketIO) Name() string     { return "socketio" }
func (c *socketIO) Fields() []string { return []string{"type", "namespace", "ack", "attachments"} }
func (c *socketIO) HasBody() bool    { return true }
func (c *socketIO) Binary() bool     { return false }
func (c *socketIO) End() string      { return "" }
func (c *socketIO) Packet(kind string, _ []string) (Packet, error) {
	return nil, noPacket(c.Name(), kind)
}

func (c *socketIO) Field(name string) (int, error) {
	if i := slices.Index(c.Fields(), name); i >= 0 {
		return i, nil
	}
	return 0, noField(c.Name(), name, c.Fields())
}

func (c *socketIO) NewDecoder() Decoder {
	return &socketIODecoder{pieces: pieces{split: []byte(c.split)}}
}

type socketIODecoder struct {
	pieces
	fields  [ioFields][]byte
	binary  uint64 // how many frames are still attachments of a message
	current bool   // the frame is one, and was not read yet
}

// Begin takes a frame. One that belongs to the message before it is not split.
func (d *socketIODecoder) Begin(frame []byte) {
	d.pieces.Begin(frame)
	if d.current = d.binary > 0; d.current {
		d.binary--
	}
}

var errNotEngineIO = errors.New("does not start with an Engine.IO packet type")

// Next reads the next packet.
func (d *socketIODecoder) Next(m *Message) (bool, error) {
	clear(d.fields[:])
	m.Fields, m.Body = d.fields[:], nil
	if d.current {
		d.fields[ioType] = []byte(attachment)
		m.Raw = d.rest
		d.rest, d.whole, d.current = nil, false, false
		return true, nil
	}
	piece, ok := d.next()
	if m.Raw = piece; !ok {
		return false, nil
	}
	if len(piece) == 0 || piece[0] < '0' || piece[0] > '6' {
		return true, errNotEngineIO
	}
	n := 1
	if piece[0] == '4' && len(piece) > 1 && piece[1] >= '0' && piece[1] <= '6' {
		n = 2
	}
	d.fields[ioType] = piece[:n:n]
	rest := piece[n:]
	if n == 2 {
		rest = d.head(piece[1], rest)
	}
	if len(rest) > 0 {
		m.Body = rest
	}
	return true, nil
}

// head takes from a packet of Socket.IO what stands before its payload, and gives that: the number of attachments and
// a hyphen, the namespace and a comma, the number of the acknowledgement. Each may be missing.
func (d *socketIODecoder) head(kind byte, b []byte) (payload []byte) {
	const binaryEvent, binaryAck = '5', '6'
	if n := digits(b); (kind == binaryEvent || kind == binaryAck) && n > 0 && n < len(b) && b[n] == '-' {
		d.fields[ioAttachments] = b[:n:n]
		d.binary, _ = strconv.ParseUint(string(b[:n]), 10, 32)
		b = b[n+1:]
	}
	if len(b) > 0 && b[0] == '/' {
		d.fields[ioNamespace], b, _ = bytes.Cut(b, []byte{','})
	}
	if n := digits(b); n > 0 {
		d.fields[ioAck] = b[:n:n]
		b = b[n:]
	}
	return b
}

// digits is with how many digits the text begins.
func digits(b []byte) int {
	n := 0
	for n < len(b) && b[n]-'0' < 10 {
		n++
	}
	return n
}
