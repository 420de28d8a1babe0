package report

import (
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
)

// Wrap breaks text into lines of at most most columns, at spaces, but not between a
// figure and its unit.
func Wrap(text string, most int) []string {
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

// between is what stands between the parts of a value, such as its percentiles.
const between = " · "

// wrapParts breaks a text of parts between those, and within one only where it does not fit into a line.
func wrapParts(text string, most int) []string {
	const tie = "\x1f" // a space at which no line is broken; text of a document has no control characters
	parts := strings.Split(text, between)
	for i := range parts {
		if i < len(parts)-1 {
			parts[i] += strings.TrimRight(between, " ")
		}
		if units.Width(parts[i]) <= most {
			parts[i] = strings.ReplaceAll(parts[i], " ", tie)
		}
	}
	lines := Wrap(strings.Join(parts, " "), most)
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], tie, " ")
	}
	return lines
}

// glue joins units to the figures before them.
func glue(words []string) []string {
	var list []string
	for _, word := range words {
		n := len(list)
		switch strings.TrimRight(word, ".,;:)") {
		case "%", "ns", "µs", "ms", "s":
			if n > 0 && endsWithDigit(list[n-1]) {
				list[n-1] += " " + word
				continue
			}
		}
		list = append(list, word)
	}
	return list
}

// clip is what of a text fits into so many lines; what is left out is an ellipsis. It ends where it may: at the first
// kind of end that leaves anything. A command in it stays whole or goes, and a word that is wider than a line is cut.
func clip(text string, most, lines int, ends ...ending) string {
	words := glue(strings.Fields(text))
	for i, word := range words {
		words[i] = units.Shorten(word, most)
	}
	text = strings.Join(words, " ")
	if len(wrapParts(text, most)) <= lines {
		return text
	}
	last := len(words) - 1
	if i := slices.IndexFunc(words, isPlimsoll); i >= 0 {
		last = min(last, i)
	}
	for _, mayEnd := range ends {
		for n := last; n > 0; n-- {
			if !mayEnd(words, n) {
				continue
			}
			short := shortened(words, n)
			if len(wrapParts(short, most)) <= lines {
				return short
			}
		}
	}
	return units.Shorten(words[0], most)
}

// shortened is a text of the first words of another one.
func shortened(words []string, n int) string {
	text := strings.TrimRight(strings.Join(words[:n], " "), dangling)
	if atPart(words, n) {
		return text + between + "…"
	}
	return text + " …"
}

func isPlimsoll(word string) bool { return strings.Trim(word, `'"(`) == "plimsoll" }

// ending reports whether what is left of a text may end with so many words.
type ending func(words []string, n int) bool

// atPart is between the parts of a text, such as percentiles.
func atPart(words []string, n int) bool { return words[n] == strings.TrimSpace(between) }

// atClause is there, or where else a value has a joint.
func atClause(words []string, n int) bool {
	before := words[n-1]
	return atPart(words, n) || words[n][0] == '(' ||
		strings.ContainsAny(before[len(before)-1:], ",;:") && !endsWithDigit(before)
}

// atWord is between words, but not behind a figure, whose unit comes next.
func atWord(words []string, n int) bool { return !endsWithDigit(words[n-1]) }

// endsWithDigit is of a word as it stands before an ellipsis.
func endsWithDigit(word string) bool {
	word = strings.TrimRight(word, dangling)
	return word != "" && strings.ContainsAny(word[len(word)-1:], "0123456789")
}

// dangling are what a text that was shortened does not end with.
const dangling = " ·:;("

// ofParts reports whether a text has parts, such as percentiles.
func ofParts(text string) bool { return strings.Contains(text, between) }

// withoutBrackets is a text of parts without what stands beside its figures in brackets.
func withoutBrackets(text string) string {
	if !ofParts(text) {
		return text
	}
	for {
		before, rest, opened := strings.Cut(text, " (")
		_, after, closed := strings.Cut(rest, ")")
		if !opened || !closed {
			return text
		}
		text = before + after
	}
}
