package fault_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
)

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"client", "clients", 1}, {"rtae", "rate", 2},
		{"kitten", "sitting", 3}} {
		if got := fault.EditDistance(c.a, c.b); got != c.want {
			t.Errorf("EditDistance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
