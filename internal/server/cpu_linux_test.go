package server

import (
	"strings"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	const after = ") S 1 2 3 4 5 6 7 8 9 10 250 31 0 0"
	for _, name := range []string{"plimsoll", "a b", ") 1 2", "("} {
		user, system, err := parseStat([]byte("42 (" + name + after))
		if err != nil || user != 2500*time.Millisecond || system != 310*time.Millisecond {
			t.Errorf("%q: %v, %v, %v", name, user, system, err)
		}
	}
	for _, bad := range []string{"", "42", "42 (x) S 1 2", strings.Replace("42 (x"+after, "250", "x", 1)} {
		if _, _, err := parseStat([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a process status", bad)
		}
	}
}
