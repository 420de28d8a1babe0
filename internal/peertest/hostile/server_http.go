package hostile

import (
	"compress/gzip"
	"encoding/binary"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
	"sync"
)

// answering serves each request of a connection with the same answer.
func answering(parts ...string) func(*peer) {
	answer := strings.Join(parts, "")
	return func(p *peer) {
		for p.head() != "" {
			if !p.say(answer) {
				return
			}
		}
	}
}

// beginning answers the first request with what begins an answer, and then with what has no end.
func beginning(head, without string) func(*peer) {
	return func(p *peer) {
		if p.head() != "" && p.say(head) {
			p.forever(without)
		}
	}
}

// ending answers the first request, and closes the connection.
func ending(parts ...string) func(*peer) {
	answer := strings.Join(parts, "")
	return func(p *peer) {
		if p.head() != "" {
			_ = p.say(answer)
		}
	}
}

const (
	ok      = "HTTP/1.1 200 OK\r\n"
	chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
)

// http is a mode that is no answer.
func http(name string, serve func(*peer)) Mode {
	return Mode{Name: "http-" + name, Level: HTTP, serve: serve}
}

// may is a mode that may be taken for an answer.
func may(name string, serve func(*peer)) Mode {
	return Mode{Name: "http-" + name, Level: HTTP, Answers: true, serve: serve}
}

// lengthModes lie about where the body of an answer ends.
func lengthModes() []Mode {
	return []Mode{
		http("length-too-long", ending(ok, "Content-Length: 100\r\n\r\nshort")),
		may("length-too-short", answering(ok, "Content-Length: 2\r\n\r\nlonger than it says")),
		http("length-negative", answering(ok, "Content-Length: -5\r\n\r\nabcde")),
		http("length-huge", func(p *peer) {
			if p.head() != "" && p.say(ok, "Content-Length: 9223372036854775807\r\n\r\nabc") {
				p.silence()
			}
		}),
		http("length-overflow", answering(ok, "Content-Length: 99999999999999999999999\r\n\r\nabc")),
		http("length-no-number", answering(ok, "Content-Length: 0x10\r\n\r\n0123456789abcdef")),
		http("lengths-two", answering(ok, "Content-Length: 2\r\nContent-Length: 5\r\n\r\nabcde")),
		may("length-and-chunked", answering(ok, "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
			"2\r\nok\r\n0\r\n\r\n")),
	}
}

// chunkModes lie in the pieces that an answer comes in, and behind them.
func chunkModes() []Mode {
	return []Mode{
		http("chunk-no-number", answering(chunked, "zz\r\nabc\r\n0\r\n\r\n")),
		http("chunk-huge", func(p *peer) {
			if p.head() != "" && p.say(chunked, "7fffffffffffffff\r\nabc") {
				p.silence()
			}
		}),
		http("chunk-overflow", answering(chunked, "fffffffffffffffff\r\nabc\r\n0\r\n\r\n")),
		http("chunk-negative", answering(chunked, "-1\r\nabc\r\n0\r\n\r\n")),
		http("chunk-longer-than-said", answering(chunked, "2\r\nabcdef\r\n0\r\n\r\n")),
		http("chunk-extension-without-end", beginning(chunked+"1;x=", "y")),
		http("chunks-cut", ending(chunked, "5\r\nabcde\r\n")),
		http("chunks-without-end", beginning(chunked, "1\r\nx\r\n")),
		http("chunks-large-without-end", beginning(chunked, "4000\r\n"+strings.Repeat("x", 0x4000)+"\r\n")),
		http("chunked-unknown-coding", answering(ok, "Transfer-Encoding: gzip, hostile\r\n\r\nabc")),
		http("trailers-without-end", beginning(chunked+"2\r\nok\r\n0\r\n", "X-Trailer: "+strings.Repeat("t", 100)+"\r\n")),
		may("trailer-secret", answering(ok, "Trailer: Content-Length\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n",
			"Content-Length: 77\r\nTransfer-Encoding: chunked\r\nSet-Cookie: a=b\r\n\r\n")),
	}
}

// headModes lie in what stands before the body of an answer.
func headModes() []Mode {
	return []Mode{
		http("headers-without-end", beginning(ok, "X-Header: "+strings.Repeat("h", 100)+"\r\n")),
		http("header-line-without-end", beginning(ok+"X: ", "v")),
		http("header-without-colon", answering(ok, "this is no header\r\n\r\nabc")),
		http("header-nul", answering(ok, "X-N\x00ul: a\x00b\r\nContent-Length: 2\r\n\r\nok")),
		may("header-bare-newlines", answering("HTTP/1.1 200 OK\nContent-Length: 2\n\nok")),
		http("status-line-megabyte", answering("HTTP/1.1 200 ", strings.Repeat("s", 1<<20),
			"\r\nContent-Length: 2\r\n\r\nok")),
		http("status-no-number", answering("HTTP/1.1 abc OK\r\nContent-Length: 2\r\n\r\nok")),
		http("status-999", answering("HTTP/1.1 999 What\r\nContent-Length: 2\r\n\r\nok")),
		http("status-negative", answering("HTTP/1.1 -20 What\r\nContent-Length: 2\r\n\r\nok")),
		http("version-9", answering("HTTP/9.9 200 OK\r\nContent-Length: 2\r\n\r\nok")),
		may("version-0.9", ending("<html>what HTTP was in 1991</html>")),
	}
}

// timeModes answer when nobody asked, several times, or not to the end.
func timeModes() []Mode {
	return []Mode{
		http("1xx-without-end", beginning("", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")),
		may("1xx-many", answering(strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 3), ok, "Content-Length: 2\r\n\r\nok")),
		http("101-unasked", answering("HTTP/1.1 101 Switching Protocols\r\nUpgrade: hostile\r\nConnection: Upgrade\r\n\r\n")),
		may("answer-before-request", func(p *peer) {
			if p.say(ok, "Content-Length: 2\r\n\r\nok") {
				answering(ok, "Content-Length: 2\r\n\r\nok")(p)
			}
		}),
		may("two-answers", answering(strings.Repeat(ok+"Content-Length: 2\r\n\r\nok", 2))),
		may("204-with-body", answering("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nabcde")),
		http("reset-in-body", func(p *peer) {
			if p.head() != "" && p.say(ok, "Content-Length: 1000\r\n\r\n", strings.Repeat("b", 500)) {
				p.reset()
			}
		}),
		http("silent-after-head", func(p *peer) {
			if p.head() != "" && p.say(ok, "Content-Length: 1000\r\n\r\n") {
				p.silence()
			}
		}),
		http("slow-body", func(p *peer) {
			if p.head() != "" && p.say(ok, "Content-Length: 1000\r\n\r\n") {
				p.slowly(strings.Repeat("b", 1000)) // 20 s: whoever sees that it goes on may wait
			}
		}),
	}
}

// bodyModes lie in what an answer of HTTP/1.1 holds.
func bodyModes() []Mode {
	return []Mode{
		{Name: "http-body-without-end", Level: HTTP, serve: beginning(ok+"Content-Type: application/json\r\n\r\n", "x")},
		{Name: "http-json-without-end", Level: HTTP, serve: beginning(ok+"Content-Type: application/json\r\n\r\n[", "[")},
		{Name: "http-json-list-without-end", Level: HTTP,
			serve: beginning(ok+"Content-Type: application/json\r\n\r\n{\"items\":[", `{"name":"a"},`)},
		{Name: "http-xml-without-end", Level: HTTP,
			serve: beginning(ok+"Content-Type: application/xml\r\n\r\n<ListBucketResult>", "<Contents><Key>a</Key></Contents>")},
		{Name: "http-error-without-end", Level: HTTP,
			serve: beginning("HTTP/1.1 500 Internal Server Error\r\nContent-Type: text/plain\r\n\r\n", "no ")},
		may("gzip-bomb", packed("", strings.Repeat("\x00", 1<<10))),
		may("gzip-bomb-json", packed("[", `{"a":1},`)),
		{Name: "http-gzip-without-end", Level: HTTP, serve: func(p *peer) {
			if p.head() != "" && p.say(ok, "Content-Encoding: gzip\r\nContent-Type: application/json\r\n\r\n") {
				z := gzip.NewWriter(p)
				zeros := make([]byte, 1<<20)
				for {
					if _, err := z.Write(zeros); err != nil {
						return
					}
				}
			}
		}},
		may("encoding-lie", answering(ok, "Content-Encoding: gzip\r\n", content("text/plain", "this was never packed"))),
		may("encoding-unknown", answering(ok, "Content-Encoding: hostile, x-", strings.Repeat("e", 1000), "\r\n",
			content("text/plain", "abc"))),
		may("escapes", answering("HTTP/1.1 200 ", Escapes, "\r\nServer: ", Escapes, "\r\nContent-Type: text/plain",
			"\r\nContent-Length: 4\r\n\r\n", "\x1b[5m")),
		{Name: "http-error-escapes", Level: HTTP, serve: answering("HTTP/1.1 400 ", Escapes, "\r\nx-ms-error-code: ", Escapes,
			"\r\nx-amzn-errortype: ", Escapes, "\r\n",
			content("application/xml", "<Error><Code>A&#27;"+Escapes+"</Code><Message>"+Escapes+"</Message></Error>"))},
		{Name: "http-error-json-escapes", Level: HTTP, serve: answering("HTTP/1.1 403 Forbidden\r\n",
			content("application/json", `{"error":"\u001b[31m\u0007`+"\u009b"+`","message":"\u001b[2J","__type":"a\u001b[31m",`+
				`"error_description":"\u001b[31m"}`))},
		may("json-escapes", answering(ok, content("application/json", `{"error":"\u001b[31m","access_token":"\u001b[31m",`+
			`"tool":"\u001b[31m","id":"\u001b[31m","name":"\u001b]0;x\u0007"}`))),
		{Name: "http-reflect", Level: HTTP, serve: reflect},
		{Name: "http-nan", Level: HTTP, Answers: true, serve: answering(ok, content("application/json",
			`{"now_ns":-9223372036854775808,"keys":1e999,"size":"-1","expires_in":-1e400}`))},
	}
}

// content is the rest of an answer that has this text.
func content(kind, text string) string {
	return "Content-Type: " + kind + "\r\nContent-Length: " + strconv.Itoa(len(text)) + "\r\n\r\n" + text
}

// reflect refuses, and gives back all that it was asked with: what of that is secret stays so.
func reflect(p *peer) {
	for {
		head := p.head()
		if head == "" {
			return
		}
		said := strings.ReplaceAll(head, "\r\n", " ")
		if !p.say("HTTP/1.1 400 Bad Request\r\n", content("text/plain", said)) {
			return
		}
	}
}

// packed answers with a text, and then another one again and again: a quarter of a gigabyte, which packed is a quarter
// of a megabyte.
func packed(first, again string) func(*peer) {
	answer := sync.OnceValue(func() string {
		piece, sum := strings.Repeat(again, (1<<20)/len(again)), crc32.NewIEEE()
		_, _ = io.WriteString(sum, first)
		for range 256 {
			_, _ = io.WriteString(sum, piece)
		}
		const head, end = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", "\x03\x00" // RFC 1952, and an empty last block
		b := []byte(head + flushed(first) + strings.Repeat(flushed(piece), 256) + end)
		b = binary.LittleEndian.AppendUint32(b, sum.Sum32())
		b = binary.LittleEndian.AppendUint32(b, uint32(len(first)+256*len(piece)))
		return ok + "Content-Encoding: gzip\r\n" + content("application/json", string(b))
	})
	return func(p *peer) { answering(answer())(p) }
}

// flowModes lead their clients on.
func flowModes() []Mode {
	to := func(name, status, where string) Mode {
		return Mode{Name: "http-" + name, Level: HTTP, Answers: true, serve: func(p *peer) {
			place := strings.NewReplacer("HERE", p.server.Address(), "THERE", p.server.Elsewhere()).Replace(where)
			answering("HTTP/1.1 ", status, " Moved\r\nLocation: ", place, "\r\nContent-Length: 0\r\n\r\n")(p)
		}}
	}
	return []Mode{
		to("redirect-loop", "302", "http://HERE/again"),
		to("redirect-loop-307", "307", "/again"),
		to("redirect-elsewhere", "302", "http://THERE/"),
		to("redirect-elsewhere-307", "307", "http://THERE/"),
		to("redirect-elsewhere-308", "308", "http://localhost.THERE/"),
		to("redirect-to-file", "302", "file:///etc/passwd"),
		to("redirect-to-scheme", "301", "gopher://HERE/x"),
		to("redirect-nowhere", "302", "http://[::1"),
		to("redirect-escapes", "302", "http://HERE/"+Escapes),
		{Name: "http-401-loop", Level: HTTP, serve: answering("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"",
			Escapes, "\"\r\nWWW-Authenticate: Negotiate\r\nContent-Length: 0\r\n\r\n")},
		{Name: "http-407-loop", Level: HTTP, serve: answering("HTTP/1.1 407 Proxy Authentication Required\r\n",
			"Proxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n")},
		{Name: "http-retry-after", Level: HTTP, serve: answering("HTTP/1.1 503 Service Unavailable\r\n",
			"Retry-After: 99999999\r\nContent-Length: 0\r\n\r\n")},
		may("page-loop-topics", answering(ok, content("application/xml",
			"<ListTopicsResponse><ListTopicsResult><NextToken>again</NextToken><Topics/></ListTopicsResult>"+
				"</ListTopicsResponse>"))),
		may("page-loop-objects", answering(ok, content("application/xml", "<ListBucketResult><IsTruncated>true</IsTruncated>"+
			"<NextContinuationToken>again</NextContinuationToken><NextMarker>again</NextMarker></ListBucketResult>"))),
		may("page-loop-uploads", answering(ok, content("application/xml", "<ListMultipartUploadsResult>"+
			"<IsTruncated>true</IsTruncated><NextKeyMarker>again</NextKeyMarker><NextUploadIdMarker>again</NextUploadIdMarker>"+
			"</ListMultipartUploadsResult>"))),
		may("page-loop-blobs", answering(ok, content("application/xml",
			"<EnumerationResults><Blobs/><NextMarker>again</NextMarker></EnumerationResults>"))),
		may("page-loop-json", answering(ok, content("application/json",
			`{"nextPageToken":"again","NextToken":"again","items":[],"prefixes":[]}`))),
	}
}
