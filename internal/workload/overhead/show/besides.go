package show

import (
	"cmp"
	"slices"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// besides is an operation that both runs have. What is shown of it beside the figures that are judged is there to
// tell where a difference comes from, and has no outcome.
type besides struct{ now, before *rundoc.OverheadRow }

func besidesOf(now, before *rundoc.OverheadDetail) (list []besides) {
	old := keyed(before)
	for i := range now.Rows {
		r := &now.Rows[i]
		if b := old[key{r.Service, r.Operation}]; b != nil {
			list = append(list, besides{r, b})
		}
	}
	return list
}

// Document is what the document of a run has of the comparison with that one.
func (c *Comparison) Document(before *rundoc.Run) *rundoc.OverheadBaseline {
	d := &rundoc.OverheadBaseline{Run: before.ID, Started: before.Started, MinEffect: c.MinEffect,
		Unlike: c.Unlike, Notes: c.Notes}
	if of := before.Overhead(); of != nil {
		for i := range of.Rows {
			d.Rows = append(d.Rows, withoutValues(of.Rows[i]))
		}
		if of.Null != nil {
			null := withoutValues(*of.Null)
			d.Null = &null
		}
	}
	for i := range c.Rows {
		d.Compared = append(d.Compared, c.Rows[i].document())
	}
	if c.null != nil {
		null := c.null.document()
		d.NullCompared = &null
	}
	return d
}

// withoutValues is a row without its single values, which are nearly all of it.
func withoutValues(r rundoc.OverheadRow) rundoc.OverheadRow {
	for _, s := range []*rundoc.Sample{&r.ClientTime, &r.Call, &r.Overhead, &r.SDKTime} {
		s.Values, s.Rounds = nil, nil
	}
	return r
}

// inDocuments is what documents call the figures that are judged.
func inDocuments() map[string]string {
	return map[string]string{FigureClientTime: rundoc.FigureClientTime, FigureOverhead: rundoc.FigureOverhead,
		FigureSDKTime: rundoc.FigureSDKTime}
}

func (r *ComparedRow) document() rundoc.OverheadCompared {
	d := rundoc.OverheadCompared{Service: r.Service, Operation: r.Operation, Figure: inDocuments()[r.Figure],
		Outcome: string(r.Outcome), Why: r.Why}
	if !r.compared() {
		return d
	}
	d.BeforeNS, d.NowNS = r.Shift.Before, r.Shift.Now
	if r.Shift.Absent == "" {
		d.LowNS, d.HighNS, d.P = &r.Shift.Lo, &r.Shift.Hi, &r.P
	}
	if d.Why == whyUnlike { // which Unlike says
		d.Why = ""
	}
	return d
}

// saved is the comparison that a document has; nil for one of a run that was compared with none.
func saved(d *rundoc.OverheadDetail) *Comparison {
	base := d.Baseline
	if base == nil {
		return nil
	}
	before := &rundoc.OverheadDetail{Rows: base.Rows, Null: base.Null}
	c := &Comparison{Before: runName(&rundoc.Run{ID: base.Run, Started: base.Started}), MinEffect: base.MinEffect,
		Unlike: cleaned(base.Unlike), Notes: cleaned(base.Notes), beside: besidesOf(d, before)}
	if base.NullCompared != nil {
		if r, known := rowOf(base.NullCompared); known {
			c.null = &r
		}
	}
	for i := range base.Compared {
		if r, known := rowOf(&base.Compared[i]); known {
			c.Rows = append(c.Rows, r)
		}
	}
	return c
}

// rowOf is a row of a comparison as a document has it, if its figure is one.
func rowOf(d *rundoc.OverheadCompared) (ComparedRow, bool) {
	r := ComparedRow{Service: d.Service, Operation: d.Operation, Outcome: stats.CannotTell, Why: units.Clean(d.Why), P: 1}
	for shown, name := range inDocuments() {
		if name == d.Figure {
			r.Figure = shown
		}
	}
	for _, o := range outcomes() {
		if string(o) == d.Outcome {
			r.Outcome = o
		}
	}
	r.Shift = stats.Shift{Before: d.BeforeNS, Now: d.NowNS, Diff: d.NowNS - d.BeforeNS}
	if d.LowNS == nil || d.HighNS == nil || d.P == nil {
		r.Shift.Absent = cmp.Or(r.Why, "no interval in the document")
		return r, r.Figure != ""
	}
	r.Shift.Lo, r.Shift.Hi, r.P = *d.LowNS, *d.HighNS, *d.P
	return r, r.Figure != ""
}

func cleaned(list []string) (clean []string) {
	for _, s := range list {
		clean = append(clean, units.Clean(s))
	}
	return clean
}

// cost is one of the figures of a row; 0 where it is not known.
type cost struct {
	name string
	of   func(*rundoc.OverheadRow) float64
	text func(float64) string
}

// costs are what a call costs beside what is judged.
func (c *Comparison) costs() []cost {
	median := func(s *rundoc.Sample) float64 {
		if !sampleFigureOf("med").known(s) {
			return 0
		}
		return s.MedNS
	}
	all := []cost{
		{"call, ms", func(r *rundoc.OverheadRow) float64 { return median(&r.Call) }, millis},
		{"CPU, ms", func(r *rundoc.OverheadRow) float64 { return r.CPUPerCallNS }, millis},
		{"allocations", func(r *rundoc.OverheadRow) float64 { return r.AllocationsPerCall }, amount},
		{"bytes", func(r *rundoc.OverheadRow) float64 { return r.BytesPerCall }, amount},
	}
	if c.judges(FigureClientTime) {
		all = slices.Insert(all, 0,
			cost{"overhead, ms", func(r *rundoc.OverheadRow) float64 { return median(&r.Overhead) }, millis})
	}
	return slices.DeleteFunc(all, func(f cost) bool {
		return !slices.ContainsFunc(c.beside, func(b besides) bool { return f.of(b.before) > 0 && f.of(b.now) > 0 })
	})
}

// judges reports whether rows have their outcome by a figure.
func (c *Comparison) judges(figure string) bool {
	return slices.ContainsFunc(c.Rows, func(r ComparedRow) bool { return r.Figure == figure })
}

// costsBeside has a table for each two of the costs, which is what a terminal has room for.
func (c *Comparison) costsBeside() report.Section {
	costs := c.costs()
	if len(costs) == 0 {
		return report.Section{}
	}
	s := report.Section{Title: "Other costs of a call, compared with the baseline", Notes: []string{
		"Medians; CPU, allocations and bytes are means. These values are not tested for significance."}}
	for two := range slices.Chunk(costs, 2) {
		columns := []report.Column[besides]{
			report.Left("", func(b besides) string { return units.Clean(b.now.Operation) })}
		for _, f := range two {
			columns = append(columns, f.columns()...)
		}
		s.Tables = append(s.Tables, report.Grouped(c.beside, serviceOf, columns...))
	}
	return s
}

func serviceOf(b besides) string { return units.Clean(b.now.Service) }

// columns are the figure before, now, and by how much that is more.
func (f cost) columns() []report.Column[besides] {
	cell := func(v float64) string {
		if !(v > 0) {
			return units.Dash
		}
		return f.text(v)
	}
	return []report.Column[besides]{
		report.Right(f.name, func(b besides) string { return cell(f.of(b.before)) }),
		report.Right("now", func(b besides) string { return cell(f.of(b.now)) }),
		report.Right("%", func(b besides) string {
			before, now := f.of(b.before), f.of(b.now)
			if !(before > 0) || !(now > 0) {
				return units.Dash
			}
			return signed(now/before - 1)
		}),
	}
}

// staged is one of the two lines of an operation.
type staged struct {
	service, name string
	row           *rundoc.OverheadRow
}

// stagesBeside has two lines for each operation whose stages both runs know.
func (c *Comparison) stagesBeside() report.Section {
	var lines []staged
	for _, b := range c.beside {
		if b.now.StagedCalls == 0 || b.before.StagedCalls == 0 {
			continue
		}
		lines = append(lines, staged{serviceOf(b), units.Clean(b.now.Operation), b.before},
			staged{serviceOf(b), "  now", b.now})
	}
	if len(lines) == 0 {
		return report.Section{}
	}
	columns := []report.Column[staged]{report.Left("mean, µs", func(s staged) string { return s.name })}
	for _, c := range stageColumns() {
		columns = append(columns, report.Right(c.head, func(s staged) string {
			ns, found := stageOf(s.row, c.stage)
			if !found {
				return units.Dash
			}
			return micros(ns)
		}))
	}
	columns = append(columns, report.Right("call", func(s staged) string { return micros(s.row.StagedCallNS) }))
	return report.Section{Title: "Mean call by stage, compared with the baseline",
		Tables: []report.Table{report.Grouped(lines, func(s staged) string { return s.service }, columns...)},
		Notes:  []string{"First line of an operation: baseline. Second line: this run."}}
}
