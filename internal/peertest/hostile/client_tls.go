package hostile

import (
	"math/rand/v2"
	"strings"
)

// hello is how a client of TLS begins: the head of a record of so many bytes, with the beginning of a greeting in it.
func hello(length int) string {
	return "\x16\x03\x01" + string([]byte{byte(length >> 8), byte(length)}) +
		"\x01\x00\x01\xfc\x03\x03" + strings.Repeat("\x00", 32)
}

// greetings are those who do not come to speak, on a port that speaks TLS, or break off what they speak in. Where it is
// not spoken, they are nonsense.
func greetings() []Client {
	say := func(name string, texts ...string) Client {
		return Client{Name: name, Run: func(a *Attack) {
			for _, text := range texts {
				c := a.dialBare()
				a.say(c, text)
				a.read(c, 1<<10, glance)
			}
		}}
	}
	return []Client{
		{Name: "no greeting", Run: func(a *Attack) {
			for range 20 {
				a.dialBare()
			}
		}},
		{Name: "a greeting by letters", Run: func(a *Attack) {
			for i := range 20 {
				a.say(a.dialBare(), hello(512)[:i+1])
			}
		}},
		{Name: "a greeting that is reset", Run: func(a *Attack) {
			for range 20 {
				c := a.dialBare()
				a.say(c, hello(512))
				reset(c)
			}
		}},
		say("plain words", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", greeting),
		say("records of nothing", strings.Repeat("\x16\x03\x01\x00\x00", 50_000),
			strings.Repeat("\x17\x03\x03\x00\x00", 50_000)),
		say("records too long", "\x16\x03\x01\xff\xff"+strings.Repeat("\x01", 1<<16),
			"\x16\x03\x01\x40\x00\x01\xff\xff\xff"+strings.Repeat("\x00", 1<<16)),
		say("a flood of warnings", strings.Repeat("\x15\x03\x01\x00\x02\x01\x5a", 50_000)),
		say("an old version", "\x16\x03\x00\x00\x2d\x01\x00\x00\x29\x03\x00"+strings.Repeat("\x00", 39),
			"\x80\x2e\x01\x00\x02\x00\x15\x00\x00\x00\x10"+strings.Repeat("\x00", 37)),
		{Name: "nonsense below TLS", Run: func(a *Attack) {
			random := rand.NewChaCha8([32]byte{2})
			part := make([]byte, 4<<10)
			for range 5 {
				if c := a.dial(); c != nil {
					_, _ = random.Read(part)
					a.say(&conn{c.socket, c.socket}, string(part))
					a.say(&conn{c.socket, c.socket}, "\x17\x03\x03\x40\x00"+string(part))
				}
			}
		}},
		{Name: "gone without a word", Run: func(a *Attack) {
			for range 5 {
				c := a.dial()
				a.say(c, a.head("POST")+"Content-Length: 100\r\n\r\nx")
				if c != nil {
					_ = c.socket.CloseWrite()
				}
			}
		}},
	}
}
