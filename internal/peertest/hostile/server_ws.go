package hostile

import (
	"compress/flate"
	"crypto/sha1" //nolint:gosec // what WebSocket's handshake has (RFC 6455, 1.3)
	"encoding/base64"
	"encoding/binary"
	"io"
	"strings"
)

// The kinds of frames of WebSocket (RFC 6455, 5.2), with the bit that says that one is the last of its message.
const (
	wsFinal = 0x80
	wsText  = 0x1
	wsBin   = 0x2
	wsClose = 0x8
	wsPing  = 0x9
)

// accepts answers a handshake as it should be; packs says that compression is agreed to.
func (p *peer) accepts(packs bool) bool {
	key := ""
	for line := range strings.Lines(p.head()) {
		if name, value, _ := strings.Cut(line, ":"); strings.EqualFold(name, "Sec-WebSocket-Key") {
			key = strings.TrimSpace(value)
		}
	}
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) //nolint:gosec // as above
	extension := ""
	if packs {
		extension = "Sec-WebSocket-Extensions: permessage-deflate\r\n"
	}
	return p.say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n", extension,
		"Sec-WebSocket-Accept: ", base64.StdEncoding.EncodeToString(sum[:]), "\r\n\r\n")
}

// wsFrame is one that a server sends: not masked.
func wsFrame(first byte, payload string) string {
	head := []byte{first, 0}
	switch n := len(payload); {
	case n < 126:
		head[1] = byte(n)
	case n < 1<<16:
		head[1] = 126
		head = binary.BigEndian.AppendUint16(head, uint16(n))
	default:
		head[1] = 127
		head = binary.BigEndian.AppendUint64(head, uint64(n))
	}
	return string(head) + payload
}

// webSocketModes misbehave in the handshake, or behind one that was right.
func webSocketModes() []Mode {
	open := func(name string, serve func(*peer)) Mode {
		return Mode{Name: "ws-" + name, Level: WebSocket, serve: func(p *peer) {
			if p.accepts(false) {
				serve(p)
				p.silence()
			}
		}}
	}
	sends := func(name string, frames ...string) Mode {
		return open(name, func(p *peer) { _ = p.say(frames...) })
	}
	floods := func(name, first, again string) Mode {
		return open(name, func(p *peer) {
			if p.say(first) {
				p.forever(again)
			}
		})
	}
	const switching = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
	return []Mode{
		{Name: "ws-accept-wrong", Level: WebSocket, serve: answering(switching,
			"Sec-WebSocket-Accept: bm90IHRoZSBrZXk=\r\n\r\n")},
		{Name: "ws-accept-missing", Level: WebSocket, serve: answering(switching, "\r\n")},
		{Name: "ws-extension-unasked", Level: WebSocket, serve: answering(switching,
			"Sec-WebSocket-Extensions: hostile\r\nSec-WebSocket-Protocol: hostile\r\n\r\n")},
		open("silent", func(*peer) {}),
		sends("length-2^63", "\x81\x7f\x80\x00\x00\x00\x00\x00\x00\x00abc"),
		sends("length-2^63-1", "\x82\x7f\x7f\xff\xff\xff\xff\xff\xff\xffabc"),
		sends("length-2^64-1", "\x82\x7f\xff\xff\xff\xff\xff\xff\xff\xffabc"),
		sends("length-not-shortest", "\x81\x7e\x00\x03abc"),
		sends("masked", "\x81\x83\x01\x02\x03\x04\x60\x60\x60"),
		sends("control-126", wsFrame(wsFinal|wsPing, strings.Repeat("p", 126))),
		sends("control-in-pieces", wsFrame(wsPing, "p")),
		sends("reserved-bits", wsFrame(wsFinal|0x70|wsText, "abc")),
		sends("opcode-unknown", wsFrame(wsFinal|0x5, "abc")),
		sends("continuation-first", wsFrame(wsFinal, "abc")),
		sends("text-in-text", wsFrame(wsText, "abc"), wsFrame(wsFinal|wsText, "abc")),
		sends("utf-8-invalid", wsFrame(wsFinal|wsText, "\xff\xfe\xed\xa0\x80")),
		sends("escapes", wsFrame(wsFinal|wsText, Escapes)),
		sends("close-without-code", wsFrame(wsFinal|wsClose, "")),
		sends("close-one-byte", wsFrame(wsFinal|wsClose, "\x03")),
		sends("close-code-wrong", wsFrame(wsFinal|wsClose, "\x00\x01")),
		sends("close-escapes", wsFrame(wsFinal|wsClose, "\x03\xf0"+Escapes)),
		floods("fragments-without-end", wsFrame(wsText, "a"), wsFrame(0, "a")),
		floods("fragments-empty-without-end", wsFrame(wsBin, ""), wsFrame(0, "")),
		floods("fragments-large-without-end", wsFrame(wsBin, "a"), wsFrame(0, strings.Repeat("b", 60000))),
		floods("ping-flood", "", wsFrame(wsFinal|wsPing, "ping")),
		floods("message-flood", "", wsFrame(wsFinal|wsText, `{"hostile":true}`)),
		floods("frame-gigabyte", "\x82\x7f\x00\x00\x00\x00\x40\x00\x00\x00", "g"),
		{Name: "ws-deflate-bomb", Level: WebSocket, serve: func(p *peer) {
			if p.accepts(true) {
				_ = p.say(wsFrame(wsFinal|0x40|wsText, deflated()))
				p.silence()
			}
		}},
		{Name: "ws-deflate-lie", Level: WebSocket, serve: func(p *peer) {
			if p.accepts(true) {
				_ = p.say(wsFrame(wsFinal|0x40|wsText, "\xff\xff\xff\xff this was never packed"))
				p.silence()
			}
		}},
	}
}

// deflated is a quarter of a gigabyte, as one message has it.
func deflated() string {
	return strings.TrimSuffix(strings.Repeat(flushed(strings.Repeat("a", 1<<20)), 256), "\x00\x00\xff\xff")
}

// flushed is a text packed, so that it ends at a byte and points to nothing before itself: it may stand again and
// again, which takes no time.
func flushed(text string) string {
	var b strings.Builder
	z, _ := flate.NewWriter(&b, flate.BestCompression)
	_, _ = io.WriteString(z, text)
	_ = z.Flush()
	return b.String()
}
