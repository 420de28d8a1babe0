package cause

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Whatever a server writes becomes one short line that a terminal can be given.
func FuzzLine(f *testing.F) {
	for _, seed := range []string{"", "plain", "two\nlines\tand \x1b[31mred", strings.Repeat("é", 300), "\xff\xfe",
		"a\u202eb\u0085c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		short := Line(text)
		if len(short) > most+len("…") || !utf8.ValidString(short) && utf8.ValidString(text) {
			t.Errorf("%q became %q", text, short)
		}
		for _, r := range short {
			if r != utf8.RuneError && !unicode.IsPrint(r) {
				t.Errorf("%q is in %q", r, short)
			}
		}
	})
}
