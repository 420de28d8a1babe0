package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/glossary"
)

// printGlossary explains a term. Without one it lists all terms, or with all explains each of them.
func printGlossary(w io.Writer, term string, all bool) error {
	var b strings.Builder
	switch {
	case term == "" && all:
		explainAll(&b)
	case term == "":
		listTerms(&b)
	default:
		if err := explain(&b, term); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fault.New(fault.RunFailed, "cannot write the glossary: %w", err)
	}
	return nil
}

// explain writes what a term means.
func explain(b *strings.Builder, term string) error {
	found, ok := glossary.Find(term)
	if !ok {
		e := fault.New(fault.Usage, "%q is not in the glossary", term)
		switch near := glossary.Near(term); {
		case isMetric(term):
			return e.Hint("it is a metric: 'plimsoll help metrics %s'", term)
		case near != "":
			return e.Hint("did you mean 'plimsoll help glossary %s'? 'plimsoll help glossary' lists all terms", near)
		}
		return e.Hint("'plimsoll help glossary' lists all terms")
	}
	title := found.Name
	if !strings.EqualFold(title, term) {
		title = term + ", see " + found.Name
	}
	fmt.Fprintf(b, "%s\n", title)
	for _, line := range wrapped(found.Means, helpWidth-2) {
		fmt.Fprintf(b, "  %s\n", line)
	}
	return nil
}

// listTerms writes the terms of the glossary by group, without their meanings.
func listTerms(b *strings.Builder) {
	b.WriteString("'plimsoll help glossary TERM' explains one of these terms, '--all' all of them.\n")
	for _, g := range glossary.Groups() {
		names := make([]string, len(g.Words))
		for i, w := range g.Words {
			names[i] = w.Name
		}
		fmt.Fprintf(b, "\n%s\n", g.Title)
		for _, line := range wrappedList(names, helpWidth-2) {
			fmt.Fprintf(b, "  %s\n", line)
		}
	}
}

// wrappedList returns the names with commas between them, in lines of at most width characters. No name is broken.
func wrappedList(names []string, width int) []string {
	const glue = "\x00" // keeps the words of a name together
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = strings.ReplaceAll(n, " ", glue)
	}
	lines := wrapped(strings.Join(list, ", "), width)
	for i, l := range lines {
		lines[i] = strings.ReplaceAll(l, glue, " ")
	}
	return lines
}

// explainAll writes every term and its meaning.
func explainAll(b *strings.Builder) {
	const column = 18 // of the meanings
	for i, g := range glossary.Groups() {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "%s\n", g.Title)
		for _, word := range g.Words {
			name := word.Name
			if len([]rune(name)) >= column {
				fmt.Fprintf(b, "  %s\n", name)
				name = ""
			}
			for _, line := range wrapped(word.Means, helpWidth-2-column) {
				fmt.Fprintf(b, "  %-*s%s\n", column, name, line)
				name = ""
			}
		}
	}
}
