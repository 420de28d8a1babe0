package report

import (
	"bufio"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
)

const (
	indent   = 2
	keyWidth = 15 // of the answer's keys
	// keyBeside is how wide a terminal is at least where the answer's keys stand beside their values. In a narrower
	// one they stand above them.
	keyBeside = 56
	// proseWidth is how wide a paragraph may be: a wider one is hard to read.
	proseWidth = 100
)

// printer writes lines that are no wider than the terminal, but for a word that is, and counts them.
type printer struct {
	w       *bufio.Writer
	width   int
	colour  bool
	parted  bool // values of several parts are broken between those wherever they are
	open    bool // nobody says how wide: what does not fit into the width goes beyond it, as in a file
	written int
}

func (t *printer) prose() int { return min(t.width, proseWidth) }

func (t *printer) lines(by int, lines ...string) { t.styled("", by, lines...) }

// styled writes lines in a style of the terminal. One that does not fit behind its indent has less of it.
func (t *printer) styled(style string, by int, lines ...string) {
	for _, line := range lines {
		line = strings.TrimRight(line, " ")
		spaces := by
		if !t.open {
			spaces = min(by, max(0, t.width-units.Width(line)))
		}
		if line != "" {
			_, _ = t.w.WriteString(strings.Repeat(" ", spaces))
		}
		_, _ = t.w.WriteString(inStyle(style, line) + "\n")
		t.written++
	}
}

func inStyle(style, text string) string {
	if style == "" || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// styleOf is how a value stands out.
func (t *printer) styleOf(f Fact) string {
	if !t.colour {
		return ""
	}
	var codes []string
	if f.Strong {
		codes = append(codes, "1")
	}
	switch f.Tone {
	case Good:
		codes = append(codes, "32")
	case Doubtful:
		codes = append(codes, "33")
	case Bad:
		codes = append(codes, "31")
	}
	return strings.Join(codes, ";")
}

// fact writes a key, its value beside or below it, and its points below that.
func (t *printer) fact(f Fact) {
	style := t.styleOf(f)
	for _, line := range t.factLines(f) {
		if !line.value {
			style = ""
		}
		_, _ = t.w.WriteString(line.key)
		t.styled(style, line.by, line.text)
	}
}

type factLine struct {
	by    int
	key   string // before the text, with the space between them
	text  string
	value bool // of the value, not of a point
}

// keyed is how wide the column of keys is; 0 where they stand above their values.
func (t *printer) keyed() int {
	if t.width < keyBeside {
		return 0
	}
	return keyWidth
}

// factRoom is how wide values and points may be.
func (t *printer) factRoom() int {
	if t.keyed() == 0 {
		return t.width - indent
	}
	return t.prose() - keyWidth
}

func (t *printer) factLines(f Fact) []factLine {
	most := t.factRoom()
	by := max(indent, t.keyed())
	var lines []factLine
	if f.Value != "" {
		for _, line := range t.wrapValue(f.Value, most) {
			lines = append(lines, factLine{by: by, text: line, value: true})
		}
	}
	for _, p := range f.Points {
		for i, line := range t.wrapPoint(p, most-2) {
			mark := "  "
			if i == 0 {
				mark = "- "
			}
			lines = append(lines, factLine{by: by, text: mark + line})
		}
	}
	if len(lines) == 0 {
		return nil
	}
	// A word that is wider than the room beside the key stands below it.
	if t.keyed() == 0 || units.Width(lines[0].text) > t.width-keyWidth && !t.open {
		return append([]factLine{{key: f.Key, value: lines[0].value}}, lines...)
	}
	lines[0].key, lines[0].by = pad(f.Key, keyWidth, left), 0
	return lines
}

// wrapValue breaks a value. At 80 columns, where reports are kept and compared, it breaks where it always did.
func (t *printer) wrapValue(text string, most int) []string {
	if t.width == screenWidth && !t.parted {
		return Wrap(text, most)
	}
	return wrapParts(text, most)
}

// wrapPoint breaks a point.
func (t *printer) wrapPoint(text string, most int) []string {
	if t.parted {
		return wrapParts(text, most)
	}
	return Wrap(text, most)
}

func (t *printer) section(s Section) {
	if t.written > 0 {
		t.lines(0, "")
	}
	bold := ""
	if t.colour {
		bold = "1"
	}
	t.styled(bold, 0, Wrap(s.Title, t.width)...)
	for _, p := range s.Intro {
		t.lines(indent, Wrap(p, t.prose()-indent)...)
	}
	if s.Drawing != "" {
		t.drawing(s.Drawing)
	}
	for _, table := range s.Tables {
		t.table(&table)
	}
	for _, p := range s.Notes {
		t.lines(indent, Wrap(p, t.prose()-indent)...)
	}
}

// drawing writes lines as they are, or says how wide a terminal must be to show them.
func (t *printer) drawing(drawing string) {
	lines := strings.Split(drawing, "\n")
	needs := 0
	for _, line := range lines {
		needs = max(needs, indent+units.Width(line))
	}
	if needs > t.width {
		lines = Wrap("(The drawing needs a terminal of at least "+units.Number(int64(needs))+" columns.)",
			t.prose()-indent)
	}
	t.lines(indent, lines...)
}

// command returns lines with a key and a command. A long command is broken so that it still works when pasted.
func (t *printer) command(key, command string) []string {
	line := pad(key, t.keyed(), left)
	if t.keyed() == 0 {
		line = key + ": "
	}
	if units.Width(line+command) <= t.width {
		return []string{line + command}
	}
	const goesOn = ` \`
	var lines []string
	for i, word := range shellWords(command) {
		switch {
		case i == 0:
			line += word
		case units.Width(line+" "+word+goesOn) <= t.width:
			line += " " + word
		default:
			lines = append(lines, line+goesOn)
			line = strings.Repeat(" ", t.keyed()+indent) + word
		}
	}
	return append(lines, line)
}

func pad(s string, most int, a align) string {
	space := strings.Repeat(" ", max(0, most-units.Width(s)))
	if a == right {
		return space + s
	}
	return s + space
}
