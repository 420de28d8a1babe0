package live

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/page"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// counting is the report of a running measurement. It has the values that every run counts; those of the kind follow
// at the end.
type counting struct {
	*report.View
	inFlight int64
}

const keyVerdict = "Verdict"

// measuring takes the place of the verdict.
func measuring() report.Fact {
	return report.Fact{Key: keyVerdict, Strong: true,
		Value: "MEASURING: values so far; the verdict follows at the end of the run"}
}

// Answer returns the counts so far. The number of scheduled operations is unknown before the end, so the offered rate
// is shown instead of shares of it.
func (c counting) Answer() []report.Fact {
	t := &c.Total
	rate := c.Words.Rate(t.RatePerS)
	if t.BytesPerS > 0 {
		rate += ", " + units.Size(int64(t.BytesPerS)) + "/s"
	}
	return []report.Fact{
		measuring(),
		{Key: "Throughput", Value: rate, Strong: true},
		{Key: "Offered", Value: c.offered()},
		c.responseTime(),
		{Key: units.Capital(c.Words.Many), Value: fmt.Sprintf("%s ok · %s failed · %s unsent · %s in flight",
			units.Number(t.OK), units.Number(t.Failed), units.Number(t.Unsent), units.Number(c.inFlight))},
		c.FailuresAnswer(),
	}
}

// quiet is the least time without a completed operation that is reported.
const quiet = 2 * time.Second

// responseTime returns the times of the completed operations. It warns if none has completed for longer than the
// slowest one took: the times are then lower than those of the whole run will be.
func (c counting) responseTime() report.Fact {
	f := report.Fact{Key: "Response time", Value: c.ResponseAnswer(), Strong: true}
	var last int64 // the end of the last second in which an operation completed
	for i := range c.Run.Series {
		if p := &c.Run.Series[i]; p.OK+p.Failed > 0 {
			last = p.Second + p.Length()
		}
	}
	since := time.Duration(c.Run.Ledger.WindowNS) - time.Duration(last)*time.Second
	if last > 0 && c.inFlight > 0 && since >= quiet && int64(since) > c.Total.ResponseTime.MaxNS {
		f.Tone = report.Doubtful
		f.Points = []string{fmt.Sprintf("No %s has ended for %s, longer than the slowest one so far. These values do not "+
			"include the %s in flight.", c.Words.One, units.Duration(int64(since)),
			units.Count(c.inFlight, c.Words.One, c.Words.Many))}
	}
	return f
}

// offered returns the scheduled rate over the complete seconds; "" in the closed model and before the first second.
// Waiting operations are counted when they start. If the target hangs, the counted rate is too low, and the configured
// rate is shown with it.
func (c counting) offered() string {
	var due, length int64
	for i := range c.Run.Series {
		if point := &c.Run.Series[i]; point.Offered != nil {
			due, length = due+*point.Offered, length+point.Length()
		}
	}
	if !c.Open || length == 0 {
		return ""
	}
	counted := float64(due) / float64(length)
	if asked := c.asked(); counted < nearly*asked {
		return c.Words.Rate(asked) + " configured, " + c.Words.Rate(counted) +
			" started: " + c.Words.Many + " that wait for a client are not counted"
	}
	return c.Words.Rate(counted)
}

// nearly is the share of the configured rate above which only the counted rate is shown: arrivals can be random.
const nearly = 0.95

// asked returns the configured rate if it is constant, else 0.
func (c counting) asked() float64 {
	var p struct {
		Load struct {
			Rate   float64           `json:"rate_per_s"`
			Stages []json.RawMessage `json:"stages"`
		} `json:"load"`
	}
	if json.Unmarshal(c.Run.Plan, &p) != nil || len(p.Load.Stages) > 0 {
		return 0
	}
	return p.Load.Rate
}

// Sections returns the sections of the completed operations.
func (c counting) Sections() []report.Section {
	return []report.Section{c.Times(), c.Failures(), c.Connections()}
}

// countedModel returns the model of a running measurement; false: nothing is counted yet.
func countedModel(m *onlook.Moment) (page.Model, bool) {
	counted, err := m.Count()
	if err != nil || counted == nil {
		return page.Model{}, false
	}
	common := report.Kind{Words: m.Kind.Words, Mixed: m.Kind.Mixed, GroupTitles: m.Kind.GroupTitles}
	v := report.NewCount(counted.Doc, common)
	p := report.Page{Shown: counting{v, counted.InFlight}, Title: v.Title(), Before: v.NotCarried()}
	return page.ModelOf(p), true
}

// now returns a line about the progress, with the values of the last second.
func now(m *onlook.Moment) string {
	line := report.Progress(m.Kind, m.Live, report.Screen{Width: 400})
	if m.What != "" {
		line = units.Clean(m.What) + " · " + line
	}
	return line
}

// modelOf returns the model of the running measurements: one, or the sides of a comparison.
func modelOf(moments []onlook.Moment) page.Model {
	var going []onlook.Moment
	for i := range moments {
		if m := &moments[i]; m.Ended == nil && m.Count != nil {
			going = append(going, *m)
		}
	}
	switch len(going) {
	case 0:
		return page.Model{Title: "Plimsoll", Now: "waiting for the next run", Facts: []report.Fact{measuring()}}
	case 1:
		return one(&going[0])
	}
	return sides(going)
}

// one returns the model of one run.
func one(m *onlook.Moment) page.Model {
	of, counted := countedModel(m)
	if !counted {
		of = page.Model{Title: titleOf(m), Facts: []report.Fact{measuring()}}
	}
	of.Now = now(m)
	return of
}

// titleOf returns the title of a run that has no values yet.
func titleOf(m *onlook.Moment) string {
	return report.NewCount(&rundoc.Run{Workload: m.Workload}, m.Kind).Title()
}

// sides returns the model of several concurrent runs: a table of all, and the charts of each.
func sides(all []onlook.Moment) page.Model {
	of := page.Model{Title: titleOf(&all[0]) + " · A and B", Now: now(&all[0]), Facts: []report.Fact{measuring()}}
	type row struct {
		name  string
		total rundoc.Operation
	}
	var rows []row
	for i := range all {
		letter := string(rune('A' + i))
		counted, err := all[i].Count()
		if err != nil || counted == nil {
			continue
		}
		one, _ := countedModel(&all[i])
		rows = append(rows, row{"run " + letter, report.NewCount(counted.Doc, all[i].Kind).Total})
		for _, p := range one.Panels {
			p.Name, p.Title = p.Name+"-"+letter, "Run "+letter+": "+p.Title
			of.Panels = append(of.Panels, p)
		}
	}
	columns := []report.Column[row]{
		report.Left("", func(r row) string { return r.name }),
		report.Right("ok", func(r row) string { return units.Number(r.total.OK) }),
		report.Right("failed", func(r row) string { return units.Number(r.total.Failed) }),
		report.Right("unsent", func(r row) string { return units.Number(r.total.Unsent) }),
		report.Right("ok/s", func(r row) string { return units.PerSecond(r.total.RatePerS) }),
	}
	if !all[0].Kind.Mixed {
		columns = append(columns, report.PercentileColumns(report.Medium,
			func(r row) *rundoc.Summary { return &r.total.ResponseTime }, units.Duration)...)
	}
	of.Lead = report.TableOf(rows, columns...)
	return of
}
