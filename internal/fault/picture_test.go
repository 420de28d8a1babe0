package fault_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
)

func TestPictureOf(t *testing.T) {
	for _, c := range []struct {
		text     string
		from, to int
		want     []string
	}{
		{"abc", 1, 2, []string{"abc", " ^"}},
		{"abc", 3, 3, []string{"abc", "   ^"}},
		{"one\ntwo x\nthree", 4, 7, []string{"two x", "^^^"}},
		{"éé\tabc", 5, 8, []string{"éé abc", "   ^^^"}},
		{"a\x1b[2Jbc", 5, 6, []string{"a?[2Jbc", "     ^"}},
		{"a\rb", 2, 3, []string{"a b", "  ^"}},
		{strings.Repeat("x", 100) + "y" + strings.Repeat("z", 100), 100, 101,
			[]string{"…" + strings.Repeat("x", 60) + "y" + strings.Repeat("z", 15) + "…", strings.Repeat(" ", 61) + "^"}},
		{"abc", 2, 1, nil},
		{"abc", 2, 4, nil},
	} {
		err := fmt.Errorf("outer: %w", fault.New(fault.Usage, "inner").Point(c.text, c.from, c.to))
		outer := fault.New(fault.Usage, "%w", err).Hint("x")
		if got := fault.PictureOf(outer); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	if got := fault.PictureOf(fmt.Errorf("other")); got != nil {
		t.Error(got)
	}
}
