package units

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Clean makes text from a document harmless: on one line, without control characters (a
// terminal obeys them), and no longer than a few lines.
func Clean(s string) string {
	const most = 500
	harmful := func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }
	if len(s) <= most && !strings.ContainsFunc(s, harmful) {
		return s
	}
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

// Width is how many columns of a terminal a text takes.
func Width(s string) (n int) {
	for _, r := range s {
		n += columns(r)
	}
	return n
}

// columns is how many a character takes: the letters of East Asia and pictures two, marks above or below others none.
func columns(r rune) int {
	const firstMark = 0x300
	if r < firstMark {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Shorten cuts a text that takes more than most columns.
func Shorten(s string, most int) string {
	if most <= 0 {
		return ""
	}
	if Width(s) <= most {
		return s
	}
	end, room := 0, most-1 // and the ellipsis
	for i, r := range s {
		if room -= columns(r); room < 0 {
			end = i
			break
		}
	}
	return s[:end] + "…"
}

// Capital begins a text with a capital letter.
func Capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// ShellWord is a text as a shell takes it for one word.
func ShellWord(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,+@%=~"
	// At the beginning, and behind : or =, a ~ is somebody's home; and a = at the beginning is a program to zsh.
	home := strings.HasPrefix(s, "~") || strings.Contains(s, ":~") || strings.Contains(s, "=~")
	if s != "" && !home && s[0] != '=' && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// OrNone is harmless text, or "(none)".
func OrNone(s string) string { return cmp.Or(Clean(s), "(none)") }

// FirstOf joins the first of a list, and says how many more there are.
func FirstOf(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
}
