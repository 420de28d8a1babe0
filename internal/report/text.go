package report

import (
	"bufio"
	"io"
	"slices"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// A report is 80 columns wide unless Options says how wide the terminal is; its first screen has 24 lines.
const (
	screenWidth  = 80
	screenHeight = 24
	narrowest    = 40
	widest       = 200
)

// Text writes the full report as text: the answer first, then the sections.
func Text(w io.Writer, run *rundoc.Run, kind Kind, opt Options) error {
	return pageOf(run, kind, opt).Text(w, opt)
}

// Text writes the full report as text: the answer first, then the sections.
func (p Page) Text(w io.Writer, opt Options) error {
	part, err := p.part(opt.Section)
	if err != nil {
		return err
	}
	t := newPrinter(w, opt)
	var later []string
	switch {
	case part.answer && opt.Section == "":
		later = t.firstScreen(p)
	case part.answer:
		t.wholeAnswer(p)
	}
	for _, s := range part.sections {
		t.section(s)
	}
	if len(later) > 0 {
		t.section(Section{Title: "More notes", Notes: later})
	}
	return t.w.Flush() // the first error of all the writes
}

// PartsText writes facts and sections without a run, below a title if there is one.
func PartsText(w io.Writer, title string, facts []Fact, sections []Section, opt Options) error {
	t := newPrinter(w, opt)
	if title != "" {
		t.lines(0, Wrap(title, t.width)...)
	}
	for _, f := range facts {
		t.fact(f)
	}
	for _, s := range sections {
		t.section(s)
	}
	return t.w.Flush() // the first error of all the writes
}

func (t *printer) titles(p Page) {
	t.lines(0, t.wrapValue(p.Title, t.width)...)
	t.lines(0, t.wrapValue(p.Subtitle(), t.width)...)
	t.lines(0, "")
}

// firstScreen writes the answer. It returns the notes that do not fit into the first screen; they come last.
func (t *printer) firstScreen(p Page) (later []string) {
	t.titles(p)
	facts := p.Answer()
	t.fact(p.Before)
	t.lead(p, facts)
	for _, f := range facts {
		if f.Key == keyNote {
			f, later = t.fit(f, screenHeight-1-t.written)
		}
		t.fact(f)
	}
	t.next(p)
	return later
}

// next writes the next command, if there is one.
func (t *printer) next(p Page) {
	if p.Next != "" {
		t.lines(0, t.command(keyNext, p.Next)...)
	}
}

// wholeAnswer writes the answer with all that it has.
func (t *printer) wholeAnswer(p Page) {
	t.titles(p)
	t.fact(p.Before)
	if tab := p.Lead(maxLead); !tab.Empty() {
		t.apart(p.Before)
		t.table(&tab)
		t.lines(0, "")
	}
	for _, f := range p.Answer() {
		t.fact(f)
	}
	t.next(p)
}

// maxLead is more rows than a table before an answer has.
const maxLead = 1 << 20

// lead writes the table of the first screen, if there is one, as long as leaves room for the facts
// below it, but for their reasons, notes and what is said of a demo.
func (t *printer) lead(p Page, facts []Fact) {
	const least = 5
	used := t.written + 1 // the head
	for _, f := range facts {
		if f.Key == keyNote || f.Key == keyDemo {
			continue
		}
		if f.Key == keyVerdict {
			f.Points = nil
		}
		used += len(t.factLines(f))
	}
	tab := p.Lead(max(least, screenHeight-used))
	if tab.Empty() {
		return
	}
	t.apart(p.Before)
	t.table(&tab)
	if used+tab.Rows() < screenHeight || tab.Rows() <= least {
		t.lines(0, "")
	}
}

// apart is an empty line below a fact, if there is one.
func (t *printer) apart(f Fact) {
	if f.Value != "" {
		t.lines(0, "")
	}
}

// fit keeps the points that fit into so many lines, and says that there are more; those
// wait until after the sections. (The verdict's reasons do not wait: they belong to the
// figures.)
func (t *printer) fit(f Fact, lines int) (_ Fact, later []string) {
	all := f.Points
	for n := len(all); n > 0 && len(t.factLines(f)) > lines; n-- {
		later = all[n-1:]
		f.Points = append(slices.Clone(all[:n-1]),
			units.Count(int64(len(later)), "more note", "more notes")+" at the end of this report")
	}
	return f, later
}

func newPrinter(w io.Writer, opt Options) *printer {
	return &printer{w: bufio.NewWriter(w), width: opt.columns(), colour: opt.Colour, open: opt.Width <= 0}
}
