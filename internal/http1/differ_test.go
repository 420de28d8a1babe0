package http1

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sort"
	"strings"
	"testing"
	"time"
)

// wire is a connection on which a server has sent these bytes, and then closed it. It gives them in pieces.
type wire struct {
	net.Conn
	sent  []byte
	piece int // bytes that a Read gives at most; 0: all
}

func (w *wire) Read(p []byte) (int, error) {
	if len(w.sent) == 0 {
		return 0, io.EOF
	}
	if w.piece > 0 && len(p) > w.piece {
		p = p[:w.piece]
	}
	n := copy(p, w.sent)
	w.sent = w.sent[n:]
	return n, nil
}

// told is what a client makes of one answer.
type told struct {
	status   int
	fields   string // sorted by name, those of one name in their order
	trailers string
	body     string
	headErr  error
	bodyErr  error
}

func (a *told) String() string {
	return fmt.Sprintf("%d, headers %q, body %q, trailers %q, errors %v and %v",
		a.status, a.fields, a.body, a.trailers, a.headErr, a.bodyErr)
}

// ours reads the answers to requests of these methods, until one is the last.
func ours(sent []byte, piece int, methods ...string) (all []told) {
	c := New(&wire{sent: sent, piece: piece}, DefaultLimits())
	for _, method := range methods {
		var a told
		h, err := c.ReadHead(method)
		if err != nil {
			return append(all, told{headErr: err})
		}
		a.status, a.fields = h.Status, sorted(h.Fields)
		body, err := io.ReadAll(struct{ io.Reader }{c})
		a.body, a.bodyErr, a.trailers = string(body), err, sorted(c.Trailers())
		if fields := sorted(h.Fields); fields != a.fields {
			panic("reading the body has changed the head from " + a.fields + " to " + fields)
		}
		all = append(all, a)
		if err != nil || c.spent {
			return all
		}
	}
	return all
}

func sorted(fields []Field) string {
	h := http.Header{}
	for _, f := range fields {
		h.Add(string(f.Name), string(f.Value))
	}
	return sortedHeader(h)
}

func sortedHeader(h http.Header) string {
	var list []string
	for name, values := range h {
		for _, v := range values {
			list = append(list, name+": "+v)
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return name(list[i]) < name(list[j]) })
	return strings.Join(list, "\n")
}

func name(line string) string { n, _, _ := strings.Cut(line, ":"); return n }

// theirs is the same by net/http, as its Transport reads answers.
func theirs(sent []byte, methods ...string) (all []told) {
	r := bufio.NewReader(bytes.NewReader(sent))
	for _, method := range methods {
		response, err := http.ReadResponse(r, &http.Request{Method: method})
		for err == nil && response.StatusCode/100 == 1 {
			response, err = http.ReadResponse(r, &http.Request{Method: method})
		}
		if err != nil {
			return append(all, told{headErr: err})
		}
		a := told{status: response.StatusCode}
		for _, name := range []string{"Transfer-Encoding", "Trailer"} { // which it takes out
			response.Header.Del(name)
		}
		a.fields = sortedHeader(response.Header)
		body, err := io.ReadAll(response.Body)
		a.body, a.bodyErr, a.trailers = string(body), err, sortedHeader(response.Trailer)
		all = append(all, a)
		if err != nil || response.Close {
			return all
		}
	}
	return all
}

// without takes out of headers those that net/http takes out, or that differ by their spelling alone.
func without(fields string) string {
	var list []string
	for line := range strings.SplitSeq(fields, "\n") {
		switch name(line) {
		case "Transfer-Encoding", "Trailer", "Content-Length", "Connection", "Pragma", "Cache-Control":
		default:
			list = append(list, strings.TrimRight(line, " ")) // net/http leaves a space behind folded lines
		}
	}
	return strings.Join(list, "\n")
}

// stricter reports whether the rule is one that net/http does not keep, in general or for these bytes.
func stricter(err error, sent []byte) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Rule {
	case BadVersion, HeadTooLong, TooManyHeaders, TooManyInterims, UnaskedSwitching:
		return true
	case BadStatusLine: // several spaces, signs, 099
		return true
	case BadChunk: // the first empty line of the trailers, where it looks for one with a CR
		return strings.Contains(e.Why, "trailers")
	case BadHeader: // "Name : value" and "Na me: value", which it takes for a header of another name
		name, _, _ := strings.Cut(e.Sent, ":")
		return strings.Contains(name, " ") || len(e.Sent) > 60
	}
	return false
}

func differ(t *testing.T, sent []byte, piece int) {
	t.Helper()
	methods := []string{"GET", "HEAD", "POST"}
	got, want := ours(sent, piece, methods...), theirs(sent, methods...)
	for i := range got {
		if i >= len(want) {
			t.Fatalf("%q: answer %d is %v, where net/http has stopped", sent, i+1, &got[i])
		}
		g, w := &got[i], &want[i]
		switch {
		case g.headErr != nil && w.headErr != nil:
			return
		case g.headErr != nil:
			if !stricter(g.headErr, sent) {
				t.Fatalf("%q: answer %d\n  is %v\nbut %v by net/http", sent, i+1, g, w)
			}
			return
		case w.headErr != nil, g.status != w.status, without(g.fields) != without(w.fields):
			t.Fatalf("%q: answer %d\n  is %v\nbut %v by net/http", sent, i+1, g, w)
		case g.bodyErr != nil && w.bodyErr != nil:
			return
		case g.bodyErr != nil && stricter(g.bodyErr, sent):
			return
		case g.bodyErr != nil || w.bodyErr != nil || g.body != w.body || g.trailers != w.trailers:
			t.Fatalf("%q: answer %d\n  is %v\nbut %v by net/http", sent, i+1, g, w)
		}
	}
	if len(want) > len(got) {
		t.Fatalf("%q: %d answers, but %d by net/http", sent, len(got), len(want))
	}
}

// seeds are answers of all kinds, right and wrong.
var seeds = []string{
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nX: y\r\n\r\nHTTP/1.0 200 OK\r\n\r\nrest",
	"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx",
	"HTTP/1.1 200 OK\nA: b\n c\n\t d\nContent-Length: 2\n\nhi",
	"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n",
	"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nto the end",
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloo\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
	"HTTP/1.1 200 OK\r\nA : b\r\n\r\n", "HTTP/1.1 200 OK\r\n: b\r\n\r\n", "HTTP/1.1 200 OK\r\nA\r\n\r\n", "HTTP/1.1 200 OK\r\n A: b\r\n\r\n",
	"HTTP/1.1 200 OK\r\nA: \x00\r\n\r\n", "HTTP/1.1 200 OK\r\nA: caf\xc3\xa9\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n", "HTTP/2.0 200 OK\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", "HTTP/1.1 200 OK\r\nA: b\r\n", "HTTP/1.1", "", "\r\n\r\n", "SSH-2.0-OpenSSH_9\r\n",
	"HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/1.1 200 OK\r\nConnection: a, Close\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
	"HTTP/1.1 205 Reset Content\r\nContent-Length: 3\r\n\r\nabc", "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551616\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1 \r\nx\r\n0\r\nContent-Length: 5\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
}

func TestAgreesWithNetHTTP(t *testing.T) {
	for _, s := range seeds {
		for _, piece := range []int{0, 1, 7} {
			differ(t, []byte(s), piece)
		}
	}
}

// FuzzAgreesWithNetHTTP: on the same bytes both make the same of answers, whatever pieces they come in. Where they differ, this
// one refuses what net/http takes.
func FuzzAgreesWithNetHTTP(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), 0)
	}
	f.Fuzz(func(t *testing.T, sent []byte, piece int) {
		done := time.AfterFunc(20*time.Second, func() { panic(fmt.Sprintf("it takes too long: %q", sent)) })
		defer done.Stop()
		differ(t, sent, max(0, piece%4096))
	})
}
