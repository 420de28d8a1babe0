package codec

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// The fields of MQTT.
const (
	mqttType = iota // the packet's name, in lower case
	mqttID
	mqttTopic
	mqttQoS
	mqttRetain
	mqttDup
	mqttCode   // return or reason code; 0 where the packet has none
	mqttFailed // the code, where it is of a failure
	mqttPayload
	mqttFields
)

// The types of packets (MQTT 5.0, 2.1.2).
const (
	mqttConnect = iota + 1
	mqttConnack
	mqttPublish
	mqttPuback
	mqttPubrec
	mqttPubrel
	mqttPubcomp
	mqttSubscribe
	mqttSuback
	mqttUnsubscribe
	mqttUnsuback
	mqttPingreq
	mqttPingresp
	mqttDisconnect
	mqttAuth
)

// mqttNames are the types as fields and packets have them, from the first.
const mqttNames = "connect connack publish puback pubrec pubrel pubcomp subscribe suback unsubscribe unsuback " +
	"pingreq pingresp disconnect auth"

// longestPacket bounds a packet, as messages are.
const longestPacket = 1 << 20

// mqtt are the packets of MQTT 3.1.1 and of MQTT 5.0, in binary frames. Where a packet ends and where a frame ends have
// nothing to do with each other (MQTT 5.0, 6).
type mqtt struct {
	name string
	five bool
}

func newMQTT(name string) *mqtt { return &mqtt{name: name, five: name == "mqtt5"} }

func (c *mqtt) Name() string  { return c.name }
func (c *mqtt) HasBody() bool { return true }
func (c *mqtt) Binary() bool  { return true }
func (c *mqtt) End() string   { return "" }
func (c *mqtt) Fields() []string {
	return []string{"type", "id", "topic", "qos", "retain", "dup", "code", "failed", "payload"}
}

func (c *mqtt) Field(name string) (int, error) {
	if i := slices.Index(c.Fields(), name); i >= 0 {
		return i, nil
	}
	return 0, noField(c.name, name, c.Fields())
}

func (c *mqtt) NewDecoder() Decoder {
	return &mqttDecoder{five: c.five, names: bytes.Fields([]byte(mqttNames))}
}

type mqttDecoder struct {
	five    bool
	names   [][]byte
	fields  [mqttFields][]byte
	numbers [16]byte // of fields that are written out
	rest    []byte   // of what came, what was not read yet
	kept    []byte   // of a packet whose end did not come yet
	beyond  int      // how many bytes of a packet that is too long are still to come
	broken  bool     // nobody can tell where the next packet begins
	used    int      // of numbers
}

var (
	errMQTTLength = errors.New("invalid packet length: the rest of the stream cannot be parsed")
	errMQTTLong   = fmt.Errorf("packet longer than %d bytes", longestPacket)
	errMQTTShort  = errors.New("packet too short for its type")
	errMQTTType   = errors.New("unknown packet type")
	errMQTTClient = errors.New("packet type allowed only from clients")
	errMQTTQoS    = errors.New("invalid quality of service 3")
)

// Begin takes a frame, behind what the ones before left.
func (d *mqttDecoder) Begin(frame []byte) {
	skip := min(d.beyond, len(frame))
	d.beyond -= skip
	frame = frame[skip:]
	d.rest = frame
	if len(d.kept) > 0 {
		d.kept = append(d.kept, frame...)
		d.rest = d.kept
	}
}

// Next reads the next packet.
func (d *mqttDecoder) Next(m *Message) (bool, error) {
	clear(d.fields[:])
	m.Fields, m.Body, m.Raw = d.fields[:], nil, d.rest
	if d.broken && len(d.rest) > 0 {
		d.rest = nil
		return true, errMQTTLength
	}
	length, head, ok := packetLength(d.rest)
	switch {
	case !ok:
		d.broken, d.rest, d.kept = true, nil, nil
		return true, errMQTTLength
	case head == 0 || len(d.rest)-head < length && length <= longestPacket:
		d.keep()
		return false, nil
	case length > longestPacket:
		d.beyond = max(0, head+length-len(d.rest))
		m.Raw = d.rest[:min(len(d.rest), head+length)]
		d.rest = d.rest[len(m.Raw):]
		return true, errMQTTLong
	}
	m.Raw, d.rest = d.rest[:head+length:head+length], d.rest[head+length:]
	return true, d.packet(m, m.Raw[0], m.Raw[head:])
}

// keep keeps what is left for the next frame.
func (d *mqttDecoder) keep() {
	switch {
	case len(d.rest) == 0 && cap(d.kept) > keptBetween:
		d.kept = nil // what one long packet needed is not held for all that follow
	case len(d.rest) != len(d.kept): // else it is kept already
		d.kept = append(d.kept[:0], d.rest...)
	}
	d.rest = nil
}

const keptBetween = 64 << 10

// packetLength is the length of what stands behind the head of a packet, and that of the head; 0: it did not come as a
// whole. It is not ok where no length is written so.
func packetLength(b []byte) (length, head int, ok bool) {
	for i := 1; i < len(b); i++ {
		length |= int(b[i]&0x7f) << (7 * (i - 1))
		if b[i] < 0x80 {
			return length, i + 1, true
		}
		if i == 4 {
			return 0, 0, false
		}
	}
	return 0, 0, true
}

// packet reads what a packet has behind its head.
func (d *mqttDecoder) packet(m *Message, first byte, b []byte) error {
	kind := int(first >> 4)
	if kind == 0 {
		return errMQTTType
	}
	d.fields[mqttType] = d.names[kind-1]
	d.used = 0
	switch kind {
	case mqttPublish:
		return d.publish(m, first, b)
	case mqttConnack:
		return d.code(b, 1)
	case mqttPuback, mqttPubrec, mqttPubrel, mqttPubcomp:
		if err := d.id(b); err != nil {
			return err
		}
		return d.code(b, 2)
	case mqttSuback, mqttUnsuback:
		return d.granted(b, kind == mqttSuback)
	case mqttPingresp:
		return nil
	case mqttDisconnect, mqttAuth:
		return d.code(b, 0)
	default:
		return errMQTTClient
	}
}

// publish reads a message that somebody published.
func (d *mqttDecoder) publish(m *Message, first byte, b []byte) error {
	qos := first >> 1 & 3
	if qos == 3 {
		return errMQTTQoS
	}
	d.fields[mqttQoS] = d.number(int(qos))
	d.fields[mqttRetain] = d.number(int(first & 1))
	d.fields[mqttDup] = d.number(int(first >> 3 & 1))
	if len(b) < 2 {
		return errMQTTShort
	}
	n := 2 + int(b[0])<<8 + int(b[1])
	if len(b) < n {
		return errMQTTShort
	}
	d.fields[mqttTopic] = b[2:n:n]
	b = b[n:]
	if qos > 0 {
		if err := d.id(b); err != nil {
			return err
		}
		b = b[2:]
	}
	b, ok := d.behindProperties(b)
	if !ok {
		return errMQTTShort
	}
	if len(b) > 0 {
		m.Body = b
		d.fields[mqttPayload] = b
	}
	return nil
}

// behindProperties is what stands behind the properties, which packets have since MQTT 5.
func (d *mqttDecoder) behindProperties(b []byte) ([]byte, bool) {
	if !d.five {
		return b, true
	}
	if len(b) == 0 {
		return nil, false
	}
	length, n := 0, 0
	for n < len(b) && n < 4 {
		length |= int(b[n]&0x7f) << (7 * n)
		n++
		if b[n-1] < 0x80 {
			if len(b)-n < length {
				return nil, false
			}
			return b[n+length:], true
		}
	}
	return nil, false
}

// id reads the number of a packet, which stands first.
func (d *mqttDecoder) id(b []byte) error {
	if len(b) < 2 {
		return errMQTTShort
	}
	d.fields[mqttID] = d.number(int(b[0])<<8 | int(b[1]))
	return nil
}

// leastFailure is the lowest code of a failure (MQTT 5.0, 2.4), but of a connack of MQTT 3.1.1.
const leastFailure = 0x80

// code reads a return or reason code; where the packet ends before it, it is 0 (MQTT 5.0, 3.4.2.1).
func (d *mqttDecoder) code(b []byte, at int) error {
	code := 0
	if at < len(b) {
		code = int(b[at])
	} else if d.fields[mqttID] == nil && at > 0 {
		return errMQTTShort // a connack, which always has one
	}
	d.fields[mqttCode] = d.number(code)
	if code >= leastFailure || code > 0 && !d.five && d.fields[mqttID] == nil { // a connack
		d.fields[mqttFailed] = d.fields[mqttCode]
	}
	return nil
}

// granted reads the answer to a subscription, of which the code of the first topic counts, or to the end of one, which
// has codes since MQTT 5.
func (d *mqttDecoder) granted(b []byte, always bool) error {
	if err := d.id(b); err != nil {
		return err
	}
	b, ok := d.behindProperties(b[2:])
	if !ok || len(b) == 0 && (always || d.five) {
		return errMQTTShort
	}
	return d.code(b, 0)
}

// number writes a number out. A packet has at most an id, a code, and the three flags.
func (d *mqttDecoder) number(n int) []byte {
	b := strconv.AppendInt(d.numbers[d.used:d.used], int64(n), 10)
	d.used += len(b)
	return b[:len(b):len(b)]
}
