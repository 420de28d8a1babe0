package fault_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
)

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"client", "clients", 1}, {"rtae", "rate", 1}, {"kitten", "sitting", 3},
		{"ca", "abc", 3}, {"abcd", "badc", 2}, {"ab", "ba", 1}, {"x", "y", 1}} {
		if got := fault.EditDistance(c.a, c.b); got != c.want {
			t.Errorf("EditDistance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := fault.EditDistance(c.b, c.a); got != c.want {
			t.Errorf("EditDistance(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"clients", "rate", "ca", "think-time", "warmup-clients", "warmup-time"}
	for word, want := range map[string]string{
		"": "", "client": "clients", "CLIENTS": "clients", "rtae": "rate", "c": "ca", "cli": "clients", "thinktime": "think-time",
		"warm": "warmup-clients", "xy": "", "nothing": "", "vus": "",
	} {
		if got := fault.Nearest(word, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
