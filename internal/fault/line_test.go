package fault_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// What a server sends does not command the terminal.
func TestOneLine(t *testing.T) {
	got := fault.OneLine("a\nb\x1b[31mred\x1b]0;owned\x07 \u202e\u009b é\t…")
	if strings.ContainsAny(got, "\x1b\x07\u202e\u009b\n") || !strings.HasSuffix(got, "é\t…") {
		t.Errorf("%q", got)
	}
}

// Lines are joined, whatever ends them, and those without anything left out.
func TestLinesBecomeOne(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a": "a", "a\nb": "a; b", "a\r\nb\rc\n": "a; b; c", "\n\na\n\n\nb": "a; b", "a\tb": "a\tb",
	} {
		if got := fault.OneLine(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
