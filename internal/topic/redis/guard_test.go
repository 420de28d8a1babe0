package redis

import (
	"strings"
	"testing"
)

// Replies within the limits pass; larger ones are refused.
func TestAnswerLimits(t *testing.T) {
	for _, c := range []struct {
		name, lines string
		follow      int64
		refused     bool
	}{
		{"a status", "+PONG", 0, false},
		{"nothing", "$-1", 0, false},
		{"no list", "*-1", 0, false},
		{"a string", "$5", 7, false},
		{"the longest", "$67108864", 67108866, false},
		{"a longer one", "$67108865", 0, true},
		{"a string of no length", "$x", 0, true},
		{"a list", "*2 $5 $5", 7, false},
		{"two strings that are too long together", "*2 $67108864 $1", 0, true},
		{"two in a map that are too long together", "%1 $67108864 $1", 0, true},
		{"one after the other", "$67108864 $1", 3, false},
		{"one after a list", "*1 $67108864 $67108864", 67108866, false},
		{"one after a map", "%1 +a $67108864 $67108864", 67108866, false},
		{"one after an attribute and what it is about", "|1 +a +b $67108864 $67108864", 67108866, false},
		{"one after an empty list in a list", "*1 *0 $67108864", 67108866, false},
		{"the longest list", "*65536", 0, false},
		{"a longer one", "*65537", 0, true},
		{"a list of no length", "*9999999999999999999", 0, true},
		{"a push", ">99999999", 0, true},
		{"a set", "~99999999", 0, true},
		{"the deepest", strings.Repeat("*1 ", 16) + "+a", 0, false},
		{"a deeper one", strings.Repeat("*1 ", 17), 0, true},
		{"many members", "*17 " + strings.Repeat("*65000 "+strings.Repeat(":1 ", 65000), 17), 0, true},
		{"lists one after the other", strings.Repeat("*1 *1 +a ", 17), 0, false},
	} {
		a := &answer{}
		var follow int64
		var err error
		for _, line := range strings.Fields(c.lines) {
			if follow, err = a.line([]byte(line)); err != nil {
				break
			}
		}
		if (err != nil) != c.refused || err == nil && follow != c.follow {
			t.Errorf("%s: %d bytes follow, %v", c.name, follow, err)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add("*2\n$5\n%1\n+a\n:1\n")
	f.Fuzz(func(t *testing.T, lines string) {
		a := &answer{}
		for line := range strings.Lines(lines) {
			follow, err := a.line([]byte(strings.TrimRight(line, "\r\n")))
			if err != nil {
				return
			}
			if follow < 0 || follow > 64<<20+2 || len(a.lists) > deepest {
				t.Fatalf("%d bytes follow, %d lists", follow, len(a.lists))
			}
		}
	})
}
