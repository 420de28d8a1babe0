package hostile

import (
	"encoding/binary"
	"io"
	"strings"
)

// The kinds of frames of HTTP/2 (RFC 9113, 6), and what a connection begins with.
const (
	frameData         = 0x0
	frameHeaders      = 0x1
	framePriority     = 0x2
	frameReset        = 0x3
	frameSettings     = 0x4
	framePromise      = 0x5
	framePing         = 0x6
	frameGoAway       = 0x7
	frameWindow       = 0x8
	frameContinuation = 0x9

	endStream  = 0x1
	endHeaders = 0x4
	preface    = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
)

// frame is one of HTTP/2.
func frame(kind, flags byte, stream uint32, payload string) string {
	head := []byte{byte(len(payload) >> 16), byte(len(payload) >> 8), byte(len(payload)), kind, flags, 0, 0, 0, 0}
	binary.BigEndian.PutUint32(head[5:], stream)
	return string(head) + payload
}

// status200 is a block of headers, in HPACK: the eighth of the static table.
const status200 = "\x88"

// settled is a mode that begins when the settings of a connection were exchanged.
func settled(name string, serve func(*peer)) Mode {
	return Mode{Name: "h2-" + name, Level: HTTP2, serve: func(p *peer) {
		if p.settles() {
			serve(p)
		}
	}}
}

// http2Modes misbehave after the settings of a connection were exchanged.
func http2Modes() []Mode {
	return []Mode{
		settled("settings-flood", func(p *peer) { p.forever(frame(frameSettings, 0, 0, "")) }),
		settled("settings-wrong", func(p *peer) { _ = p.say(frame(frameSettings, 0, 0, "abc")) }),
		settled("settings-table-huge", func(p *peer) {
			_ = p.say(frame(frameSettings, 0, 0, "\x00\x01\xff\xff\xff\xff"))
			p.silence()
		}),
		settled("settings-no-streams", func(p *peer) {
			_ = p.say(frame(frameSettings, 0, 0, "\x00\x03\x00\x00\x00\x00"))
			p.silence()
		}),
		settled("settings-window-overflow", func(p *peer) {
			_ = p.say(frame(frameSettings, 0, 0, "\x00\x04\xff\xff\xff\xff"))
			p.silence()
		}),
		settled("goaway", func(p *peer) { _ = p.say(frame(frameGoAway, 0, 0, "\x00\x00\x00\x00\x00\x00\x00\x00")) }),
		settled("goaway-escapes", func(p *peer) {
			_ = p.say(frame(frameGoAway, 0, 0, "\x00\x00\x00\x00\x00\x00\x00\x0b"+Escapes))
		}),
		settled("ping-flood", func(p *peer) { p.forever(frame(framePing, 0, 0, "hostile!")) }),
		settled("ping-wrong", func(p *peer) { _ = p.say(frame(framePing, 0, 0, "no")) }),
		settled("window-overflow", func(p *peer) { p.forever(frame(frameWindow, 0, 0, "\x7f\xff\xff\xff")) }),
		settled("frame-huge", func(p *peer) {
			_ = p.say("\xff\xff\xff\x00\x00\x00\x00\x00\x01")
			p.forever("x")
		}),
		settled("frame-unknown-flood", func(p *peer) { p.forever(frame(0x77, 0xff, 0x7fffffff, strings.Repeat("u", 100))) }),
		settled("silent", (*peer).silence),
		settled("push", func(p *peer) { _ = p.say(frame(framePromise, endHeaders, 1, "\x00\x00\x00\x02"+status200)) }),
	}
}

// streamModes misbehave when a request has come.
func streamModes() []Mode {
	// asked answers each request with these frames, whose stream is that of the request.
	asked := func(name string, answers bool, serve func(p *peer, stream uint32) bool) Mode {
		m := settled(name, func(p *peer) { p.eachStream(serve) })
		m.Answers = answers
		return m
	}
	return []Mode{
		asked("reset-each", false, func(p *peer, stream uint32) bool {
			return p.say(frame(frameReset, 0, stream, "\x00\x00\x00\x07"))
		}),
		asked("window-zero", false, func(p *peer, stream uint32) bool {
			return p.say(frame(frameSettings, 0, 0, "\x00\x04\x00\x00\x00\x00"),
				frame(frameHeaders, endHeaders, stream, status200))
		}),
		asked("continuation-flood", false, func(p *peer, stream uint32) bool {
			if p.say(frame(frameHeaders, 0, stream, status200)) {
				p.forever(frame(frameContinuation, 0, stream, "\x00\x01a\x01b"))
			}
			return false
		}),
		asked("continuation-empty-flood", false, func(p *peer, stream uint32) bool {
			if p.say(frame(frameHeaders, 0, stream, status200)) {
				p.forever(frame(frameContinuation, 0, stream, ""))
			}
			return false
		}),
		asked("hpack-bomb", false, func(p *peer, stream uint32) bool {
			// One field of 4000 bytes is put into the table, and named again and again by one byte.
			entry := "\x40\x01a\x7f\xa1\x1e" + strings.Repeat("v", 4000)
			return p.say(frame(frameHeaders, endHeaders|endStream, stream, status200+entry+strings.Repeat("\xbe", 10000)))
		}),
		asked("hpack-lie", false, func(p *peer, stream uint32) bool {
			return p.say(frame(frameHeaders, endHeaders|endStream, stream, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"))
		}),
		asked("data-before-headers", false, func(p *peer, stream uint32) bool {
			return p.say(frame(frameData, endStream, stream, "abc"))
		}),
		asked("data-without-end", false, func(p *peer, stream uint32) bool {
			if p.say(frame(frameHeaders, endHeaders, stream, status200)) {
				p.forever(frame(frameData, 0, stream, strings.Repeat("d", 16000)))
			}
			return false
		}),
		asked("data-padding-lie", false, func(p *peer, stream uint32) bool {
			return p.say(frame(frameHeaders, endHeaders, stream, status200), frame(frameData, 0x8|endStream, stream, "\xffabc"))
		}),
		asked("data-empty-flood", false, func(p *peer, stream uint32) bool {
			if p.say(frame(frameHeaders, endHeaders, stream, status200)) {
				p.forever(frame(frameData, 0, stream, ""))
			}
			return false
		}),
		asked("stream-unasked", false, func(p *peer, stream uint32) bool {
			return p.say(frame(frameHeaders, endHeaders|endStream, stream+1000, status200))
		}),
		asked("headers-twice", false, func(p *peer, stream uint32) bool {
			one := frame(frameHeaders, endHeaders, stream, status200)
			return p.say(one, one, one)
		}),
		asked("1xx-flood", false, func(p *peer, stream uint32) bool {
			p.forever(frame(frameHeaders, endHeaders, stream, "\x08\x03103"))
			return false
		}),
		asked("trailers-pseudo", true, func(p *peer, stream uint32) bool {
			return p.say(frame(frameHeaders, endHeaders, stream, status200), frame(frameData, 0, stream, "ok"),
				frame(frameHeaders, endHeaders|endStream, stream, status200))
		}),
		asked("header-escapes", true, func(p *peer, stream uint32) bool {
			return p.say(frame(frameHeaders, endHeaders|endStream, stream, status200+"\x00\x01a\x04\x1b[5m"))
		}),
		asked("priority-self", true, func(p *peer, stream uint32) bool {
			own := make([]byte, 5)
			binary.BigEndian.PutUint32(own, stream)
			return p.say(frame(framePriority, 0, stream, string(own)),
				frame(frameHeaders, endHeaders|endStream, stream, status200))
		}),
	}
}

// settles reads the preface of a client, and sends settings and an acknowledgement. A client of HTTP/1.1 gets the same.
func (p *peer) settles() bool {
	if _, err := p.in.Peek(len(preface)); err != nil {
		return false
	}
	return p.say(frame(frameSettings, 0, 0, ""), frame(frameSettings, 1, 0, ""))
}

// eachStream calls serve with each stream that the client begins, until it says that it is enough.
func (p *peer) eachStream(serve func(*peer, uint32) bool) {
	if begin, err := p.in.Peek(len(preface)); err != nil || string(begin) != preface {
		serve(p, 1) // it speaks something else
		p.silence()
		return
	}
	_, _ = p.in.Discard(len(preface))
	for {
		var head [9]byte
		if _, err := io.ReadFull(p.in, head[:]); err != nil {
			return
		}
		if _, err := p.in.Discard(int(head[0])<<16 | int(head[1])<<8 | int(head[2])); err != nil {
			return
		}
		if head[3] == frameHeaders && !serve(p, binary.BigEndian.Uint32(head[5:])&(1<<31-1)) {
			return
		}
	}
}
