package hostile

import (
	"bytes"
	"math/rand/v2"
	"strings"
)

// head is a request's line, and the header that each has.
func (a *Attack) head(method string) string {
	return method + " " + a.Path + " HTTP/1.1\r\nHost: localhost\r\n"
}

// get is a request that there is an answer to.
func (a *Attack) get() string { return a.head("GET") + "\r\n" }

// slow are those who do not go on.
func slow() []Client {
	return []Client{
		{Name: "says nothing", Run: func(a *Attack) { a.dial() }},
		{Name: "headers by letters", Run: func(a *Attack) {
			for i := range 20 {
				a.say(a.dial(), a.get()[:i+1])
			}
		}},
		{Name: "headers without an end", Run: func(a *Attack) { a.each(a.head("GET"), a.head("POST")) }},
		{Name: "body by letters", Run: func(a *Attack) {
			for range 10 {
				a.say(a.dial(), a.head("POST")+"Content-Length: 100000\r\n\r\nx")
			}
		}},
		{Name: "body in chunks without an end", Run: func(a *Attack) {
			a.say(a.dial(), a.head("POST")+"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n")
		}},
		{Name: "half closed", Run: func(a *Attack) {
			for _, text := range []string{"", "GET / HT", a.get(), a.head("POST") + "Content-Length: 10\r\n\r\nx"} {
				if c := a.dial(); a.say(c, text) {
					_ = c.CloseWrite()
				}
			}
		}},
		{Name: "resets in a request", Run: func(a *Attack) {
			for _, text := range []string{"", "GET / HT", a.head("POST") + "Content-Length: 10\r\n\r\nx"} {
				c := a.dial()
				a.say(c, text)
				reset(c)
			}
		}},
		{Name: "resets in an answer", Run: func(a *Attack) {
			for range 5 {
				c := a.dial()
				a.say(c, "GET "+a.Large+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
				a.read(c, 1, glance)
				reset(c)
			}
		}},
		{Name: "never reads", Run: func(a *Attack) {
			c := a.dial()
			if c != nil {
				_ = c.socket.SetReadBuffer(4 << 10)
			}
			a.flood(c, "GET "+a.Large+" HTTP/1.1\r\nHost: localhost\r\n\r\n", 4<<20)
		}},
		{Name: "pipelined flood", Run: func(a *Attack) {
			c := a.dial()
			a.flood(c, strings.Repeat(a.get(), 100), 1<<20)
			a.read(c, 1<<16, glance)
		}},
		{Name: "expects and says no more", Run: func(a *Attack) {
			a.say(a.dial(), a.head("PUT")+"Expect: 100-continue\r\nContent-Length: 1000000\r\n\r\n")
		}},
		{Name: "connects and closes", Run: func(a *Attack) {
			for range 200 {
				reset(a.dial())
			}
		}},
	}
}

// crowds are those who take all the places that there are.
func crowds() []Client {
	return []Client{
		{Name: "as many headers as there may be", Crowds: true, Run: func(a *Attack) {
			for range a.Many {
				a.say(a.dial(), "GET / HT")
			}
		}},
		{Name: "as many connections as there may be", Crowds: true, Run: func(a *Attack) {
			for range a.Many {
				a.dial()
			}
		}},
	}
}

// lies are requests that contradict themselves, or are none.
func lies() []Client {
	const post = "POST / HTTP/1.1\r\nHost: localhost\r\n"
	const chunked = post + "Transfer-Encoding: chunked\r\n"
	say := func(name string, texts ...string) Client {
		return Client{Name: name, Run: func(a *Attack) { a.each(texts...) }}
	}
	return []Client{
		say("length short", post+"Content-Length: 1\r\n\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		say("length long", post+"Content-Length: 99999999999\r\n\r\nx"),
		say("length beyond", post+"Content-Length: 18446744073709551616\r\n\r\nx",
			post+"Content-Length: 9223372036854775807\r\n\r\nx"),
		say("length negative", post+"Content-Length: -1\r\n\r\nx", post+"Content-Length: +1\r\n\r\nx"),
		say("two lengths", post+"Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx", post+"Content-Length: 1, 2\r\n\r\nxx"),
		say("chunks that lie", chunked+"\r\n5\r\nx\r\n0\r\n\r\n",
			chunked+"\r\n1\r\nxxxxxxxx\r\n0\r\n\r\n", chunked+"\r\nzz\r\n"),
		say("chunks beyond", chunked+"\r\nffffffffffffffff\r\nx", chunked+"\r\n7fffffffffffffff\r\nx",
			chunked+"\r\n10000000000000000\r\nx", chunked+"\r\n-1\r\nx"),
		say("a chunk's endless extension", chunked+"\r\n1;"+strings.Repeat("a", 1<<20)),
		say("endless trailers", chunked+"\r\n0\r\n"+strings.Repeat("A: b\r\n", 100_000)),
		say("two framings", chunked+"Content-Length: 4\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n",
			post+"Transfer-Encoding: xchunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
			post+"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", post+"Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"),
		say("many headers", "GET / HTTP/1.1\r\nHost: localhost\r\n"+strings.Repeat("A: b\r\n", 100_000)+"\r\n"),
		say("a long header", "GET / HTTP/1.1\r\nHost: localhost\r\nA: "+strings.Repeat("a", 1<<20)+"\r\n\r\n"),
		say("folded headers", "GET / HTTP/1.1\r\nHost: localhost\r\nA: b\r\n c\r\n\r\n",
			"GET / HTTP/1.1\r\n Host: x\r\n\r\n"),
		say("control bytes", "GET / HTTP/1.1\r\nHost: localhost\r\nA: \x00\x1b[31m\r\n\r\n",
			"GET /\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
			"GET /\x1b]0;x\x07 HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET / HTTP/1.1\nHost: localhost\n\n"),
		say("unknown methods", "BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n",
			"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n",
			strings.Repeat("A", 1<<16)+" / HTTP/1.1\r\nHost: localhost\r\n\r\n", "PRI / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		say("other versions", "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", "GET /\r\n", "GET / HTTP/1.1\r\n\r\n"),
		say("a greeting of TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"+strings.Repeat("\x00", 512)),
		{Name: "random bytes", Run: func(a *Attack) {
			random := rand.NewChaCha8([32]byte{1})
			for range 20 {
				var text bytes.Buffer
				part := make([]byte, 4<<10)
				_, _ = random.Read(part)
				text.Write(part)
				a.say(a.dial(), text.String())
			}
		}},
	}
}

// targets are requests for what there is not, or for somebody else.
func targets() []Client {
	host := func(names ...string) func(a *Attack) {
		return func(a *Attack) {
			for _, name := range names {
				a.say(a.dial(), "GET "+a.Path+" HTTP/1.1\r\nHost: "+name+"\r\n\r\n")
			}
		}
	}
	return []Client{
		{Name: "another's host", Run: host("evil.com", "localhost.evil.com:80", "evil.com\r\nHost: localhost", "[",
			"a b", strings.Repeat("a.", 40_000)+"com")},
		{Name: "absolute targets", Run: func(a *Attack) {
			a.each("GET http://evil.com/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
				"GET ftp://x/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
				"GET http://"+a.Address+" HTTP/1.1\r\nHost: localhost\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n")
		}},
		{Name: "paths that lead out", Run: func(a *Attack) {
			for _, path := range []string{"/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/..%5c..%5cx",
				"/%zz", "/%00",
				"/run/..%2f..%2fetc%2fpasswd", "/a/./b/../../..", "/" + strings.Repeat("../", 10_000)} {
				a.say(a.dial(), "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
			}
		}},
		{Name: "a huge query", Run: func(a *Attack) {
			a.each("GET /?"+strings.Repeat("a=b&", 10_000)+" HTTP/1.1\r\nHost: localhost\r\n\r\n",
				"GET /?"+strings.Repeat("a", 1<<20)+" HTTP/1.1\r\nHost: localhost\r\n\r\n",
				"GET /?%zz=%&&&=&;; HTTP/1.1\r\nHost: localhost\r\n\r\n")
		}},
		{Name: "a huge body", Run: func(a *Attack) {
			c := a.dial()
			a.say(c, a.head("PUT")+"Content-Length: 1073741824\r\n\r\n")
			a.flood(c, strings.Repeat("x", 64<<10), 32<<20)
		}},
	}
}
