package fault

import (
	"strings"
	"unicode"
)

// OneLine joins the lines of a message, so that a script can rely on one line an error. What a
// terminal would take for a command, and a server may have sent, becomes a question mark.
func OneLine(s string) string {
	line := strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
	return strings.Map(func(r rune) rune {
		if r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, line)
}
