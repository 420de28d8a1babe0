package glossary

import (
	"regexp"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Word is a word with what it means.
type Word struct {
	Name  string
	Also  []string // other words and titles that this explains
	Means string
}

// Group is words that belong together.
type Group struct {
	Title string
	Words []Word
}

// Groups are all words, in the order in which they are shown.
func Groups() []Group {
	var groups []Group
	var word *Word
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		title, isTitle := strings.CutPrefix(line, "# ")
		last := len(groups) - 1
		switch more := strings.TrimSpace(line); {
		case more == "":
		case isTitle:
			groups = append(groups, Group{Title: title})
		case !strings.HasPrefix(line, " "):
			groups[last].Words = append(groups[last].Words, Word{Name: line})
			word = &groups[last].Words[len(groups[last].Words)-1]
		case !strings.HasPrefix(line, "    "):
			for _, also := range strings.Split(strings.Trim(more, "()"), ";") {
				if also != "" { // the end of a line that goes on
					word.Also = append(word.Also, strings.TrimSpace(also))
				}
			}
		default:
			word.Means = strings.TrimSpace(word.Means + " " + more)
		}
	}
	return groups
}

// Find is the word of that name, or the one that explains it. Capitals do not count, and neither does what a title
// adds: a unit or a width, as in "Times in ms".
func Find(name string) (Word, bool) {
	name = plain(name)
	for _, g := range Groups() {
		for _, w := range g.Words {
			if plain(w.Name) == name || slices.ContainsFunc(w.Also, func(a string) bool { return plain(a) == name }) {
				return w, true
			}
		}
	}
	return Word{}, false
}

// Near is the word that was probably meant, or "".
func Near(name string) string {
	var names []string
	for _, g := range Groups() {
		for _, w := range g.Words {
			names = append(append(names, w.Name), w.Also...)
		}
	}
	return fault.Nearest(plain(name), names)
}

// Names are all words, without those that they explain besides.
func Names() []string {
	var names []string
	for _, g := range Groups() {
		for _, w := range g.Words {
			names = append(names, w.Name)
		}
	}
	return names
}

// plain is a title without what it adds to its words.
func plain(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	for _, added := range []string{`,? in (ns|µs|ms|s|min|mb/s)$`, ` per \S+$`, `: times$`, ` of each operation$`} {
		s = regexp.MustCompile(added).ReplaceAllString(s, "")
	}
	return s
}
