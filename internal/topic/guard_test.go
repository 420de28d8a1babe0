package topic_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// pieces is a connection that gives a text in pieces of a size.
type pieces struct {
	net.Conn
	text string
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	n := copy(b[:min(len(b), p.size)], p.text)
	p.text = p.text[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// follows is a protocol in which +N says that N bytes follow.
func follows(line []byte) (int64, error) {
	if said, is := bytes.CutPrefix(line, []byte("+")); is {
		return topic.Length(said)
	}
	return 0, nil
}

func TestGuardLimitsLengths(t *testing.T) {
	for _, c := range []struct {
		name, text string
		refused    bool
	}{
		{"lines", "abc\r\ndef\nghi", false},
		{"a body that has lines", "+7\r\n+99999\nrest\n", false},
		{"the longest line", strings.Repeat("a", 20) + "\nb\n", false},
		{"a longer line", strings.Repeat("a", 21), true},
		{"a longer line behind a body", "+2\nab" + strings.Repeat("a", 21) + "\n", true},
		{"as much as may follow", "+67108864\nabc", false},
		{"more than may follow", "+67108865\nabc", true},
		{"a length past all numbers", "+99999999999999999\nabc", true},
		{"a negative length", "+-1\n", true},
		{"no length", "+\n", true},
		{"another protocol", "abc\n!" + strings.Repeat("a", 100), false},
		{"another protocol in a body", "+1\n!" + strings.Repeat("a", 100), true},
	} {
		for _, size := range []int{1, 2, 3, 1000} {
			g := &topic.Guard{Conn: &pieces{text: c.text, size: size}, Longest: 20, Line: follows,
				Over: func(first byte) bool { return first == '!' }}
			got, err := io.ReadAll(g)
			var known *topic.Error
			if refused := errors.As(err, &known); refused != c.refused || !refused && string(got) != c.text {
				t.Errorf("%s by %d: %q, %v", c.name, size, got, err)
			}
			if _, again := g.Read(make([]byte, 10)); c.refused && !errors.Is(again, err) {
				t.Errorf("%s by %d: it goes on with %v", c.name, size, again)
			}
		}
	}
}

// However a text comes, it is refused or not, and what is not refused comes as it was.
func FuzzGuard(f *testing.F) {
	f.Add("abc\r\n+3\r\ndef\r\n", 2)
	f.Add("+99999999999\n", 5)
	f.Fuzz(func(t *testing.T, text string, size int) {
		read := func(size int) (string, bool) {
			g := &topic.Guard{Conn: &pieces{text: text, size: size}, Longest: 20, Line: follows}
			got, err := io.ReadAll(g)
			return string(got), err != nil
		}
		got, refused := read(max(1, min(size, 1000)))
		_, again := read(1 << 20)
		if refused != again || !refused && got != text {
			t.Errorf("%q, %v; at once %v", got, refused, again)
		}
	})
}
