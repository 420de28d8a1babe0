package codec

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The keys of the packets of MQTT.
const (
	keyID = iota
	keyTopic
	keyPayload
	keyQoS
	keyRetain
	keyDup
	keyClient
	keyUser
	keyPassword
	keyClean
	keyAlive
	keys
)

func mqttKeys() []string {
	return []string{"id", "topic", "payload", "qos", "retain", "dup",
		"client_id", "username", "password", "clean", "keep_alive"}
}

// mqttPacket writes packets of a type.
type mqttPacket struct {
	kind byte
	five bool
	at   [keys]int // where the value of a key stands among the values; -1: nowhere
}

// packetKeys are the keys that a packet may have, those first that it must have, and how many those are.
func packetKeys(kind string) (may []int, must int, ok bool) {
	switch kind {
	case "connect":
		return []int{keyClient, keyUser, keyPassword, keyClean, keyAlive}, 0, true
	case "publish":
		return []int{keyTopic, keyPayload, keyQoS, keyID, keyRetain, keyDup}, 1, true
	case "puback", "pubrec", "pubrel", "pubcomp":
		return []int{keyID}, 1, true
	case "subscribe":
		return []int{keyID, keyTopic, keyQoS}, 2, true
	case "unsubscribe":
		return []int{keyID, keyTopic}, 2, true
	case "pingreq", "disconnect":
		return nil, 0, true
	}
	return nil, 0, false
}

// Packet makes what writes a packet.
func (c *mqtt) Packet(kind string, given []string) (Packet, error) {
	may, must, ok := packetKeys(kind)
	if !ok {
		return nil, &Error{kind, "not a packet that an MQTT client sends; use connect, publish, puback, pubrec, pubrel, " +
			"pubcomp, subscribe, unsubscribe, pingreq or disconnect"}
	}
	p := &mqttPacket{five: c.five, kind: byte(slices.Index(strings.Fields(mqttNames), kind) + 1)}
	for i := range p.at {
		p.at[i] = -1
	}
	names := mqttKeys()
	for i, key := range given {
		n := slices.Index(names, key)
		if !slices.Contains(may, n) {
			return nil, &Error{key, notOf(kind, key, may)}
		}
		if p.at[n] >= 0 {
			return nil, &Error{key, "duplicate key"}
		}
		p.at[n] = i
	}
	for _, n := range may[:must] {
		if p.at[n] < 0 {
			return nil, &Error{kind, "missing key " + names[n]}
		}
	}
	return p, nil
}

// notOf says that a packet has no such key, and which it has.
func notOf(kind, key string, may []int) string {
	if key == "version" {
		return "use codec mqtt for MQTT 3.1.1, or mqtt5 for MQTT 5.0"
	}
	var there []string
	for _, n := range may {
		there = append(there, mqttKeys()[n])
	}
	if len(there) == 0 {
		return kind + " has no keys"
	}
	return fmt.Sprintf("not a key of %s, which has %s", kind, strings.Join(there, ", "))
}

// mqttWriter writes one packet; the first error stays.
type mqttWriter struct {
	b      []byte
	packet *mqttPacket
	values [][]byte
	err    error
}

var errPacketLong = errors.New("an MQTT packet has at most 268,435,455 bytes")

// Append writes the packet behind b.
func (p *mqttPacket) Append(b []byte, values [][]byte) ([]byte, error) {
	from := len(b)
	w := mqttWriter{b: append(b, p.kind<<4, 0), packet: p, values: values}
	switch p.kind {
	case mqttConnect:
		w.connect()
	case mqttPublish:
		w.b[from] |= w.publish()
	case mqttPubrel:
		w.b[from] |= 2
		w.id()
	case mqttPuback, mqttPubrec, mqttPubcomp:
		w.id()
	case mqttSubscribe:
		w.b[from] |= 2
		w.id()
		w.properties()
		w.text(keyTopic)
		w.b = append(w.b, byte(w.number(keyQoS, 0, 2)))
	case mqttUnsubscribe:
		w.b[from] |= 2
		w.id()
		w.properties()
		w.text(keyTopic)
	}
	if w.err != nil {
		return b, w.err
	}
	return withLength(w.b, from+1)
}

// withLength writes the length of what stands behind a byte that is kept for it, and makes room where one does not do.
func withLength(b []byte, at int) ([]byte, error) {
	digits, used, ok := digitsOf(len(b) - at - 1)
	if !ok {
		return b, errPacketLong
	}
	b[at] = digits[0]
	return slices.Insert(b, at+1, digits[1:used]...), nil
}

// digitsOf writes a length in as many bytes as it needs, the low bits first; false: it is too long.
func digitsOf(n int) (digits [4]byte, used int, ok bool) {
	for used < len(digits) {
		digits[used] = byte(n & 0x7f)
		used++
		if n >>= 7; n == 0 {
			return digits, used, true
		}
		digits[used-1] |= 0x80
	}
	return [4]byte{}, 0, false
}

// properties writes that there are none, which packets say since MQTT 5.
func (w *mqttWriter) properties() {
	if w.packet.five {
		w.b = append(w.b, 0)
	}
}

// connect writes what opens a connection (MQTT 5.0, 3.1).
func (w *mqttWriter) connect() {
	const cleanFlag, passwordFlag, userFlag = 1 << 1, 1 << 6, 1 << 7
	level := byte(4)
	if w.packet.five {
		level = 5
	}
	var flags byte
	if w.flag(keyClean, true) {
		flags |= cleanFlag
	}
	if w.has(keyUser) {
		flags |= userFlag
	}
	if w.has(keyPassword) {
		flags |= passwordFlag
		if !w.packet.five && !w.has(keyUser) {
			w.wrong(keyPassword, "MQTT 3.1.1 does not allow a password without a username")
		}
	}
	alive := w.number(keyAlive, 0, 1<<16-1)
	w.b = append(w.b, 0, 4, 'M', 'Q', 'T', 'T', level, flags, byte(alive>>8), byte(alive))
	w.properties()
	w.text(keyClient)
	if w.has(keyUser) {
		w.text(keyUser)
	}
	if w.has(keyPassword) {
		w.bytes(keyPassword)
	}
}

// publish writes a message, and gives the flags of its head (MQTT 5.0, 3.3).
func (w *mqttWriter) publish() (flags byte) {
	qos := byte(w.number(keyQoS, 0, 2))
	flags = qos << 1
	if w.flag(keyRetain, false) {
		flags |= 1
	}
	if w.flag(keyDup, false) {
		flags |= 8
	}
	w.text(keyTopic)
	if qos > 0 {
		w.id()
	}
	w.properties()
	w.b = append(w.b, w.value(keyPayload)...)
	return flags
}

// id writes the packet's number.
func (w *mqttWriter) id() {
	id := w.number(keyID, 1, 1<<16-1)
	w.b = append(w.b, byte(id>>8), byte(id))
}

func (w *mqttWriter) has(key int) bool { return w.packet.at[key] >= 0 }

func (w *mqttWriter) value(key int) []byte {
	if at := w.packet.at[key]; at >= 0 {
		return w.values[at]
	}
	return nil
}

func (w *mqttWriter) wrong(key int, why string) {
	if w.err == nil {
		w.err = &Error{mqttKeys()[key], why}
	}
}

// text writes a text with its length: UTF-8 without NUL (MQTT 5.0, 1.5.4).
func (w *mqttWriter) text(key int) {
	if v := w.value(key); !utf8.Valid(v) || bytes.IndexByte(v, 0) >= 0 {
		w.wrong(key, "MQTT strings must be UTF-8 without NUL")
	}
	w.bytes(key)
}

func (w *mqttWriter) bytes(key int) {
	v := w.value(key)
	if len(v) > 1<<16-1 {
		w.wrong(key, "longer than 65,535 bytes")
	}
	w.b = append(append(w.b, byte(len(v)>>8), byte(len(v))), v...)
}

// number reads a value that is a number, which is 0 where it is not given.
func (w *mqttWriter) number(key int, least, most uint64) uint64 {
	var n uint64
	if w.has(key) {
		v, err := strconv.ParseUint(string(w.value(key)), 10, 64)
		if n = v; err != nil {
			n = most + 1
		}
	}
	if n < least || n > most {
		w.wrong(key, fmt.Sprintf("must be a number from %d to %d", least, most))
		return least
	}
	return n
}

// flag reads a value that is true or false.
func (w *mqttWriter) flag(key int, not bool) bool {
	if !w.has(key) {
		return not
	}
	switch string(w.value(key)) {
	case "true", "1":
		return true
	case "false", "0":
		return false
	}
	w.wrong(key, "must be true or false")
	return not
}
