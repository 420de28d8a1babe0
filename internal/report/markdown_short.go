package report

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"strings"
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
	fmt.Fprintf(b, "\n<details>\n<summary>%s</summary>\n", escape(cmp.Or(p.Folded, "The whole report")))
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
