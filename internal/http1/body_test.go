package http1

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
)

// TestBodyFraming: by the status, the method and the headers, each at its bounds.
func TestBodyFraming(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for _, c := range []struct {
		method, sent string
		length       int64
		body, failed string
		reusable     bool
	}{
		{"GET", ok + "Content-Length: 3\r\n\r\nabc", 3, "abc", "", true},
		{"GET", ok + "Content-Length: 3\r\n\r\nabcd", 3, "abc", "", false},
		{"GET", ok + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 3, "abc", "", true},
		{"GET", ok + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc", 0, "", "several lengths", false},
		{"GET", ok + "Content-Length: 3\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc", 0, "", "several lengths", false},
		{"GET", ok + "Content-Length: 1a\r\n\r\nabc", 0, "", "Content-Length is not a number", false},
		{"GET", ok + "Content-Length: +3\r\n\r\nabc", 0, "", "Content-Length is not a number", false},
		{"GET", ok + "Content-Length: \r\n\r\nabc", 0, "", "Content-Length is not a number", false},
		{"GET", ok + "Content-Length: 9223372036854775808\r\n\r\n", 0, "", "Content-Length is not a number", false},
		{"HEAD", ok + "Content-Length: 9223372036854775807\r\n\r\n", math.MaxInt64, "", "", true},
		{"GET", ok + "Content-Length: 0\r\n\r\n", 0, "", "", true},
		{"GET", ok + "\r\nabc", -1, "abc", "", false},
		{"GET", ok + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n2;x=y\r\nbc\r\n0\r\n\r\n", -1, "abc", "", true},
		{"GET", ok + "Transfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n3\r\nabc\r\n0\r\n\r\n", -1, "abc", "", true},
		{"GET", ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", -1, "", "other than chunked", false},
		{"GET", ok + "Transfer-Encoding: gzip\r\n\r\n0\r\n\r\n", -1, "", "other than chunked", false},
		{"GET", "HTTP/1.1 203 OK\r\nContent-Length: 1\r\n\r\na", 1, "a", "", true},
		{"GET", "HTTP/1.1 204 OK\r\nContent-Length: 1\r\n\r\n", 1, "", "", true},
		{"GET", "HTTP/1.1 205 OK\r\nContent-Length: 1\r\n\r\na", 1, "a", "", true},
		{"GET", "HTTP/1.1 303 OK\r\nContent-Length: 1\r\n\r\na", 1, "a", "", true},
		{"GET", "HTTP/1.1 304 OK\r\nContent-Length: 1\r\n\r\n", 1, "", "", true},
		{"GET", "HTTP/1.1 305 OK\r\nContent-Length: 1\r\n\r\na", 1, "a", "", true},
		{"GET", "HTTP/1.1 204 OK\r\n\r\n", -1, "", "", true},
		{"GET", "HTTP/1.1 304 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", -1, "", "", true},
		{"HEAD", ok + "Transfer-Encoding: chunked\r\n\r\n", -1, "", "", true},
		{"HEAD", ok + "Connection: close\r\nContent-Length: 7\r\n\r\n", 7, "", "", false},
		{"GET", ok + "Connection: close\r\nContent-Length: 1\r\n\r\na", 1, "a", "", false},
		{"GET", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", 1, "a", "", false},
		{"GET", "HTTP/1.0 200 OK\r\nConnection: x, keep-alive\r\nContent-Length: 1\r\n\r\na", 1, "a", "", true},
		{"GET", ok + "Content-Length: 3\r\n\r\na", 3, "a", "at byte 1 of the body", false},
	} {
		conn := New(&wire{sent: []byte(c.sent), piece: 1000}, DefaultLimits())
		h, err := conn.ReadHead(c.method)
		var body []byte
		if err == nil {
			body, err = io.ReadAll(conn)
		}
		said := ""
		if err != nil {
			said = err.Error()
		}
		if string(body) != c.body || (err != nil) != (c.failed != "") || !strings.Contains(said, c.failed) ||
			h != nil && h.Length != c.length || conn.Reusable() != c.reusable {
			t.Errorf("%s, %q: %+v, %q, %v, reusable %v; want length %d, %q, %s", c.method, c.sent, h, body, err,
				conn.Reusable(), c.length, c.body, c.failed)
		}
	}
}

// failing ends with an error of its own; nil: it gives nothing, and no error.
type failing struct {
	*wire
	err error
}

func (f failing) Read(p []byte) (int, error) {
	if len(f.sent) == 0 {
		return 0, f.err
	}
	return f.wire.Read(p)
}

// TestConnectionErrorsAreReturned are told as they are, in the head as in each kind of body, and so is that nothing comes.
func TestConnectionErrorsAreReturned(t *testing.T) {
	lost := errors.New("lost")
	for _, sent := range []string{
		"", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na", "HTTP/1.1 200 OK\r\n\r\na",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nA: b",
	} {
		for _, failed := range []error{nil, lost} {
			conn := New(failing{&wire{sent: []byte(sent)}, failed}, DefaultLimits())
			_, err := conn.ReadHead("GET")
			if err == nil {
				var body []byte
				if body, err = io.ReadAll(conn); string(body) != "a" {
					t.Errorf("%q: %q", sent, body)
				}
			}
			if want := cmp.Or(failed, io.ErrNoProgress); !errors.Is(err, want) || conn.Reusable() {
				t.Errorf("%q: %v, want %v", sent, err, want)
			}
		}
	}
}

// TestInterimResponsesAreBounded may come before the final one: a hundred.
func TestInterimResponsesAreBounded(t *testing.T) {
	for n, well := range map[int]bool{0: true, 1: true, 100: true, 101: false} {
		sent := strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", n) + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
		conn := New(&wire{sent: []byte(sent), piece: 1000}, DefaultLimits())
		interims, firsts := 0, 0
		conn.Interim = func(status int) error {
			interims++
			if status != 102 {
				t.Errorf("status %d", status)
			}
			return nil
		}
		conn.First = func() { firsts++ }
		h, err := conn.ReadHead("GET")
		if well && (err != nil || h.Status != 200 || interims != n || firsts != n+1) {
			t.Errorf("%d: %v, %v, %d seen, %d first bytes", n, h, err, interims, firsts)
		}
		if !well && (err == nil || !strings.Contains(err.Error(), "more than 100 interim responses") || h != nil) {
			t.Errorf("%d: %v, %v", n, h, err)
		}
	}
}

// TestHeadIsBounded is bounded, with what comes before it, and so is the number of its headers.
func TestHeadIsBounded(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: y\r\n\r\n"
	const interim = "HTTP/1.1 102 P\r\n\r\n"
	for _, c := range []struct {
		sent string
		of   Limits
		want string
	}{
		{head, Limits{Head: len(head), Fields: 2}, ""},
		{head, Limits{Head: len(head) - 1, Fields: 2}, "exceed"},
		{head, Limits{Head: len(head), Fields: 1}, "it has 2 headers; the limit is 1"},
		{"HTTP/1.1 200 OK\r\nA: b\r\n c\r\nD: e\r\n f\r\n\tg\r\nH: i\r\nJ: k\n\n", Limits{Head: 1000, Fields: 1}, "it has 4 headers"},
		{interim + head, Limits{Head: len(interim) + len(head), Fields: 2}, ""},
		{interim + head, Limits{Head: len(interim) + len(head) - 1, Fields: 2}, "exceed"},
	} {
		for _, piece := range []int{1, 1000} {
			conn := New(&wire{sent: []byte(c.sent), piece: piece}, c.of)
			_, err := conn.ReadHead("GET")
			if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q in pieces of %d, %+v: %v, want %s", c.sent, piece, c.of, err, c.want)
			}
		}
	}
}

// TestChunkFraming: what stands around the data is bounded, and must be what the rules say to the last character.
func TestChunkFraming(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	extended := func(n int) string { return "3;" + strings.Repeat("x", n-len("3;\r\n")) + "\r\nabc\r\n0\r\n\r\n" }
	for _, c := range []struct{ sent, body, failed string }{
		{"3\r\nabc\r\n0\r\n\r\n", "abc", ""},
		{"3 \t\r\nabc\r\n0\r\n\r\n", "abc", ""},
		{"03\r\nabc\r\n00\r\n\r\n", "abc", ""},
		{"A\r\n0123456789\r\n0\r\n\r\n", "0123456789", ""},
		{"3\r\nabc\r\n0\r\nX: y\r\n\r\n", "abc", ""},
		{"3\r\nabcd\r\n0\r\n\r\n", "abc", "a chunk is longer than its stated length"},
		{"3\nabc\r\n0\r\n\r\n", "", "the size line of a chunk does not end with CRLF"},
		{"3\r\r\nabc\r\n0\r\n\r\n", "", "the size line of a chunk does not end with CRLF"},
		{"\r\n3\r\nabc\r\n0\r\n\r\n", "", "the length of a chunk is not a hexadecimal number"},
		{"g\r\nabc\r\n0\r\n\r\n", "", "the length of a chunk is not a hexadecimal number"},
		{"3\r\nabc\r\n0\r\n\n", "abc", "the trailers are not terminated correctly"},
		{"3\r\nabc\r\n0\r\nX: y\n\r\n", "abc", "the trailers are not terminated correctly"},
		{"3\r\nabc\r\n0\r\nX: y\r\n\n", "abc", "the trailers are not terminated correctly"},
		{"3\r\nabc\r\n0\r\nno colon\r\n\r\n", "abc", "a header has no name"},
		{extended(4 << 10), "abc", ""},
		{extended(4<<10 + 1), "", "the size line of a chunk is too long"},
		{"3\r\nab", "ab", "at byte 2 of the body"},
		{"3\r\nabc", "abc", "of the headers or trailers"},
	} {
		for _, piece := range []int{1, 10_000, -1} {
			begin := head
			if piece < 0 { // the buffer is large, and all is in it at once
				begin, piece = "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 20_000)+head[len("HTTP/1.1 200 OK"):], 0
			}
			conn := New(&wire{sent: []byte(begin + c.sent), piece: piece}, DefaultLimits())
			if _, err := conn.ReadHead("GET"); err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(conn)
			if string(body) != c.body || (err != nil) != (c.failed != "") || err != nil && !strings.Contains(err.Error(), c.failed) {
				t.Errorf("%.80q in pieces of %d: %q, %v; want %q, %s", c.sent, piece, body, err, c.body, c.failed)
			}
			if conn.Reusable() != (c.failed == "") {
				t.Errorf("%.80q: reusable %v", c.sent, conn.Reusable())
			}
		}
	}
}

// TestChunkOverheadIsBounded is refused above 16 KiB; what is usual around each chunk does not count.
func TestChunkOverheadIsBounded(t *testing.T) {
	for _, c := range []struct {
		chunks, extension int
		well              bool
	}{
		{10_000, 0, true}, {16, 1000, true}, {17, 1000, false},
	} {
		chunk := "1;" + strings.Repeat("x", c.extension) + "\r\na\r\n"
		sent := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat(chunk, c.chunks) + "0\r\n\r\n"
		conn := New(&wire{sent: []byte(sent), piece: 4000}, DefaultLimits())
		if _, err := conn.ReadHead("GET"); err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(conn)
		if well := err == nil && len(body) == c.chunks; well != c.well {
			t.Errorf("%d with %d: %d read, %v", c.chunks, c.extension, len(body), err)
		}
		if !c.well && !strings.Contains(fmt.Sprint(err), "the extensions of the chunks are longer than their data") {
			t.Errorf("%d with %d: %v", c.chunks, c.extension, err)
		}
	}
}
