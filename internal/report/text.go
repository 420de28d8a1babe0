package report

import (
	"bufio"
	"io"
	"slices"
	"strings"

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
func Text(w io.Writer, run *rundoc.Run, opt Options) error {
	t := printer{w: bufio.NewWriter(w), colour: opt.Colour}
	v := newView(run, opt)
	title, subtitle := v.heading()
	t.lines(0, wrap(title, screenWidth)...)
	t.lines(0, wrap(subtitle, screenWidth)...)
	t.lines(0, "")
	var later []string
	answer := v.answer()
	if v.overhead != nil {
		t.overheadTable(v, answer)
	}
	for _, f := range answer {
		if f.key == "Note" {
			f, later = fit(f, screenHeight-1-t.written)
		}
		t.fact(f)
	}
	for _, s := range v.sections() {
		t.section(s)
	}
	if len(later) > 0 {
		t.section(section{title: "More notes", notes: later})
	}
	return t.w.Flush() // the first error of all the writes
}

// fit keeps the points that fit into so many lines, and says that there are more; those
// wait until after the sections. (The verdict's reasons do not wait: they belong to the
// figures.)
func fit(f fact, lines int) (_ fact, later []string) {
	all := f.points
	for n := len(all); n > 0 && len(factLines(f)) > lines; n-- {
		later = all[n-1:]
		f.points = append(slices.Clone(all[:n-1]),
			some(int64(len(later)), "more note is", "more notes are")+" at the end of this report")
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
func (t *printer) fact(f fact) {
	lines := factLines(f)
	if len(lines) == 0 {
		return
	}
	for i, line := range lines {
		key := ""
		if i == 0 {
			key = f.key
		}
		if f.strong && line.value {
			line.text = t.strong(line.text)
		}
		t.lines(0, pad(key, keyWidth, left)+line.text)
	}
}

type factLine struct {
	text  string
	value bool // of the value, not of a point
}

func factLines(f fact) []factLine {
	const most = screenWidth - keyWidth
	var lines []factLine
	if f.value != "" {
		for _, line := range wrap(f.value, most) {
			lines = append(lines, factLine{line, true})
		}
	}
	for _, p := range f.points {
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

func (t *printer) section(s section) {
	t.lines(0, "", t.strong(s.title))
	for _, p := range s.intro {
		t.lines(indent, wrap(p, screenWidth-indent)...)
	}
	if s.drawing != "" {
		t.lines(indent, strings.Split(s.drawing, "\n")...)
	}
	for _, table := range s.tables {
		t.table(&table)
	}
	for _, p := range s.notes {
		t.lines(indent, wrap(p, screenWidth-indent)...)
	}
}

// table writes the columns as wide as their widest cell, two spaces apart. A last column of
// text is wrapped.
func (t *printer) table(tab *table) {
	tab = tab.withoutBlanks()
	widths := make([]int, len(tab.columns))
	for i, c := range tab.columns {
		widths[i] = width(c.head)
		for _, row := range tab.rows {
			widths[i] = max(widths[i], width(row[i]))
		}
	}
	heads := make([]string, len(tab.columns))
	for i, c := range tab.columns {
		heads[i] = c.head
	}
	if strings.Join(heads, "") != "" {
		t.row(tab.columns, widths, heads)
	}
	for _, row := range tab.rows {
		t.row(tab.columns, widths, row)
	}
}

func (t *printer) row(columns []column, widths []int, cells []string) {
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
	space := strings.Repeat(" ", max(0, most-width(s)))
	if a == right {
		return space + s
	}
	return s + space
}
