package fault_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
)

func TestPictureOf(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
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
		{"abc", 0, 1, []string{"abc", "^"}},
		{"abc", 0, 3, []string{"abc", "^^^"}},
		{"", 0, 0, []string{"", "^"}},
		{"abc\ndef", 1, 6, []string{"abc…", " ^^"}}, // of several lines the first is shown
		{x(60) + "y" + x(15), 60, 61, []string{x(60) + "y" + x(15), strings.Repeat(" ", 60) + "^"}},
		{x(61) + "y" + x(16), 61, 62, []string{"…" + x(60) + "y" + x(15) + "…", strings.Repeat(" ", 61) + "^"}},
		{x(60) + "y", 0, 60, []string{x(60) + "y", strings.Repeat("^", 60)}},
		{x(61) + "y", 0, 61, []string{x(60) + "…", strings.Repeat("^", 60)}},
		{"abc", -1, 1, nil},
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
