package cli

import (
	"regexp"
	"strings"

	"github.com/plimsoll/plimsoll/internal/plan"
)

// secretWords are in the names of what must not be shown.
var secretWords = regexp.MustCompile(`(?i)secret|token|passw|pwd|passphrase|credential|auth|bearer|signature|api.?key|access.?key|private.?key|session.?key`)

// secretShapes are values that are secret whatever stands before them: access keys of AWS,
// web tokens, and long words of letters and digits as keys are.
var secretShapes = regexp.MustCompile(`\b(AKIA|ASIA)[A-Z0-9]{12,}|\beyJ[A-Za-z0-9_-]{8,}[A-Za-z0-9_.-]*|[A-Za-z0-9+/_=-]{40,}`)

// hidden stands for a secret.
const hidden = "…"

// redactCommand is a command line as it may be shown and kept: with "…" for what looks like a
// secret. It rather hides too much: the words of a shell may be quoted in many ways.
func redactCommand(line string) string {
	words := strings.Fields(line)
	next := false // the word to come is a value of a secret name
	for i, word := range words {
		name, value, assigned := cutAssignment(word)
		switch {
		case next && strings.HasPrefix(word, "-") && len(word) < 40:
			next = names(word)
		case next:
			// "Authorization: Bearer VALUE" goes on for a word.
			next = strings.EqualFold(strings.Trim(word, `'"`), "bearer") || strings.EqualFold(strings.Trim(word, `'"`), "basic")
			words[i] = hidden
		case strings.Contains(word, "://"):
			words[i] = redactAddress(word)
		case assigned && secretWords.MatchString(name):
			words[i] = name + hidden
			// A value in quotes may go on in the words after it.
			next = openQuote(value) || value == "" || strings.EqualFold(value, "bearer")
		case word == "-u" || word == "-p" || word == "--user":
			next = true
		default:
			next = names(word)
			words[i] = secretShapes.ReplaceAllStringFunc(word, hideUnlessPath)
		}
	}
	return strings.Join(words, " ")
}

// names reports whether a word is a flag, or the header, whose value is a secret.
func names(word string) bool {
	bare := strings.Trim(word, `'"`)
	return secretWords.MatchString(bare) && (strings.HasPrefix(bare, "-") || strings.HasSuffix(bare, ":") || strings.EqualFold(bare, "bearer"))
}

// cutAssignment splits NAME=value, --name=value and name:value.
func cutAssignment(word string) (name, value string, found bool) {
	at := strings.IndexAny(word, "=:")
	if at <= 0 || at == len(word)-1 && word[at] == ':' {
		return "", "", false
	}
	return word[:at+1], word[at+1:], true
}

func openQuote(value string) bool {
	return strings.Count(value, `'`)%2 == 1 || strings.Count(value, `"`)%2 == 1
}

// redactAddress keeps what stands around a URL.
func redactAddress(word string) string {
	bare := strings.TrimLeft(word, `'"`)
	before := word[:len(word)-len(bare)]
	inner := strings.TrimRight(bare, `'";)`)
	after := bare[len(inner):]
	if name, value, found := strings.Cut(inner, "="); found && strings.Contains(value, "://") && !strings.Contains(name, "://") {
		return before + name + "=" + plan.RedactURL(value) + after
	}
	return before + plan.RedactURL(inner) + after
}

// hideUnlessPath keeps the paths of files, which are long, too.
func hideUnlessPath(word string) string {
	if strings.Count(word, "/") >= 2 && strings.HasPrefix(word, "/") {
		return word
	}
	return hidden
}
