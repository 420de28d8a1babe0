package http1

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// later gives its parts one after the other; a nil error ends one, any other is what the Read after it gives.
type later struct {
	*wire
	parts []string
	errs  []error
}

func (l *later) Read(p []byte) (int, error) {
	if len(l.sent) == 0 && len(l.errs) > 0 {
		err := l.errs[0]
		l.errs = l.errs[1:]
		if err != nil {
			return 0, err
		}
	}
	if len(l.sent) == 0 && len(l.parts) > 0 {
		l.sent, l.parts = []byte(l.parts[0]), l.parts[1:]
	}
	return l.wire.Read(p)
}

// TestWait waits for an answer that somebody else reads, says whether any of it had come, and can be called again.
func TestWait(t *testing.T) {
	late := errors.New("late")
	const answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	conn := New(&later{&wire{}, []string{answer[:10], answer[10:] + "next"}, []error{late, nil, late, nil}}, DefaultLimits())
	if err := conn.Wait(); err != late || conn.Begun() {
		t.Errorf("nothing came: %v, begun %v", err, conn.Begun())
	}
	for range 2 { // the second time it is there already
		if err := conn.Wait(); err != nil || !conn.Begun() || string(conn.Leftover()) != answer[:10] {
			t.Errorf("a part came: %v, begun %v, %q", err, conn.Begun(), conn.Leftover())
		}
	}
	if _, err := conn.ReadHead("GET"); err != late || !conn.Begun() || conn.Reusable() {
		t.Errorf("the head fails: %v, begun %v", err, conn.Begun())
	}
	conn = New(&later{&wire{}, []string{answer + "next"}, nil}, DefaultLimits())
	if _, err := conn.ReadHead("GET"); err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(conn); string(body) != "ok" || err != nil || string(conn.Leftover()) != "next" || conn.Reusable() {
		t.Errorf("%q, %v, behind it %q", body, err, conn.Leftover())
	}
	if err := conn.Wait(); err != nil || string(conn.Leftover()) != "next" {
		t.Errorf("what came already: %v, %q", err, conn.Leftover())
	}
	one := New(failing{&wire{sent: []byte("H")}, late}, DefaultLimits())
	if _, err := one.ReadHead("GET"); err != late || !one.Begun() {
		t.Errorf("a byte: %v, begun %v", err, one.Begun())
	}
	end := New(&wire{}, DefaultLimits())
	if err := end.Wait(); err != io.EOF || end.Begun() {
		t.Errorf("the end: %v", err)
	}
}

// TestLargeHeads do not change what is read before and behind them, wherever the buffer grows or is taken back.
func TestLargeHeads(t *testing.T) {
	var sent strings.Builder
	sizes := []int{1, 2000, 2047, 2048, 2049, 4000, 4095, 4096, 4097, 8192, 60_000, 5, 40_000, 1}
	for i, n := range sizes {
		fmt.Fprintf(&sent, "HTTP/1.1 200 OK\r\nX: %s\r\nTransfer-Encoding: chunked\r\n\r\n", strings.Repeat(string(rune('a'+i)), n))
		fmt.Fprintf(&sent, "%x\r\n%s\r\n0\r\nT: %s\r\n\r\n", n, strings.Repeat("b", n), strings.Repeat(string(rune('A'+i)), n))
	}
	for _, piece := range []int{0, 1, 1000, 4096, 5000} {
		conn := New(&wire{sent: []byte(sent.String()), piece: piece}, DefaultLimits())
		for i, n := range sizes {
			h, err := conn.ReadHead("GET")
			if err != nil {
				t.Fatalf("in pieces of %d, answer %d: %v", piece, i, err)
			}
			body, err := io.ReadAll(conn)
			x, _ := h.Value("X", 0)
			trailer, found := conn.Trailer("t", 0)
			if err != nil || len(body) != n || strings.Trim(string(body), "b") != "" || string(x) != strings.Repeat(string(rune('a'+i)), n) ||
				string(trailer) != strings.Repeat(string(rune('A'+i)), n) || !found || len(conn.Trailers()) != 1 {
				t.Errorf("in pieces of %d, answer %d: %d bytes, %v, %d of a header, %d of a trailer", piece, i, len(body), err, len(x), len(trailer))
			}
		}
		if !conn.Reusable() {
			t.Errorf("in pieces of %d: something is left", piece)
		}
		if _, err := conn.ReadHead("GET"); err != io.EOF {
			t.Errorf("the end: %v", err)
		}
		if len(conn.buf) != smallBuffer {
			t.Errorf("in pieces of %d: %d bytes are held for an answer that needs few", piece, len(conn.buf))
		}
	}
}
