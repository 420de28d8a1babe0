package http1

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// TestEveryRuleHasAMeaning: each has a name that documents show, and a sentence of its own.
func TestEveryRuleHasAMeaning(t *testing.T) {
	want := []struct {
		rule  Rule
		means string
	}{
		{"bad-status-line", "status line"},
		{"bad-version", "HTTP/1.0"},
		{"bad-header", "token"},
		{"head-too-long", "64 KiB"},
		{"too-many-headers", "1000 headers"},
		{"bad-content-length", "single number"},
		{"bad-transfer-encoding", "chunked"},
		{"bad-chunk", "hexadecimal"},
		{"too-much-around-chunks", "extensions"},
		{"too-many-interim-answers", "At most 100 interim responses"},
		{"unasked-switching-protocols", "101 Switching Protocols"},
	}
	var all []Rule
	for _, w := range want {
		all = append(all, w.rule)
		if got := w.rule.Means(); !strings.Contains(got, w.means) {
			t.Errorf("%s means %q", w.rule, got)
		}
	}
	if !slices.Equal(Rules(), all) || Rule("bad").Means() != "" {
		t.Errorf("%q, want %q", Rules(), all)
	}
}

// TestStatusLines: what one may be, to the last character, and which rule it breaks otherwise.
func TestStatusLines(t *testing.T) {
	for _, c := range []struct {
		line   string
		rule   Rule
		minor  int
		status int
		reason string
	}{
		{"HTTP/1.1 200 OK", "", 1, 200, "OK"}, {"HTTP/1.0 999 ", "", 0, 999, ""}, {"HTTP/1.1 205", "", 1, 205, ""},
		{"HTTP/1.1 204  two  words\t", "", 1, 204, " two  words\t"}, {"HTTP/1.1 870 é", "", 1, 870, "é"},
		{"HTTP/1.1 218 200 OK", "", 1, 218, "200 OK"},
		{"HTTP/1.1 20", BadStatusLine, 0, 0, ""}, {"HTTP/1.1 2000", BadStatusLine, 0, 0, ""}, {"HTTP/1.1 020", BadStatusLine, 0, 0, ""},
		{"HTTP/1.1 /00", BadStatusLine, 0, 0, ""}, {"HTTP/1.1 2:0", BadStatusLine, 0, 0, ""}, {"HTTP/1.1 20:", BadStatusLine, 0, 0, ""},
		{"HTTP/1.1  200", BadStatusLine, 0, 0, ""}, {"HTTP/1.1 200\tOK", BadStatusLine, 0, 0, ""}, {"HTTP/1.1", BadStatusLine, 0, 0, ""},
		{"HTTP 200 is it", BadStatusLine, 0, 0, ""}, {"http/1.1 200 OK", BadStatusLine, 0, 0, ""}, {"", BadStatusLine, 0, 0, ""},
		{"HTTP/1.2 200 OK", BadVersion, 0, 0, ""}, {"HTTP/1./ 200 OK", BadVersion, 0, 0, ""}, {"HTTP/2.0 200 OK", BadVersion, 0, 0, ""},
		{"HTTP/1.1x200 OK", BadVersion, 0, 0, ""}, {"HTTP/1.10 200 OK", BadVersion, 0, 0, ""}, {"HTTP/1x1 200 OK", BadVersion, 0, 0, ""},
	} {
		for _, end := range []string{"\n", "\r\n"} {
			for _, piece := range []int{0, 1} {
				conn := New(&wire{sent: []byte(c.line + end + "Content-Length: 0" + end + end), piece: piece}, DefaultLimits())
				h, err := conn.ReadHead("GET")
				var e *Error
				switch {
				case c.rule == "" && (err != nil || h.Minor != c.minor || h.Status != c.status || string(h.Reason) != c.reason):
					t.Errorf("%q: %+v, %v", c.line, h, err)
				case c.rule != "" && (!errors.As(err, &e) || e.Rule != c.rule || h != nil):
					t.Errorf("%q: %v, %v; want %s", c.line, h, err, c.rule)
				}
			}
		}
	}
}

// TestHeaderLines: what one may be, how one is found, and which one is told to be wrong.
func TestHeaderLines(t *testing.T) {
	for _, c := range []struct{ lines, want, sent string }{
		{"A:b\r\n", `"A" "b"`, ""}, {"A: \t b c \t\r\n", `"A" "b c"`, ""}, {"A:\r\nB: \t\r\n", `"A" "", "B" ""`, ""},
		{"A: b\r\nA: c\r\n", `"A" "b", "A" "c"`, ""}, {"A: b:c\n", `"A" "b:c"`, ""}, {"!~: \x80\xff\t\x20~\r\n", `"!~" "\x80\xff\t ~"`, ""},
		{"A: b\r\n c\r\n\td \t\r\n", `"A" "b c d"`, ""}, {"A:\r\n b\r\n", `"A" "b"`, ""}, {"A: b\r\n \r\nC: d\r\n", `"A" "b ", "C" "d"`, ""},
		{"\tA: b\r\n", "the first header begins with a space", `"\tA: b"`}, {" \r\n", "the first header begins with a space", `" "`},
		{": b\r\n", "a header has no name", `": b"`}, {"Ab\r\n", "a header has no name", `"Ab"`},
		{"A : b\r\n", "a header name contains an invalid character", `"A : b"`},
		{"\x7f: b\r\n", "a header name contains an invalid character", `"\x7f: b"`},
		{"A: \x1f\r\n", "a header value contains a control character", `"A"`},
		{"A: secret\x7f\r\n", "a header value contains a control character", `"A"`},
		{"A: a\x00b\r\n", "a header value contains a control character", `"A"`},
		{"A: b\r\n c\x1fd\r\n", "a header value contains a control character", `"A"`},
		{"A: b\rc\r\n", "a header value contains a control character", `"A"`},
	} {
		conn := New(&wire{sent: []byte("HTTP/1.1 204 N\r\n" + c.lines + "\r\n")}, DefaultLimits())
		h, err := conn.ReadHead("GET")
		var e *Error
		switch {
		case c.sent != "" && (!errors.As(err, &e) || e.Rule != BadHeader || e.Why != c.want || e.Sent != c.sent):
			t.Errorf("%q: %v, want %s: %s", c.lines, err, c.want, c.sent)
		case c.sent == "" && err != nil:
			t.Errorf("%q: %v", c.lines, err)
		case c.sent == "":
			var all []string
			for _, f := range h.Fields {
				all = append(all, fmt.Sprintf("%q %q", f.Name, f.Value))
			}
			if got := strings.Join(all, ", "); got != c.want {
				t.Errorf("%q: %s, want %s", c.lines, got, c.want)
			}
		}
	}
	h := &Head{Fields: []Field{{[]byte("aZ"), []byte("1")}, {[]byte("b"), []byte("2")}, {[]byte("AZ"), []byte("3")}, {[]byte("@"), nil}, {[]byte("["), nil}}}
	for _, c := range []struct {
		name  string
		n     int
		value string
		found bool
	}{
		{"Az", 0, "1", true}, {"az", 1, "3", true}, {"az", 2, "", false}, {"B", 0, "2", true}, {"B", 1, "", false}, {"a", 0, "", false},
		{"`", 0, "", false}, {"{", 0, "", false}, {"@", 0, "", true}, {"[", 0, "", true},
	} {
		if v, found := h.Value(c.name, c.n); string(v) != c.value || found != c.found {
			t.Errorf("%s, %d: %q, %v", c.name, c.n, v, found)
		}
	}
}

// TestKeepAlive: by the version and by what Connection says, wherever.
func TestKeepAlive(t *testing.T) {
	for _, c := range []struct {
		minor  int
		lines  string
		closes bool
	}{
		{1, "", false}, {0, "", true}, {1, "Connection: CLOSE\r\n", true}, {0, "Connection: Keep-Alive\r\n", false},
		{0, "Connection: keep-alive, close\r\n", true}, {1, "Connection: close, keep-alive\r\n", true},
		{0, "Connection: upgrade\r\nConnection: \tkeep-alive ,x\r\n", false}, {1, "Connection: x\r\nConnection: y,\tclose \r\n", true},
		{0, "Connections: keep-alive\r\n", true}, {1, "Connection: closed\r\nX: close\r\n", false}, {1, "Connection:\r\n", false},
	} {
		conn := New(&wire{sent: fmt.Appendf(nil, "HTTP/1.%d 200 OK\r\n%sContent-Length: 0\r\n\r\n", c.minor, c.lines)}, DefaultLimits())
		h, err := conn.ReadHead("GET")
		if err != nil || h.Closes != c.closes || conn.Reusable() == c.closes {
			t.Errorf("HTTP/1.%d, %q: %+v, %v", c.minor, c.lines, h, err)
		}
		if _, err := conn.ReadHead("GET"); err != io.EOF {
			t.Errorf("%q: behind its last answer comes %v", c.lines, err)
		}
	}
}
