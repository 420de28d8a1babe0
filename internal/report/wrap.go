package report

import (
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
)

// wrap breaks text into lines of at most most characters, at spaces, but not between a
// figure and its unit.
func wrap(text string, most int) []string {
	var lines []string
	line := ""
	for _, word := range glue(strings.Fields(text)) {
		switch {
		case line == "":
			line = word
		case units.Width(line)+1+units.Width(word) <= most:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// glue joins units to the figures before them.
func glue(words []string) []string {
	var list []string
	for _, word := range words {
		n := len(list)
		switch strings.TrimRight(word, ".,;:)") {
		case "%", "ns", "µs", "ms", "s":
			if n > 0 && strings.ContainsAny(list[n-1][len(list[n-1])-1:], "0123456789") {
				list[n-1] += " " + word
				continue
			}
		}
		list = append(list, word)
	}
	return list
}
