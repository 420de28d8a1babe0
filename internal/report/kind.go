package report

import (
	"io"
	"time"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// A Kind describes how runs of one kind are reported. The zero value is for an unknown kind: its report has the common
// parts of a run document.
type Kind struct {
	Words Words
	// Mixed reports that the operations are of unlike kinds: times and rates of all of them together are meaningless.
	Mixed bool
	// GroupTitles are titles for the labels of operations, where the name of a label is not enough.
	GroupTitles map[string]string
	// Show returns the report of a run; nil: the common one. The result embeds the view and overrides its methods.
	Show func(*View) Shown
	// CSV writes the metrics of a run; nil: a row for each operation, see CSV.
	CSV func(io.Writer, *rundoc.Run) error
	// Rows returns a writer for the single operations of a run, or nil if there are none.
	Rows func(*rundoc.Run) RowWriter
	// Pace returns the throughput that the progress line shows; nil: operations per second.
	Pace func(Live) string
	// Listed changes what the list of runs shows, which is operations per second and their p99.
	Listed func(*rundoc.Run, *Listing)
	// Next returns the command to try after a run that was no demo and whose load was not too high, or ""; nil: the common
	// suggestions.
	Next func(*rundoc.Run) string
	// Own is the command that measures the user's own server, with words such as YOUR-HOST to replace; "" if unknown.
	Own string
	// Demo reports whether a run against the built-in server measured nothing of the user's; nil: each such run.
	Demo func(*rundoc.Run) bool
	// Less returns the command that makes the given share of a run's load, or "" if that is unknown. It may be nil.
	Less func(run *rundoc.Run, share float64) string
	// Repeat returns the command that repeats the load of a run without its --max-clients, or "" if flags cannot express
	// it. It is not called for loads with think time or client stages. nil: there is none.
	Repeat func(run *rundoc.Run) string
	// Figures are those that this kind has besides the ones that every run has.
	Figures []figure.Source
	// Lacks are those of every run that this kind never has: it has no connections of its own, or no open model.
	Lacks []string
	// Labels are those that the operations have besides their names; nil: none.
	Labels []string
	// Headline names the figures that say how well a run went, the throughput first; nil: rate.
	Headline []string
	// NoCourse says why there is no course over time to be drawn or written; "": there is.
	NoCourse string
}

// Known is what the figures of a run of this kind are, which is called so in documents.
func (k Kind) Known(workload string) figure.Known {
	return figure.Known{Kind: workload, Own: k.Figures, Mixed: k.Mixed, Lacks: k.Lacks, Labels: k.Labels}
}

// RowColumns are the columns of single operations that stand there only where they are asked for: programs that read
// such files know none of them.
type RowColumns struct {
	Iteration bool // which one an operation was part of
	Stream    bool // whose it was
}

// RowWriter writes the single operations of a run, a row each.
type RowWriter func(w io.Writer, columns RowColumns) error

// RowsOf writes the single operations of a run of this kind; nil when it has none.
func (k Kind) RowsOf(run *rundoc.Run) RowWriter {
	if k.Rows == nil {
		return nil
	}
	return k.Rows(run)
}

// Shown is what a report shows of one run. A View is one, and the report of a kind that says
// nothing in its own way.
type Shown interface {
	// Subtitle says how the run was made.
	Subtitle() string
	// Lead is a table before the answer, of at most so many rows; most kinds have none.
	Lead(most int) Table
	// Answer is what a reader sees first.
	Answer() []Fact
	// Sections are the parts after the answer, in the order of the questions that a reader would
	// ask. An empty one is left out.
	Sections() []Section
	// Drawing is what the chart shows.
	Drawing() Drawing
	// Graphs are the panels of the page, all that there is to be looked at; those of a chart are a few of them.
	Graphs() []graph.Panel
}

// Drawing is what a chart as a file shows: the answer in a line, and a few of the panels of the page, from top to
// bottom; none when there is nothing to draw.
type Drawing struct {
	Line   string
	Graphs []graph.Panel
}

// Listing is what the list of runs shows of one run.
type Listing struct {
	RatePerS *float64 // operations per second, where they have a rate together
	P99NS    *int64
	Load     string // load and plan in words, by which runs of a kind can be told apart
	Rate     string // shown instead of operations per second; "": those
	Verdict  string // shown after the verdict
	Own      *Own   // what the list as JSON has of this kind alone; nil: nothing
}

// Own is a field of the list of runs that one kind has.
type Own struct {
	Name  string
	Value any
}

// ListingOf is what the list of runs shows of a run of this kind, and what is wrong with it. The list may have
// thousands: no histogram is decoded where the document says what would come of it.
func (k Kind) ListingOf(run *rundoc.Run) (l Listing, err error) {
	var rate float64
	for i := range run.Operations {
		rate += run.Operations[i].RatePerS
	}
	l.RatePerS = &rate
	if l.P99NS, err = p99Of(run); k.Listed != nil {
		k.Listed(run, &l)
	}
	if l.Load == "" {
		l.Load = LoadOf(run)
	}
	return l, err
}

// p99Of is the p99 of the response time of all operations together.
func p99Of(run *rundoc.Run) (*int64, error) {
	switch {
	case len(run.Operations) == 1:
		return run.Operations[0].ResponseTime.P99NS, nil
	case run.Total == nil: // by an older program
		total, err := run.Totals()
		return total.ResponseTime.P99NS, err
	case run.Total.ResponseTime == nil:
		return nil, nil
	}
	return run.Total.ResponseTime.P99NS, nil
}

// Words are what a kind calls its operations; those of the zero value are operations.
type Words struct {
	One, Many, Short string
}

func (w Words) orOperations() Words {
	if w == (Words{}) {
		return Words{"operation", "operations", "op"}
	}
	return w
}

// Rate is a figure and its unit: "48,112 msg/s".
func (w Words) Rate(perS float64) string { return units.PerSecond(perS) + " " + w.Short + "/s" }

// DefaultBucket is the width of a throughput bucket unless Options says another.
const DefaultBucket = 10 * time.Second

// Options says how a report is shown. The zero value is good.
type Options struct {
	// Bucket is the width of the throughput buckets, whole seconds; 0: DefaultBucket. A kind
	// whose rows need not be buckets takes 0 and DefaultBucket for what suits the length of the run.
	Bucket  time.Duration
	Files   []File // written by the run, for the report to point to
	Colour  bool   // what matters in bold and in colours, by ANSI escapes; for a terminal
	Verbose bool   // each single operation is listed, where the document has them
	Width   int    // columns of the terminal, limited to 40 to 200; 0: a file of 80, wider where a table is
	Rest    string // Brief: a command that shows the full report, or a sentence
	Section string // Text and Markdown: this section alone, by its name; "": all of them

	allFree bool // times without the generator's own delay are shown wherever they are known
}

// What files are called that the kit has to know.
const (
	RunDocument = "run document"
	ChartFile   = "chart"
)

// File is a file that the run wrote.
type File struct {
	What string // RunDocument, "samples", …
	Path string
}

// BucketWidth is the width of the buckets.
func (o Options) BucketWidth() time.Duration {
	if o.Bucket <= 0 {
		return DefaultBucket
	}
	return o.Bucket
}

// columns is how wide the report is.
func (o Options) columns() int {
	if o.Width <= 0 {
		return screenWidth
	}
	return max(narrowest, min(o.Width, widest))
}
