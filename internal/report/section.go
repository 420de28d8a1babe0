package report

import (
	"slices"
	"strings"
	"unicode"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The names of the answer, which is the first section.
const (
	sectionAnswer  = "answer"
	sectionVerdict = "verdict"
)

// part is what a report shows of one that has all.
type part struct {
	answer   bool
	sections []Section
}

// SectionNames are the names of the sections that a report of this run has, as Options.Section takes them: each is
// a title in small letters with dashes.
func SectionNames(run *rundoc.Run, kind Kind) []string {
	return pageOf(run, kind, Options{}).SectionNames()
}

// ShownSections are the sections that have something below their titles.
func (p Page) ShownSections() []Section { return shownSections(p) }

// SectionName is the name of a section, as Options.Section takes it.
func SectionName(title string) string { return nameOf(title) }

// SectionNames are the names of the sections that the report has, as Options.Section takes them.
func (p Page) SectionNames() []string { return namesOf(shownSections(p)) }

func namesOf(sections []Section) []string {
	names := []string{sectionAnswer}
	for _, s := range sections {
		if name := nameOf(s.Title); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// nameOf makes a name of a title: letters and digits, and a dash for whatever stands between them.
func nameOf(title string) string {
	title = strings.NewReplacer("'", "", "’", "").Replace(strings.ToLower(title))
	return strings.Join(strings.FieldsFunc(title, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), "-")
}

// part is the part that has this name, or the only one whose name begins with it; "" is all.
func (p Page) part(asked string) (part, error) {
	sections := shownSections(p)
	if asked == "" {
		return part{true, sections}, nil
	}
	names := namesOf(sections)
	found := named(append(slices.Clone(names), sectionVerdict), nameOf(asked))
	switch {
	case len(found) == 0:
		return part{}, unknownSection(names, asked)
	case len(found) > 1:
		return part{}, fault.New(fault.Usage, "--section %q matches several sections: %s", asked,
			strings.Join(found, ", ")).Hint("give more letters of the name")
	case found[0] == sectionAnswer || found[0] == sectionVerdict:
		return part{answer: true}, nil
	}
	return part{sections: slices.DeleteFunc(sections, func(s Section) bool {
		return nameOf(s.Title) != found[0]
	})}, nil
}

// named are the names that are this one, or else begin with it.
func named(names []string, name string) []string {
	switch {
	case name == "":
		return nil
	case slices.Contains(names, name):
		return []string{name}
	}
	return slices.DeleteFunc(names, func(s string) bool { return !strings.HasPrefix(s, name) })
}

func unknownSection(names []string, asked string) error {
	err := fault.New(fault.Usage, "the report has no section %q; it has: %s", asked, strings.Join(names, ", "))
	if near := nearest(names, nameOf(asked)); near != "" {
		return err.Hint("did you mean '%s'?", near)
	}
	return err.Hint("a unique prefix of a name is enough")
}

// nearest is the name that was probably meant, the beginning of which is enough, or "".
func nearest(names []string, name string) string {
	best, near := max(2, len(name)/3)+1, ""
	for _, n := range names {
		if name == "" {
			break
		}
		d := min(fault.EditDistance(name, n), fault.EditDistance(name, n[:min(len(n), len(name))]))
		if strings.Contains(n, name) {
			d = 1
		}
		if d < best {
			best, near = d, n
		}
	}
	return near
}
