package show

import (
	"io"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// PlanFlags are what a command repeats.
var PlanFlags = append([]report.PlanFlag{{At: "concurrency"}, {At: "min_effect"}}, planFlags...)

// ComparisonText writes a comparison alone.
func ComparisonText(w io.Writer, c *Comparison) error {
	return report.PartsText(w, "", []report.Fact{c.answer()}, c.sections(), report.Options{})
}

// ComparisonMarkdown writes a comparison alone, as parts of a Markdown document.
func ComparisonMarkdown(w io.Writer, c *Comparison) error {
	return report.PartsMarkdown(w, "", []report.Fact{c.answer()}, c.sections())
}

// Saved is the comparison that a document has.
func Saved(d *rundoc.OverheadDetail) *Comparison { return saved(d) }
