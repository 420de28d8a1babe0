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
	quote := ""   // what ends a value that is under way
	for i, word := range words {
		name, value, assigned := cutAssignment(word)
		switch {
		case quote != "":
			words[i] = hidden
			if strings.Contains(word, quote) {
				quote = ""
			}
		case next && strings.HasPrefix(word, "-") && len(word) < 40:
			next = names(word)
		case next:
			words[i] = hidden
			quote = openQuote(word)
			next = isScheme(word) // "Authorization: Bearer VALUE" goes on for a word
		case strings.Contains(word, "://"):
			words[i] = redactAddress(word)
		case assigned && secretWords.MatchString(name):
			words[i] = name + hidden
			quote = openQuote(value)
			next = quote == "" && (value == "" || isScheme(value))
		case word == "-u" || word == "-p" || word == "--user":
			next = true
		default:
			next = names(word)
			words[i] = secretShapes.ReplaceAllStringFunc(word, hideUnlessPath)
		}
	}
	return strings.Join(words, " ")
}

// isScheme reports whether a word stands before credentials in a header.
func isScheme(word string) bool {
	bare := strings.Trim(word, `'"`)
	return strings.EqualFold(bare, "bearer") || strings.EqualFold(bare, "basic")
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

// openQuote is the quote that a value begins with and does not end with, or "".
func openQuote(value string) string {
	for _, q := range []string{`'`, `"`} {
		if strings.HasPrefix(value, q) && strings.Count(value, q)%2 == 1 {
			return q
		}
	}
	return ""
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
