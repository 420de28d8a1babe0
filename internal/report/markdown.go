package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/plimsoll/plimsoll/rundoc"
)

// Markdown writes the report as a section of a Markdown document (level 2, with parts of
// level 3), in the tables of GitHub's dialect.
func Markdown(w io.Writer, run *rundoc.Run, kind Kind, opt Options) error {
	opt.allFree = true
	return pageOf(run, kind, opt).Markdown(w, opt)
}

// Markdown writes the report as a section of a Markdown document, as that of a run: short, as suits the comment on a
// change, with all but the answer folded up. The part that opt names stands open.
func (p Page) Markdown(w io.Writer, opt Options) error {
	part, err := p.part(opt.Section)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	switch {
	case opt.Section == "":
		markdownShort(b, p, part.sections)
	case part.answer:
		markdownHead(b, p)
		markdownFact(b, p.Before)
		for _, f := range p.Answer() {
			markdownFact(b, f)
		}
	}
	for _, s := range part.sections {
		if opt.Section != "" {
			markdownSection(b, s)
		}
	}
	return b.Flush() // the first error of all the writes
}

// PartsMarkdown writes facts and sections without a run, below a title if there is one.
func PartsMarkdown(w io.Writer, title string, facts []Fact, sections []Section) error {
	b := bufio.NewWriter(w)
	if title != "" {
		fmt.Fprintf(b, "## %s\n", title)
	}
	for _, f := range facts {
		markdownFact(b, f)
	}
	for _, s := range sections {
		markdownSection(b, s)
	}
	return b.Flush() // the first error of all the writes
}

func markdownFact(b *bufio.Writer, f Fact) {
	if f.Value == "" && len(f.Points) == 0 {
		return
	}
	value := escape(f.Value)
	if f.Strong {
		value = "**" + value + "**"
	}
	if f.Value == "" {
		value = ""
	}
	fmt.Fprintf(b, "- %s\n", strings.TrimSpace(escape(f.Key)+": "+value))
	for _, p := range f.Points {
		fmt.Fprintf(b, "  - %s\n", escape(p))
	}
}

func markdownSection(b *bufio.Writer, s Section) {
	fmt.Fprintf(b, "\n### %s\n", escape(s.Title))
	for _, p := range s.Intro {
		fmt.Fprintf(b, "\n%s\n", escape(p))
	}
	if s.Drawing != "" {
		fmt.Fprintf(b, "\n```text\n%s\n```\n", s.Drawing)
	}
	for _, t := range s.Tables {
		if len(t.rows) == 0 {
			continue
		}
		b.WriteString("\n")
		if t.grouped {
			groupedTable(b, &t)
		} else {
			markdownTable(b, &t)
		}
	}
	for _, p := range s.Notes {
		fmt.Fprintf(b, "\n%s\n", escape(p))
	}
}

// escape keeps text from being read as markup.
func escape(s string) string {
	return escaper.Replace(s)
}

var escaper = strings.NewReplacer("\\", "\\\\", "|", "\\|", "<", "&lt;", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[")
