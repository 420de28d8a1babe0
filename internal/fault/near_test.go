package fault_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/fault/faulttest"
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

// How many errors a word may have grows with its length: one up to three letters, two from there on, a third of long
// words, and never more than four.
func TestHowNearIsNear(t *testing.T) {
	const name = "abcdefghijklmnopqrstuvwxyz"
	for _, c := range []struct{ length, errors int }{
		{1, 1}, {2, 1}, {3, 1}, {4, 2}, {8, 2}, {9, 3}, {11, 3}, {12, 4}, {14, 4}, {15, 4}, {26, 4},
	} {
		for errors := 1; errors <= min(5, c.length); errors++ {
			// Other letters stand in front, so that the word is the beginning of nothing.
			word := strings.Repeat("0", errors) + name[errors:c.length]
			want := ""
			if errors <= c.errors {
				want = name[:c.length]
			}
			if got := fault.Nearest(word, []string{name[:c.length]}); got != want {
				t.Errorf("%s: %q, want %q", word, got, want)
			}
		}
	}
	if got := fault.Nearest("rat", []string{"cat", "rate", "bat"}); got != "cat" {
		t.Errorf("of equally near ones %s is the first", got)
	}
	if got := fault.Nearest("warmu", []string{"rate", "Warmup-Clients", "warmup-time"}); got != "Warmup-Clients" {
		t.Errorf("%q begins with the word", got)
	}
}

// Each word with one error leads back to its name, or to one that is as near.
func TestNearestFindsOneError(t *testing.T) {
	names := []string{"clients", "rate", "ca", "think-time", "tls", "http2", "x", "S3/PutObject", "20261121T204700.123Z-1f3a"}
	for _, name := range names {
		for _, word := range faulttest.OneError(name) {
			got := fault.Nearest(word, names)
			if word == "" {
				continue
			}
			if got == "" || fault.EditDistance(word, got) > 1 {
				t.Errorf("Nearest(%q) = %q, want %q or one as near", word, got, name)
			}
		}
	}
}
