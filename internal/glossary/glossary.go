package glossary

import (
	"regexp"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// A Word is an entry of the glossary.
type Word struct {
	Name  string
	Also  []string // other words and titles that the entry explains
	Means string
}

// A Group is a titled list of words.
type Group struct {
	Title string
	Words []Word
}

// Groups returns all words in the order in which they are shown.
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
				if also != "" { // the list continues on the next line
					word.Also = append(word.Also, strings.TrimSpace(also))
				}
			}
		default:
			word.Means = strings.TrimSpace(word.Means + " " + more)
		}
	}
	return groups
}

// Find returns the entry for a word or a section title. It ignores case, and units as in "Times in ms".
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

// Near returns the word that is most similar to name, or "".
func Near(name string) string {
	var names []string
	for _, g := range Groups() {
		for _, w := range g.Words {
			names = append(append(names, w.Name), w.Also...)
		}
	}
	return fault.Nearest(plain(name), names)
}

// Names returns the names of all entries.
func Names() []string {
	var names []string
	for _, g := range Groups() {
		for _, w := range g.Words {
			names = append(names, w.Name)
		}
	}
	return names
}

// plain returns a title in lower case and without its unit.
func plain(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	for _, added := range []string{`,? in (ns|µs|ms|s|min|mb/s)$`, ` per \S+$`, `: times$`, ` of each operation$`} {
		s = regexp.MustCompile(added).ReplaceAllString(s, "")
	}
	return s
}
