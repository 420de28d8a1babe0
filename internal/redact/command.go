package redact

import (
	"regexp"
	"strings"
)

// What of a command line is shown: a program and where it lies, which tells two versions of it apart, flags without
// their values, and the names of programs' files. Each is a shape that no password has.
var (
	programShape    = regexp.MustCompile(`^[A-Za-z0-9_./+-]+$`)
	assignmentShape = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)
	flagShape       = regexp.MustCompile(`^(--[a-z][a-z-]*|-[A-Za-z])$`)
	flagValueShape  = regexp.MustCompile(`^--[a-z][a-z-]*=`)
	fileShape       = regexp.MustCompile(
		`^[A-Za-z0-9_./-]+\.(py|js|mjs|ts|rb|sh|pl|php|jar|class|java|kts?|exe|rs|go|cs|dll|lua)$`)
	// shellShape is what makes a value go on behind the next blank.
	shellShape = regexp.MustCompile("['\"\\\\$`(){}]")
)

// Command returns a command line as it may be shown and stored. Every value is hidden, since a word of a shell does
// not say what it is, and a rule that hides what looks like a secret misses some ("-ppw", "PASS=pw", a cookie, half of
// a quoted one).
func Command(line string) string {
	var shown []string
	show := func(word string) {
		if word == hidden && len(shown) > 0 && strings.HasSuffix(shown[len(shown)-1], hidden) {
			return
		}
		shown = append(shown, word)
	}
	program := false // it was shown, or cannot be told any more
	for _, word := range strings.Fields(line) {
		name, _, _ := strings.Cut(word, "=")
		switch {
		case !program && assignmentShape.MatchString(word):
			show(name + "=" + hidden)
			program = shellShape.MatchString(word)
		case !program && programShape.MatchString(word):
			show(word)
			program = true
		case program && flagShape.MatchString(word), program && fileShape.MatchString(word):
			show(word)
		case program && flagValueShape.MatchString(word):
			show(name + "=" + hidden)
		default:
			show(hidden)
			program = true
		}
	}
	return strings.Join(shown, " ")
}
