package hostile

import (
	"math/rand/v2"
	"strings"
)

// Escapes are what a terminal would take for commands: colours, a title, the cursor, and what makes it answer.
const Escapes = "\x1b[31m\x1b]0;hostile\x07\x1b[2J\x1b[6n\u009b31m\x07\x08"

// rawModes need no protocol: any client meets them.
func rawModes() []Mode {
	return []Mode{
		{Name: "raw-silent", Level: Raw, serve: (*peer).silence},
		{Name: "raw-close", Level: Raw, serve: func(p *peer) { _ = p.Close() }},
		{Name: "raw-reset", Level: Raw, serve: (*peer).reset},
		{Name: "raw-read-and-close", Level: Raw, serve: func(p *peer) { _, _ = p.in.ReadByte() }},
		{Name: "raw-unread", Level: Raw, serve: func(p *peer) { <-p.server.ctx.Done() }},
		{Name: "raw-garbage", Level: Raw, serve: garbage},
		{Name: "raw-zeros", Level: Raw, serve: func(p *peer) { p.forever("\x00") }},
		{Name: "raw-ones", Level: Raw, serve: func(p *peer) { p.forever("\xff") }},
		{Name: "raw-slow", Level: Raw, serve: func(p *peer) { p.slowly(strings.Repeat("HTTP/1.1 200 OK\r\nA: b\r\n", 400)) }},
		{Name: "raw-line-without-end", Level: Raw, serve: func(p *peer) { p.forever("x") }},
		{Name: "raw-lines-without-end", Level: Raw, serve: func(p *peer) { p.forever("lie\r\n") }},
		{Name: "raw-megabyte-line", Level: Raw, serve: func(p *peer) {
			_ = p.say(strings.Repeat("m", 1<<20), "\r\n")
			p.silence()
		}},
		{Name: "raw-escapes", Level: Raw, serve: func(p *peer) {
			_ = p.say(strings.Repeat(Escapes, 20), "\r\n\r\n")
			p.silence()
		}},
		{Name: "raw-echo", Level: Raw, serve: echo},
		{Name: "raw-tls-alert", Level: Raw, serve: func(p *peer) { _ = p.say("\x15\x03\x01\x00\x02\x02\x28") }},
	}
}

// garbage is the same each time, and has nothing in it that is to be understood.
func garbage(p *peer) {
	random := rand.NewChaCha8([32]byte{'h'})
	piece := make([]byte, 32<<10)
	for {
		_, _ = random.Read(piece)
		if _, err := p.Write(piece); err != nil {
			return
		}
	}
}

// echo gives back what came.
func echo(p *peer) {
	piece := make([]byte, 32<<10)
	for {
		n, err := p.in.Read(piece)
		if err != nil {
			return
		}
		if _, err := p.Write(piece[:n]); err != nil {
			return
		}
	}
}
