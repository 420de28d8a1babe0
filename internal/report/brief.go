package report

import (
	"io"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Brief writes the answer alone in at most 24 lines. The last two show how to get the full report and what to try next.
// Parts that have no room are left out, the least important first; the verdict, errors and thresholds always stay.
func Brief(w io.Writer, run *rundoc.Run, kind Kind, opt Options) error {
	return pageOf(run, kind, opt).Brief(w, opt)
}

// Brief writes the answer alone, as the function Brief does.
func (p Page) Brief(w io.Writer, opt Options) error {
	b := &brief{printer: newPrinter(w, opt)}
	b.parted, b.open = true, false
	// A hint has no room for a name with quotes.
	if command, whole := strings.CutSuffix(opt.Rest, wholeReport); whole && !strings.Contains(command, "'") {
		b.more = command + " --section " + sectionAnswer
	}
	next := p.Next
	tail := b.tail(opt.Rest, next)
	if len(tail) == len(b.tail(opt.Rest, "")) {
		next = "" // it has no room
	}
	missing := p.Before
	facts := b.prepared(append(p.Answer(), filesFact(opt.Files)))
	head := b.head(p, facts, b.onScreen(tail)+b.height([]Fact{missing}))
	lead := b.lead(p, &facts)

	b.lines(0, head...)
	b.emptyLine()
	b.fact(missing)
	if !lead.Empty() && missing.Value != "" {
		b.emptyLine()
	}
	b.table(&lead)
	if !lead.Empty() {
		b.emptyLine()
	}
	for _, f := range facts {
		b.fact(f)
	}
	if len(tail) > 0 {
		b.emptyLine()
	}
	b.lines(0, tail...)
	return b.w.Flush() // the first error of all the writes
}

// head is the title and the subtitle, and leaves free what neither they nor so many other lines take. They have a line
// each where the facts that no run should lack would have no room.
func (b *brief) head(p Page, facts []Fact, others int) (head []string) {
	const (
		mostLines = 3 // of each
		leastRoom = 8 // whatever the other lines need
	)
	for _, lines := range []int{mostLines, 1} {
		title := p.Title
		if lines == 1 {
			title = titleLine(title, b.width)
		}
		head = append(b.short(title, lines), b.short(p.Subtitle(), lines)...)
		b.free = max(leastRoom, screenHeight-len(head)-others)
		if b.least(facts) <= b.room(p) {
			break
		}
	}
	return head
}

// titleLine is a title in one line. A word is cut, such as the address of what was measured, where else much of the
// line would stay empty.
func titleLine(title string, most int) string {
	const much = 8
	if short := clip(title, most, 1, atWord); most-units.Width(short) < much {
		return short
	}
	return units.Shorten(title, most)
}

// lead is the table before the answer, if there is one. The facts are made to fit: notes go before rows of the table,
// and rows before what else there is.
func (b *brief) lead(shown Shown, facts *[]Fact) Table {
	all := b.leadRows(shown, maxLead)
	if most := b.free - b.tableHeight(&all); !all.Empty() && b.height(*facts) > most {
		*facts = b.fewerNotes(*facts, most)
	}
	*facts = b.fit(*facts, b.room(shown))
	b.free -= b.height(*facts)
	if all.Empty() {
		return all
	}
	tab := b.rowsOf(shown)
	b.free -= b.tableHeight(&tab)
	return tab
}

// room is how many lines the facts may take, below the table if there is one.
func (b *brief) room(shown Shown) int {
	const leastRows = 4
	least := b.leadRows(shown, leastRows)
	if least.Empty() {
		return b.free - 1 - min(1, b.keyed()) // an empty line above the tail, and where they are wide one above them
	}
	return b.free - min(b.tableHeight(&least), b.free/2)
}

// rowsOf is the table with as many rows as there is room for; no table where that is less than two.
func (b *brief) rowsOf(shown Shown) Table {
	for rows := b.free; rows >= 2; rows-- {
		if tab := b.leadRows(shown, rows); b.tableHeight(&tab) <= b.free {
			return tab
		}
	}
	return Table{}
}

// leadRows is the table before the answer, of so many rows. One that is too wide has the columns that fit beside the
// first, and says which others there are: so it has more rows than if it were folded.
func (b *brief) leadRows(shown Shown, rows int) Table {
	tab := shown.Lead(rows)
	if tab.Empty() {
		return tab
	}
	whole := tab.withoutBlanks()
	if _, fits := b.grid(whole); fits {
		return *whole
	}
	parts := b.fold(whole)
	if parts == nil {
		return *whole
	}
	first := parts[0]
	var others []string
	for _, c := range whole.columns[len(first.columns):] {
		if c.text != "" {
			others = append(others, c.text)
		}
	}
	first.below = "not shown: " + strings.Join(others, ", ")
	return first
}

// nextOf returns the command to try after a run, or "". A command that names the last run names this one instead. A
// chart that was just drawn is not suggested.
func nextOf(run *rundoc.Run, kind Kind, opt Options) string {
	const show, beside, last = "plimsoll report ", " --baseline ", "last"
	next := units.Clean(kind.NextCommand(run))
	of, shows := strings.CutPrefix(next, show+last)
	before, compares := strings.CutSuffix(next, beside+last)
	if !shows && !compares {
		return next
	}
	name, kept := strings.CutSuffix(strings.TrimPrefix(opt.Rest, show), wholeReport)
	drawn := slices.ContainsFunc(opt.Files, func(f File) bool { return f.What == ChartFile })
	switch {
	case !kept, drawn && strings.HasPrefix(of, " --chart "):
		return ""
	case compares:
		return before + beside + name
	}
	return show + name + of
}

// wholeReport is the end of the command that shows the full report.
const wholeReport = " --full"

// filesFact names the files that were asked for. The run document is left out.
func filesFact(files []File) Fact {
	var parts []string
	for _, f := range files {
		if f.What != RunDocument {
			parts = append(parts, units.Clean(f.What)+" "+units.Clean(f.Path))
		}
	}
	return Fact{Key: "Files", Value: strings.Join(parts, between)}
}

// A brief prints an answer that must fit into a screen.
type brief struct {
	*printer
	more string // the command that shows the whole answer; "" if unknown
	free int    // unused lines of the screen
}

// emptyLine is one if there is room for it.
func (b *brief) emptyLine() {
	if b.free > 0 {
		b.lines(0, "")
		b.free--
	}
}

// short is the text in at most so many lines.
func (b *brief) short(text string, lines int) []string {
	return wrapParts(clip(text, b.width, lines, atPart, atWord), b.width)
}

// height is how many lines facts take.
func (b *brief) height(facts []Fact) int {
	n := 0
	for _, f := range facts {
		n += len(b.factLines(f))
	}
	return n
}

// tableHeight is how many lines a table takes.
func (b *brief) tableHeight(tab *Table) int {
	t := newPrinter(io.Discard, Options{Width: b.width})
	t.table(tab)
	return t.written
}

// onScreen is how many lines of the terminal these take, where a long word goes on in the next one.
func (b *brief) onScreen(lines []string) int {
	n := 0
	for _, line := range lines {
		n += max(1, (units.Width(line)+b.width-1)/b.width)
	}
	return n
}

// tail returns the last lines: how to get the full report, and the next command.
func (b *brief) tail(rest, next string) []string {
	var lines []string
	switch {
	case strings.HasPrefix(rest, "plimsoll "):
		lines = b.command("Full report", rest)
	case rest != "":
		lines = Wrap(rest, b.prose())
	}
	if next == "" {
		return lines
	}
	// A run of a long name in a narrow terminal leaves no room for the second of two long commands.
	const most = 6
	if all := append(lines, b.command(keyNext, next)...); b.onScreen(all) <= most {
		return all
	}
	return lines
}

// shellWords are the words of a command as a shell parts them, each as it is written.
func shellWords(command string) (words []string) {
	word, quote, escaped := "", rune(0), false
	for _, r := range command + " " {
		switch {
		case escaped:
			escaped = false
		case r == '\\' && quote != '\'':
			escaped = true
		case r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case quote == 0 && r == ' ':
			if word != "" {
				words = append(words, word)
			}
			word = ""
			continue
		}
		word += string(r)
	}
	if word = strings.TrimRight(word, " "); word != "" { // of a quote without an end
		words = append(words, word)
	}
	return words
}
