package exec

import (
	"regexp"
	"strings"
)

// hidden stands for what is not shown.
const hidden = "…"

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

// Shown is a command line as it may be shown and kept.
func Shown(line string) string { return redactCommand(line) }

// redactCommand is a command line as it may be shown and kept. Whatever may be a secret, which
// is every value, is hidden: a word of a shell tells nobody what it is, and to hide what looks
// like a secret was tried and found wanting ("-ppw", "PASS=pw", a cookie, half of a quoted one).
func redactCommand(line string) string {
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

// whole reports whether a command line is shown as it is.
func whole(line string) bool { return redactCommand(line) == line }
