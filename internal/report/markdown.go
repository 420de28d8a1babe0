package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Markdown writes the report as a section of a Markdown document (level 2, with parts of
// level 3), in the tables of GitHub's dialect.
func Markdown(w io.Writer, run *rundoc.Run, kind Kind, opt Options) error {
	opt.allFree = true
	return pageOf(run, kind, opt).Markdown(w, opt)
}

// Markdown writes the report as a section of a Markdown document, as that of a run.
func (p Page) Markdown(w io.Writer, opt Options) error {
	part, err := p.part(opt.Section)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	if part.answer {
		fmt.Fprintf(b, "## %s\n\n%s\n\n", escape(p.Title), escape(p.Subtitle()))
		markdownFact(b, p.Before)
		if p.Folded != "" {
			markdownLead(b, p)
		}
		for _, f := range p.Answer() {
			markdownFact(b, f)
		}
	}
	folded := p.Folded != "" && opt.Section == ""
	if folded {
		fmt.Fprintf(b, "\n<details>\n<summary>%s</summary>\n", escape(p.Folded))
	}
	for _, s := range part.sections {
		markdownSection(b, s)
	}
	if folded {
		b.WriteString("\n</details>\n")
	}
	return b.Flush() // the first error of all the writes
}

// markdownLead is the table before the answer, between empty lines.
func markdownLead(b *bufio.Writer, p Page) {
	if t := p.Lead(maxLead); !t.Empty() {
		b.WriteString("\n")
		markdownTable(b, &t)
		b.WriteString("\n")
	}
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
