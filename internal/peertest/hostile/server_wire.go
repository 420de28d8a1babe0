package hostile

import (
	"encoding/binary"
	"io"
	"strings"
)

// redisModes lie in the lengths of RESP. A client gets so far as a first answer to its first question.
func redisModes() []Mode {
	// replies answers whatever comes with one text.
	replies := func(name, reply string) Mode {
		return Mode{Name: "redis-" + name, Level: Redis, serve: func(p *peer) {
			piece := make([]byte, 4096)
			for {
				if _, err := p.in.Read(piece); err != nil || !p.say(reply) {
					return
				}
			}
		}}
	}
	floods := func(name, first, again string) Mode {
		return Mode{Name: "redis-" + name, Level: Redis, serve: func(p *peer) {
			if _, err := p.in.ReadByte(); err == nil && p.say(first) {
				p.forever(again)
			}
		}}
	}
	return []Mode{
		replies("bulk-huge", "$9223372036854775800\r\nabc"),
		replies("bulk-2-gib", "$2147483647\r\nabc"),
		replies("bulk-negative", "$-77\r\n"),
		replies("array-huge", "*9223372036854775807\r\n"),
		replies("array-2-g", "*2147483647\r\n:1\r\n"),
		replies("map-huge", "%2147483647\r\n+a\r\n:1\r\n"),
		replies("push-huge", ">2147483647\r\n+a\r\n"),
		replies("integer-overflow", ":99999999999999999999999\r\n"),
		replies("kind-unknown", "?what\r\n"),
		replies("error-escapes", "-ERR "+Escapes+"\r\n"),
		floods("error-without-end", "-", "ERR "),
		floods("array-deep", "", "*1\r\n"),
		floods("bulk-without-end", "$2000000000\r\n", "b"),
		floods("pushes-without-end", "", ">2\r\n+invalidate\r\n+x\r\n"),
	}
}

// info is how a NATS server begins.
const info = `INFO {"server_id":"H","version":"2.10.0","proto":1,"headers":true,"max_payload":1048576,` +
	`"jetstream":true}` + "\r\n"

// natsModes lie behind a beginning that is right.
func natsModes() []Mode {
	begun := func(name string, serve func(*peer)) Mode {
		return Mode{Name: "nats-" + name, Level: NATS, serve: func(p *peer) {
			if !p.say(info) {
				return
			}
			for { // CONNECT, and then PING
				line, err := p.in.ReadString('\n')
				if err != nil {
					return
				}
				if strings.HasPrefix(line, "PING") {
					break
				}
			}
			if p.say("PONG\r\n") {
				serve(p)
				p.silence()
			}
		}}
	}
	sends := func(name, text string) Mode { return begun(name, func(p *peer) { _ = p.say(text) }) }
	return []Mode{
		{Name: "nats-info-without-end", Level: NATS, serve: func(p *peer) {
			_ = p.say(`INFO {"server_id":"`)
			p.forever("s")
		}},
		{Name: "nats-info-no-json", Level: NATS, serve: func(p *peer) { _ = p.say("INFO what\r\n") }},
		{Name: "nats-info-escapes", Level: NATS, serve: func(p *peer) {
			_ = p.say(`INFO {"server_id":"`, Escapes, `","server_name":"\u001b[31m","version":"\u001b[31m"}`, "\r\nPONG\r\n")
			p.silence()
		}},
		{Name: "nats-error-escapes", Level: NATS, serve: func(p *peer) { _ = p.say(info, "-ERR '", Escapes, "'\r\n") }},
		{Name: "nats-tls-required", Level: NATS, serve: func(p *peer) {
			_ = p.say(`INFO {"server_id":"H","tls_required":true}`, "\r\n")
			p.silence()
		}},
		begun("silent", func(*peer) {}),
		acknowledges(begun("pongs", func(p *peer) { p.forever("PONG\r\n") })),
		begun("pings", func(p *peer) { p.forever("PING\r\n") }),
		begun("oks-then-none", func(p *peer) { _ = p.times(1000, "+OK\r\n") }),
		sends("message-huge", "MSG a 1 9223372036854775800\r\nabc"),
		sends("message-2-tib", "MSG a 1 2199023255552\r\nabc"),
		sends("message-negative", "MSG a 1 -1\r\nabc\r\n"),
		sends("headers-longer", "HMSG a 1 100 10\r\nNATS/1.0\r\n\r\n\r\n"),
		sends("headers-huge", "HMSG a 1 9223372036854775800 9223372036854775801\r\nNATS/1.0\r\n"),
		begun("line-without-end", func(p *peer) {
			_ = p.say("MSG ")
			p.forever("a")
		}),
		begun("info-flood", func(p *peer) { p.forever(info) }),
		begun("error-flood", func(p *peer) { p.forever("-ERR 'what'\r\n") }),
		begun("unasked", func(p *peer) { p.forever("MSG _INBOX.a 1 5\r\nhello\r\n") }),
	}
}

// acknowledges says that what a mode sends may be taken for what was waited for.
func acknowledges(m Mode) Mode {
	m.Answers = true
	return m
}

// kafkaModes lie in the length that stands before each answer, and in it.
func kafkaModes() []Mode {
	// asked calls answer with the number of each request.
	asked := func(name string, answer func(p *peer, correlation string) bool) Mode {
		return Mode{Name: "kafka-" + name, Level: Kafka, serve: func(p *peer) {
			for {
				var head [12]byte // length, key, version, correlation
				if _, err := io.ReadFull(p.in, head[:]); err != nil {
					return
				}
				if rest := int(binary.BigEndian.Uint32(head[:4])) - 8; rest > 0 {
					if _, err := p.in.Discard(rest); err != nil {
						return
					}
				}
				if !answer(p, string(head[8:])) {
					return
				}
			}
		}}
	}
	says := func(name, before, behind string) Mode {
		return asked(name, func(p *peer, correlation string) bool { return p.say(before, correlation, behind) })
	}
	return []Mode{
		says("length-2-gib", "\x7f\xff\xff\xff", "abc"),
		says("length-90-mib", "\x05\xa0\x00\x00", "abc"),
		says("length-negative", "\xff\xff\xff\xff", "abc"),
		says("length-zero", "\x00\x00\x00\x00", ""),
		says("length-three", "\x00\x00\x00\x03", ""),
		says("array-huge", "\x00\x00\x00\x0a", "\x00\x00\x7f\xff\xff\xff"),
		says("array-varint-huge", "\x00\x00\x00\x0b", "\x00\x00\xff\xff\xff\xff\x0f"),
		asked("correlation-wrong", func(p *peer, _ string) bool {
			return p.say("\x00\x00\x00\x0a", "\x7f\x00\x00\x01", "\x00\x00\x00\x00\x00\x00")
		}),
		asked("answer-without-end", func(p *peer, correlation string) bool {
			if p.say("\x05\xa0\x00\x00", correlation) {
				p.forever("a")
			}
			return false
		}),
		asked("silent", func(*peer, string) bool { return true }),
	}
}

// sshModes lie before and behind the version that SSH begins with.
func sshModes() []Mode {
	const version = "SSH-2.0-OpenSSH_9.2\r\n"
	begun := func(name string, serve func(*peer)) Mode {
		return Mode{Name: "ssh-" + name, Level: SSH, serve: func(p *peer) {
			if p.say(version) {
				serve(p)
				p.silence()
			}
		}}
	}
	return []Mode{
		{Name: "ssh-banner-without-end", Level: SSH, serve: func(p *peer) { p.forever("no version yet\r\n") }},
		{Name: "ssh-version-without-end", Level: SSH, serve: func(p *peer) {
			_ = p.say("SSH-2.0-")
			p.forever("v")
		}},
		{Name: "ssh-version-escapes", Level: SSH, serve: func(p *peer) { _ = p.say("SSH-1.0-", Escapes, "\r\n") }},
		begun("silent", func(*peer) {}),
		begun("packet-huge", func(p *peer) { _ = p.say("\xff\xff\xff\xff\x04") }),
		begun("packet-zero", func(p *peer) { _ = p.say("\x00\x00\x00\x00\x00") }),
		begun("ignore-flood", func(p *peer) { p.forever("\x00\x00\x00\x0c\x06\x02\x00\x00\x00\x00______") }),
		begun("disconnect-escapes", func(p *peer) {
			text := "\x01\x00\x00\x00\x02\x00\x00\x00\x20" + (Escapes + strings.Repeat("x", 40))[:32] + "\x00\x00\x00\x00"
			pad := 8 - (5+len(text))%8 + 8
			_ = p.say("\x00\x00\x00", string(rune(1+len(text)+pad)), string(rune(pad)), text, strings.Repeat("\x00", pad))
		}),
	}
}

// hadoopModes lie in the lengths of Hadoop's RPC.
func hadoopModes() []Mode {
	asked := func(name string, answer func(*peer)) Mode {
		return Mode{Name: "hadoop-" + name, Level: Hadoop, serve: func(p *peer) {
			var begin [7]byte // "hrpc", version, class, protocol
			if _, err := io.ReadFull(p.in, begin[:]); err == nil {
				answer(p)
				p.silence()
			}
		}}
	}
	says := func(name, text string) Mode { return asked(name, func(p *peer) { _ = p.say(text) }) }
	return []Mode{
		says("length-4-gib", "\xff\xff\xff\xffabc"),
		says("length-1-gib", "\x40\x00\x00\x00abc"),
		says("length-zero", "\x00\x00\x00\x00"),
		says("varint-huge", "\x00\x00\x00\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
		says("header-lie", "\x00\x00\x00\x04\xff\xff\xff\x7f"),
		says("error-escapes", hadoopError(Escapes)),
		asked("answer-without-end", func(p *peer) {
			if p.say("\x7f\xff\xff\xff") {
				p.forever("a")
			}
		}),
	}
}

// hadoopError is an answer to the first call, that it failed (RpcHeader.proto).
func hadoopError(text string) string {
	sized := func(text string) string { return string([]byte{byte(len(text))}) + text }
	message := sized("\x08\x00\x10\x01\x18\x09\x22" + sized(text) + "\x2a" + sized(text))
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(message)))) + message
}

// grpcModes lie in the length that stands before each message of gRPC, in an answer of HTTP/2 that is right.
func grpcModes() []Mode {
	asked := func(name, message, trailers string) Mode {
		// With trailers it is a whole answer of HTTP/2, for who looks no further.
		return Mode{Name: "grpc-" + name, Level: GRPC, Answers: trailers != "", serve: func(p *peer) {
			if !p.settles() {
				return
			}
			p.eachStream(func(p *peer, stream uint32) bool {
				head := status200 + "\x0f\x10\x10application/grpc" // content-type, of the static table
				if !p.say(frame(frameHeaders, endHeaders, stream, head)) {
					return false
				}
				if message != "" && !p.say(frame(frameData, 0, stream, message)) {
					return false
				}
				return trailers == "" || p.say(frame(frameHeaders, endHeaders|endStream, stream, trailers))
			})
		}}
	}
	field := func(name, value string) string {
		return "\x00" + string([]byte{byte(len(name))}) + name + string([]byte{byte(len(value))}) + value
	}
	return []Mode{
		asked("message-4-gib", "\x00\xff\xff\xff\xffabc", ""),
		asked("message-1-gib", "\x00\x40\x00\x00\x00abc", ""),
		asked("message-packed-lie", "\x01\x00\x00\x00\x03abc", ""),
		asked("message-no-proto", "\x00\x00\x00\x00\x03\xff\xff\xff", field("grpc-status", "0")),
		asked("status-no-number", "", field("grpc-status", "what")),
		asked("status-escapes", "", field("grpc-status", "7")+field("grpc-message", "%1b[31m%07%9b")),
		asked("unavailable", "", field("grpc-status", "14")+field("grpc-message", "later")),
	}
}
