package hostile

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"strings"
)

// The codes with which a connection ends (RFC 6455, section 7.4.1).
const (
	protocolError = 1002
	noText        = 1007
	tooLong       = 1009
)

// upgrade asks for a WebSocket.
func (a *Attack) upgrade(more string) string {
	return a.head("GET") + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" + more + "\r\n"
}

// masked is a frame of a client, masked with nothing but zeros.
func masked(first byte, payload string) string {
	head := []byte{first}
	switch n := len(payload); {
	case n < 126:
		head = append(head, 0x80|byte(n))
	case n < 1<<16:
		head = binary.BigEndian.AppendUint16(append(head, 0x80|126), uint16(n))
	default:
		head = binary.BigEndian.AppendUint64(append(head, 0x80|127), uint64(n))
	}
	return string(head) + "\x00\x00\x00\x00" + payload
}

// claims is the head of a frame that claims a length, and its mask.
func claims(first byte, length uint64) string {
	return string(binary.BigEndian.AppendUint64([]byte{first, 0x80 | 127}, length)) + "\x01\x02\x03\x04"
}

// speak makes a WebSocket, says the frames, and looks with which code the server ends it, where it is to.
func (a *Attack) speak(more string, ends bool, frames ...string) *conn {
	c := a.dial()
	if !a.say(c, a.upgrade(more)) {
		return c
	}
	var head []byte
	for !bytes.Contains(head, []byte("\r\n\r\n")) {
		one := a.read(c, 1, patience)
		if len(one) == 0 {
			return c
		}
		head = append(head, one...)
	}
	a.say(c, strings.Join(frames, ""))
	if ends && bytes.Contains(head, []byte(" 101 ")) {
		a.Upgraded = true
		a.Closed = closing(a.read(c, 64<<10, 15*patience)) // until the end of the connection
	}
	return c
}

// closing finds the code of a close frame among frames of a server; 0: there is none.
func closing(said []byte) int {
	for len(said) >= 2 {
		first, n, at := said[0], int(said[1]&0x7f), 2
		switch {
		case n == 126 && len(said) >= 4:
			n, at = int(binary.BigEndian.Uint16(said[2:])), 4
		case n > 125:
			return 0
		}
		if at+n > len(said) {
			return 0
		}
		if first&0xf == 8 && n >= 2 {
			return int(binary.BigEndian.Uint16(said[at:]))
		}
		said = said[at+n:]
	}
	return 0
}

// frames are those who are taken for WebSocket clients. A server that speaks none sees a request and garbage behind it.
func frames() []Client {
	const text, final, ping, bye = 0x1, 0x80, 0x9, 0x8
	speak := func(name string, closes int, frames ...string) Client {
		return Client{Name: name, Closes: closes, Run: func(a *Attack) { a.speak("", closes != 0, frames...) }}
	}
	return []Client{
		speak("a WebSocket that says nothing", 0),
		speak("a frame of 2^64-1", protocolError, claims(final|text, 1<<64-1)),
		speak("a frame of 2^63-1", tooLong, claims(final|text, 1<<63-1)),
		speak("a frame without a mask", protocolError, "\x81\x02{}"),
		speak("reserved bits", protocolError, masked(final|text|0x70, "{}")),
		speak("an unknown opcode", protocolError, masked(final|0x3, "{}")),
		speak("an unknown control frame", protocolError, masked(final|0xb, "{}")),
		speak("a long ping", protocolError, masked(final|ping, strings.Repeat("x", 126))),
		speak("a ping in fragments", protocolError, masked(ping, "x")),
		speak("the rest of nothing", protocolError, masked(final, "x")),
		speak("text within text", protocolError, masked(text, "x")+masked(final|text, "x")),
		speak("text that is none", noText, masked(final|text, "\xff\xfe\x80")),
		speak("fragments that are no text", noText, masked(text, "\xc3")+masked(final, "\x28")),
		speak("a reason that is no text", noText, masked(final|bye, "\x03\xe8\xff\xfe")),
		speak("a close of one byte", protocolError, masked(final|bye, "\x03")),
		speak("a close with a code that is none", protocolError, masked(final|bye, "\x00\x01")),
		speak("a close without a code", 0, masked(final|bye, "")),
		{Name: "fragments without an end", Run: func(a *Attack) {
			c := a.speak("", false, masked(text, "x"))
			a.flood(c, strings.Repeat(masked(0, ""), 1000), 1<<20)
			a.flood(c, masked(0, strings.Repeat("x", 32<<10)), 8<<20)
		}},
		{Name: "a flood of pings", Run: func(a *Attack) {
			a.flood(a.speak("", false), strings.Repeat(masked(final|ping, "x"), 1000), 1<<20)
		}},
		{Name: "a flood of messages that nobody reads", Run: func(a *Attack) {
			a.flood(a.speak("", false), strings.Repeat(masked(final|text, "{}"), 1000), 8<<20)
		}},
		{Name: "a bomb of deflate", Run: func(a *Attack) {
			a.speak("Sec-WebSocket-Extensions: permessage-deflate\r\n", false, masked(final|text|0x40, bomb()))
		}},
		{Name: "many handshakes", Run: func(a *Attack) {
			for range 100 {
				a.say(a.dial(), a.upgrade("Sec-WebSocket-Protocol: "+strings.Repeat("x", 100)+"\r\n"))
			}
		}},
	}
}

// bomb is 16 MiB, compressed.
func bomb() string {
	var text bytes.Buffer
	w, err := flate.NewWriter(&text, flate.BestCompression)
	if err != nil {
		panic(err) // the level is one that there is
	}
	nothing := make([]byte, 1<<20)
	for range 16 {
		_, _ = w.Write(nothing)
	}
	_ = w.Flush()
	return strings.TrimSuffix(text.String(), "\x00\x00\xff\xff")
}
