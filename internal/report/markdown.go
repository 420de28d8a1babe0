package report

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

const (
	// MarkdownLines is how many lines of a report in Markdown stand open at most: as many as a comment on a change may
	// have without being in the way.
	MarkdownLines = 40
	// leadLines is how many rows of a table stand open, which leaves the answer room; and openRows, where the table is
	// the answer.
	leadLines = 12
	openRows  = 20
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

// markdownHead is the title, and how it was measured.
func markdownHead(b *bufio.Writer, p Page) {
	fmt.Fprintf(b, "## %s\n\n%s\n\n", escape(p.Title), escape(p.Subtitle()))
}

// markdownShort is the answer with its table, and the sections folded up.
func markdownShort(b *bufio.Writer, p Page, sections []Section) {
	markdownHead(b, p)
	const besides = 7 // the head, the summary of what is folded up, and the empty lines between them
	room := MarkdownLines - besides
	var open string // what stands open besides the facts
	if t := p.Lead(leadLines); !t.Empty() {
		open = drawn(func(b *bufio.Writer) { markdownTable(b, &t) })
	} else if p.Open && len(sections) > 0 && len(sections[0].Tables) > 0 && len(sections[0].Tables[0].rows) <= openRows {
		open = drawn(func(b *bufio.Writer) { markdownTable(b, &sections[0].Tables[0]) })
	}
	if open != "" {
		room -= strings.Count(open, "\n") + 2 // and an empty line on either side
	}
	all := append([]Fact{p.Before}, p.Answer()...)
	facts, cut := factsIn(all, room)
	if p.Folded != "" && open != "" {
		markdownFact(b, facts[0])
		fmt.Fprintf(b, "\n%s\n", open)
		open, facts = "", facts[1:]
	}
	for _, f := range facts {
		markdownFact(b, f)
	}
	if open != "" {
		fmt.Fprintf(b, "\n%s", open)
	}
	if len(sections) == 0 && !cut {
		return
	}
	fmt.Fprintf(b, "\n<details>\n<summary>%s</summary>\n", escape(cmp.Or(p.Folded, "Full report")))
	if cut {
		b.WriteString("\n### Answer\n\n")
		for _, f := range all {
			markdownFact(b, f)
		}
	}
	for _, s := range sections {
		markdownSection(b, s)
	}
	b.WriteString("\n</details>\n")
}

// drawn is what is written by a function.
func drawn(draw func(*bufio.Writer)) string {
	var text bytes.Buffer
	b := bufio.NewWriter(&text)
	draw(b)
	_ = b.Flush() // a Buffer takes all
	return text.String()
}

// factsIn are facts that have room in so many lines, and whether that left out any of their points.
func factsIn(all []Fact, room int) (facts []Fact, cut bool) {
	most := 0
	for _, f := range all {
		most = max(most, len(f.Points))
	}
	for ; most >= 0; most-- {
		facts, cut = nil, false
		lines := 0
		for _, f := range all {
			if len(f.Points) > most {
				cut = true
				kept := append([]string{}, f.Points[:most]...)
				f.Points = append(kept, fmt.Sprintf("and %d more, below", len(f.Points)-most))
			}
			if facts = append(facts, f); f.Value != "" || len(f.Points) > 0 {
				lines += 1 + len(f.Points)
			}
		}
		if lines <= room {
			break
		}
	}
	return facts, cut
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

// markdownTable is a table in GitHub's dialect.
func markdownTable(b *bufio.Writer, t *Table) {
	heads := make([]string, len(t.columns))
	rules := make([]string, len(t.columns))
	for i, c := range t.columns {
		heads[i] = c.text
		rules[i] = "---"
		if c.align == right {
			rules[i] = "---:"
		}
	}
	for _, row := range append([][]string{heads, rules}, t.rows...) {
		b.WriteString("|")
		for i, cell := range row {
			if t.columns[i].align == bars {
				continue
			}
			fmt.Fprintf(b, " %s |", escape(cell))
		}
		b.WriteString("\n")
	}
}

// groupedTable is a table in the layout of the SDK's own benchmarks: columns padded, groups bold.
func groupedTable(b *bufio.Writer, t *Table) {
	rows := [][]string{make([]string, len(t.columns)), make([]string, len(t.columns))}
	for i, c := range t.columns {
		rows[0][i], rows[1][i] = escape(c.text), "---:"
		if c.align == left {
			rows[1][i] = ":---"
		}
	}
	if len(t.columns) > 1 && t.columns[1].align == blank {
		rows[0][0] = "" // the second head says what the table is of
	}
	for _, row := range t.rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = escape(strings.TrimPrefix(cell, " "))
		}
		switch {
		case strings.HasPrefix(row[0], " "):
			cells[0] = "  —" + cells[0]
		case row[0] != "":
			cells[0] = "**" + cells[0] + "**"
		}
		rows = append(rows, cells)
	}
	widths := make([]int, len(t.columns))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], units.Width(cell))
		}
	}
	for _, row := range rows {
		b.WriteString("|")
		for i, cell := range row {
			a := right
			if t.columns[i].align == left {
				a = left
			}
			fmt.Fprintf(b, " %s |", pad(cell, widths[i], a))
		}
		b.WriteString("\n")
	}
}

// escape keeps text from being read as markup.
func escape(s string) string {
	return escaper.Replace(s)
}

var escaper = strings.NewReplacer("\\", "\\\\", "|", "\\|", "<", "&lt;", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[")
