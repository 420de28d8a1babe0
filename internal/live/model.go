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

// counting is the report of a run that goes on: of what every run counts. What a kind makes of that, it makes at the
// end.
type counting struct {
	*report.View
	inFlight int64
}

const keyVerdict = "Verdict"

// measuring stands in the place of the verdict.
func measuring() report.Fact {
	return report.Fact{Key: keyVerdict, Strong: true,
		Value: "MEASURING: figures are of what has ended so far, and only the end can tell whether to believe them"}
}

// Answer is what was counted so far. How many operations are due and wait nobody counts before the end, so that none of
// it is a share of what was scheduled: beside the throughput stands what was offered meanwhile.
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

// quiet is how long nothing has to have ended until that is told, at least.
const quiet = 2 * time.Second

// responseTime has the times of what has ended. Where nothing ends any more for longer than the longest of them lasted,
// they are better than what the run will come to, and that is told.
func (c counting) responseTime() report.Fact {
	f := report.Fact{Key: "Response time", Value: c.ResponseAnswer(), Strong: true}
	var last int64 // the second behind the last one in which something ended
	for i := range c.Run.Series {
		if p := &c.Run.Series[i]; p.OK+p.Failed > 0 {
			last = p.Second + p.Length()
		}
	}
	since := time.Duration(c.Run.Ledger.WindowNS) - time.Duration(last)*time.Second
	if last > 0 && c.inFlight > 0 && since >= quiet && int64(since) > c.Total.ResponseTime.MaxNS {
		f.Tone = report.Doubtful
		f.Points = []string{fmt.Sprintf("nothing has ended for %s, which is longer than the longest of these, and %s in "+
			"flight: the times of that are not among them", units.Duration(int64(since)),
			units.Count(c.inFlight, c.Words.One+" is", c.Words.Many+" are"))}
	}
	return f
}

// offered is the rate at which operations were due in the seconds that are complete; "" in the closed model, and before
// the first of them. One that waits is counted when it has begun: behind a target that hangs the counted rate is too
// low, and what was asked for is told.
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
		return c.Words.Rate(asked) + " asked for, and " + c.Words.Rate(counted) + " counted as due: what waits is not"
	}
	return c.Words.Rate(counted) + " due"
}

// nearly is the share of the asked rate from which on the counted one is told in its place: arrivals are random.
const nearly = 0.95

// asked is the rate that was asked for, where it is one all the time; else 0.
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

// Sections are those of what has ended.
func (c counting) Sections() []report.Section {
	return []report.Section{c.Times(), c.Failures(), c.Connections()}
}

// countedModel is what the page shows of a run that goes on; false: nothing is counted yet.
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

// now is what a run does now, in a line; the figures in it are those of the last second.
func now(m *onlook.Moment) string {
	line := report.Progress(m.Kind, m.Live, report.Screen{Width: 400})
	if m.What != "" {
		line = units.Clean(m.What) + " · " + line
	}
	return line
}

// modelOf is what the page shows while runs go on; of several at once, as the sides of a comparison, all.
func modelOf(moments []onlook.Moment) page.Model {
	var going []onlook.Moment
	for i := range moments {
		if m := &moments[i]; m.Ended == nil && m.Count != nil {
			going = append(going, *m)
		}
	}
	switch len(going) {
	case 0:
		return page.Model{Title: "Plimsoll", Now: "between two runs", Facts: []report.Fact{measuring()}}
	case 1:
		return one(&going[0])
	}
	return sides(going)
}

// one is what is shown of one run.
func one(m *onlook.Moment) page.Model {
	of, counted := countedModel(m)
	if !counted {
		of = page.Model{Title: titleOf(m), Facts: []report.Fact{measuring()}}
	}
	of.Now = now(m)
	return of
}

// titleOf is the title of a run of which nothing is known yet.
func titleOf(m *onlook.Moment) string {
	return report.NewCount(&rundoc.Run{Workload: m.Workload}, m.Kind).Title()
}

// sides is what is shown of several runs at once: a table of all, and the charts of each.
func sides(all []onlook.Moment) page.Model {
	of := page.Model{Title: titleOf(&all[0]) + " · two sides", Now: now(&all[0]), Facts: []report.Fact{measuring()}}
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
		report.Left("run", func(r row) string { return r.name }),
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
