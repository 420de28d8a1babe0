package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/run"
)

// topicFigures is the topic of the help that lists what a threshold may be about.
const topicFigures = "figures"

const figuresHead = `What a figure of a run must be is said by --threshold: a figure, one of < <= >
>=, and a value. Put it in quotes: a shell takes < and > for something else.

  plimsoll chat --threshold 'p99<50ms' --threshold 'failed<0.1%'
  plimsoll chat --threshold 'p95{type=TEXT}<20ms'

p99 is any percentile: p50, p99.9; mean, min and max of the same times are
figures, too. A percentile takes ten times above it: p99 a thousand of them.
Labels in braces are those that the operations have; operation is their name.

Held against the limit is what was measured. Exit status 3: one was missed.
Exit status 4: the measurement cannot tell, as there is no value, or what was
missed would be met without the generator's own delay.
`

// kindNames are the names of all kinds.
func kindNames() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.Name)
	}
	return names
}

// printFigures lists the figures of every run and of all kinds, or of the one that is named.
func printFigures(w io.Writer, name string) error {
	shown := kinds()
	if name != "" {
		shown = slices.DeleteFunc(shown, func(k run.Kind) bool { return k.Name != name })
		if len(shown) == 0 {
			return fault.New(fault.Usage, "%q is not a kind of run", name).
				Hint("there are %s; 'plimsoll help figures' has the figures of all", strings.Join(kindNames(), ", "))
		}
	}
	var b strings.Builder
	b.WriteString(figuresHead)
	writeFigures(&b, "every run", figure.List(figure.Known{}))
	for _, k := range shown {
		known := k.Report.Known(k.Name)
		own := slices.DeleteFunc(figure.List(known), func(l figure.Listed) bool { return !l.Own })
		writeFigures(&b, k.Name+" besides", own)
		for _, line := range aboutFigures(known) {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fault.New(fault.RunFailed, "cannot write the figures: %w", err)
	}
	return nil
}

// aboutFigures is what must be known of a kind's figures.
func aboutFigures(known figure.Known) []string {
	text := "No other labels than operation."
	if len(known.Labels) > 0 {
		text = "Labels besides operation: " + strings.Join(known.Labels, ", ") + "."
	}
	if known.Mixed {
		text += " Its operations are unlike: what every run has of times and rates needs one, as in p99{operation=NAME}."
	}
	if len(known.Lacks) > 0 {
		text += " It has none of: " + strings.Join(known.Lacks, ", ") + "."
	}
	return wrapped(text, helpWidth-2)
}

func writeFigures(b *strings.Builder, title string, list []figure.Listed) {
	fmt.Fprintf(b, "\n%s\n", title)
	column := 0
	for _, l := range list {
		column = max(column, len(l.Name)+2)
	}
	column = min(column, 26)
	for _, l := range list {
		text := l.Help
		if l.Own && len(l.Labels) > 0 {
			text += " (labels: " + strings.Join(l.Labels, ", ") + ")"
		}
		text += "; write " + l.Write
		name := l.Name
		for _, line := range wrapped(text, helpWidth-2-column) {
			fmt.Fprintf(b, "  %-*s%s\n", column, name, line)
			name = ""
		}
	}
}
