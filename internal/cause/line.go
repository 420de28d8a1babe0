package cause

import (
	"strings"
	"unicode"
)

// most is how many bytes of a text that somebody else wrote stand in a message.
const most = 300

// Line is the beginning of the first line of such a text, without what moves a terminal's cursor.
func Line(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(strings.ToValidUTF8(text, "?")), "\n")
	words := strings.FieldsFunc(first, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	line := strings.Join(words, " ")
	if len(line) > most {
		line = strings.ToValidUTF8(line[:most], "") + "…"
	}
	return line
}
