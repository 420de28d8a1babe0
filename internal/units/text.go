package units

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes text from a document harmless: on one line, without control characters (a
// terminal obeys them), and no longer than a few lines.
func Clean(s string) string {
	const most = 500
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > most {
			b.WriteString("…")
			break
		}
		if !unicode.IsPrint(r) {
			r = '?'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Width is how many columns a text takes.
func Width(s string) int { return utf8.RuneCountInString(s) }

// Shorten cuts a text that takes more than most columns.
func Shorten(s string, most int) string {
	if Width(s) <= most {
		return s
	}
	return fmt.Sprintf("%.*s…", most-1, s)
}

// Capital begins a text with a capital letter.
func Capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// OrNone is harmless text, or "(none)".
func OrNone(s string) string { return cmp.Or(Clean(s), "(none)") }

// FirstOf joins the first of a list, and says how many more there are.
func FirstOf(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
}
