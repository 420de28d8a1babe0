package report

import (
	"bufio"
	"io"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The text report is 80 columns wide; its first screen has 24 lines.
const (
	screenWidth  = 80
	screenHeight = 24
	indent       = 2
	keyWidth     = 15 // of the answer's keys
)

// Text writes the report for a terminal or a log: the answer first, then the sections.
func Text(w io.Writer, run *rundoc.Run, kind Kind, opt Options) error {
	t := printer{w: bufio.NewWriter(w), colour: opt.Colour}
	v, shown := show(run, kind, opt)
	t.lines(0, wrap(v.Title(), screenWidth)...)
	t.lines(0, wrap(shown.Subtitle(), screenWidth)...)
	t.lines(0, "")
	var later []string
	answer := shown.Answer()
	t.lead(shown, answer)
	for _, f := range answer {
		if f.Key == keyNote {
			f, later = fit(f, screenHeight-1-t.written)
		}
		t.fact(f)
	}
	for _, s := range shownSections(shown) {
		t.section(s)
	}
	if len(later) > 0 {
		t.section(Section{Title: "More notes", Notes: later})
	}
	return t.w.Flush() // the first error of all the writes
}

// PartsText writes facts and sections without a run, below a title if there is one.
func PartsText(w io.Writer, title string, facts []Fact, sections []Section) error {
	t := printer{w: bufio.NewWriter(w)}
	if title != "" {
		t.lines(0, title)
	}
	for _, f := range facts {
		t.fact(f)
	}
	for _, s := range sections {
		t.section(s)
	}
	return t.w.Flush() // the first error of all the writes
}

// lead writes the table of the first screen, if there is one, as long as leaves room for the facts
// below it, but for their reasons and notes.
func (t *printer) lead(shown Shown, facts []Fact) {
	const least = 5
	used := t.written + 1 // the head
	for _, f := range facts {
		if f.Key == keyNote {
			continue
		}
		if f.Key == keyVerdict {
			f.Points = nil
		}
		used += len(factLines(f))
	}
	tab := shown.Lead(max(least, screenHeight-used))
	if tab.Empty() {
		return
	}
	t.table(&tab)
	if used+tab.Rows() < screenHeight || tab.Rows() <= least {
		t.lines(0, "")
	}
}

// fit keeps the points that fit into so many lines, and says that there are more; those
// wait until after the sections. (The verdict's reasons do not wait: they belong to the
// figures.)
func fit(f Fact, lines int) (_ Fact, later []string) {
	all := f.Points
	for n := len(all); n > 0 && len(factLines(f)) > lines; n-- {
		later = all[n-1:]
		f.Points = append(slices.Clone(all[:n-1]),
			units.Count(int64(len(later)), "more note is", "more notes are")+" at the end of this report")
	}
	return f, later
}

// printer writes lines and counts them.
type printer struct {
	w       *bufio.Writer
	colour  bool
	written int
}

func (t *printer) lines(by int, lines ...string) {
	for _, line := range lines {
		if line != "" {
			_, _ = t.w.WriteString(strings.Repeat(" ", by))
		}
		_, _ = t.w.WriteString(strings.TrimRight(line, " ") + "\n")
		t.written++
	}
}

func (t *printer) strong(s string) string {
	if !t.colour {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}

// fact writes a key, its value beside it, and its points below that.
func (t *printer) fact(f Fact) {
	lines := factLines(f)
	if len(lines) == 0 {
		return
	}
	for i, line := range lines {
		key := ""
		if i == 0 {
			key = f.Key
		}
		if f.Strong && line.value {
			line.text = t.strong(line.text)
		}
		t.lines(0, pad(key, keyWidth, left)+line.text)
	}
}

type factLine struct {
	text  string
	value bool // of the value, not of a point
}

func factLines(f Fact) []factLine {
	const most = screenWidth - keyWidth
	var lines []factLine
	if f.Value != "" {
		for _, line := range wrap(f.Value, most) {
			lines = append(lines, factLine{line, true})
		}
	}
	for _, p := range f.Points {
		for i, line := range wrap(p, most-2) {
			mark := "  "
			if i == 0 {
				mark = "- "
			}
			lines = append(lines, factLine{mark + line, false})
		}
	}
	return lines
}

func (t *printer) section(s Section) {
	t.lines(0, "", t.strong(s.Title))
	for _, p := range s.Intro {
		t.lines(indent, wrap(p, screenWidth-indent)...)
	}
	if s.Drawing != "" {
		t.lines(indent, strings.Split(s.Drawing, "\n")...)
	}
	for _, table := range s.Tables {
		t.table(&table)
	}
	for _, p := range s.Notes {
		t.lines(indent, wrap(p, screenWidth-indent)...)
	}
}

// table writes the columns as wide as their widest cell, two spaces apart. A last column of
// text is wrapped.
func (t *printer) table(tab *Table) {
	tab = tab.withoutBlanks()
	widths := make([]int, len(tab.columns))
	for i, c := range tab.columns {
		widths[i] = units.Width(c.text)
		for _, row := range tab.rows {
			widths[i] = max(widths[i], units.Width(row[i]))
		}
	}
	heads := make([]string, len(tab.columns))
	for i, c := range tab.columns {
		heads[i] = c.text
	}
	if strings.Join(heads, "") != "" {
		t.row(tab.columns, widths, heads)
	}
	for _, row := range tab.rows {
		t.row(tab.columns, widths, row)
	}
}

func (t *printer) row(columns []head, widths []int, cells []string) {
	var b strings.Builder
	used := indent
	for i, cell := range cells {
		if i > 0 {
			b.WriteString("  ")
			used += 2
		}
		if i == len(cells)-1 && columns[i].align == left {
			lines := wrap(cell, max(20, screenWidth-used))
			b.WriteString(lines[0])
			t.lines(indent, b.String())
			t.lines(used, lines[1:]...)
			return
		}
		b.WriteString(pad(cell, widths[i], columns[i].align))
		used += widths[i]
	}
	t.lines(indent, b.String())
}

func pad(s string, most int, a align) string {
	space := strings.Repeat(" ", max(0, most-units.Width(s)))
	if a == right {
		return space + s
	}
	return s + space
}
