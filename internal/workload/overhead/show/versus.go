package show

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// answer says how many rows are what, which of them got worse, and why none can be told.
func (c *Comparison) answer() report.Fact {
	const mostNamed, mostReasons = 4, 2
	f := report.Fact{Key: "Baseline", Strong: true}
	var parts []string
	for _, o := range outcomes() {
		if n := c.count(o); n > 0 || o == stats.Worse {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	f.Value = strings.Join(parts, " · ") + ", compared with " + c.Before
	named := 0
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.Outcome != stats.Worse {
			continue
		}
		if named++; named <= mostNamed {
			f.Points = append(f.Points, fmt.Sprintf("%s: %s %s", r.name(), r.Figure,
				signedPercent(r.share(r.Shift.Diff))))
		}
	}
	if named > mostNamed {
		f.Points[mostNamed-1] = fmt.Sprintf("and %d more", named-mostNamed+1)
	}
	for i, u := range c.Unlike {
		if i == mostReasons {
			f.Points = append(f.Points, "and "+units.Count(int64(len(c.Unlike)-mostReasons), "more difference",
				"more differences"))
			break
		}
		f.Points = append(f.Points, "not comparable: "+u)
	}
	if len(c.Unlike) == 0 && c.null.changed() {
		f.Points = append(f.Points, fmt.Sprintf("the null client also changed by %s: the machine or the service changed",
			signedPercent(c.null.share(c.null.Shift.Diff))))
	}
	return f
}

// changed reports whether a median of both runs is another, up or down.
func (r *ComparedRow) changed() bool {
	return r != nil && (r.Outcome == stats.Worse || r.Outcome == stats.Better)
}

// outcomes are all, in the order in which they are counted up.
func outcomes() []stats.Outcome {
	return []stats.Outcome{stats.Worse, stats.Better, stats.Same, stats.CannotTell, OnlyNow, OnlyBefore}
}

// sections are the tables of the comparison, one for each figure.
func (c *Comparison) sections() []report.Section {
	type row = *ComparedRow
	var all []report.Section
	for _, figure := range []string{FigureClientTime, FigureOverhead, FigureSDKTime} {
		var rows []row
		for i := range c.Rows {
			if c.Rows[i].Figure == figure {
				rows = append(rows, &c.Rows[i])
			}
		}
		if len(rows) == 0 {
			continue
		}
		all = append(all, report.Section{Title: units.Capital(figure) + " compared with the baseline", Tables: []report.Table{
			report.Grouped(rows, func(r row) string { return units.Clean(r.Service) },
				report.Left("median, ms", func(r row) string { return units.Clean(r.Operation) }),
				report.Right("before", func(r row) string { return r.median(r.Shift.Before) }),
				report.Right("now", func(r row) string { return r.median(r.Shift.Now) }),
				report.Right("difference, %", row.difference),
				report.Right("p", row.chance),
				report.Left("", row.verdict),
			),
		}})
	}
	if len(all) == 0 {
		return []report.Section{{Title: "Baseline comparison", Intro: []string{"The runs have no metric in common."},
			Notes: c.remarks()}}
	}
	all[len(all)-1].Notes = slices.Concat(c.reading(), c.remarks())
	return append(all, c.costsBeside(), c.stagesBeside())
}

func (c *Comparison) reading() []string {
	return []string{fmt.Sprintf("In brackets: 95%% confidence interval of the difference. p is corrected for the "+
		"number of rows (Holm). Better or worse: p is below %g, the interval excludes 0, and the difference is at least "+
		"%s. Same: the interval lies within that limit. The interval covers only these two runs; repeated runs vary "+
		"more, because machine and process state differ.",
		stats.Alpha, units.Percent(c.MinEffect))}
}

func (c *Comparison) remarks() []string {
	var list []string
	var why []string
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Why != "" && r.Why != whyUnlike {
			why = append(why, fmt.Sprintf("%s %s (%s)", r.name(), r.Figure, r.Why))
		}
	}
	if len(why) > 0 {
		list = append(list, "Inconclusive: "+units.FirstOf(why, 8)+".")
	}
	if len(c.Unlike) > 0 {
		list = append(list, "Not comparable; differences may not be caused by the SDK: "+strings.Join(c.Unlike,
			"; ")+".")
	}
	return append(list, c.Notes...)
}

// compared reports whether both runs have the row.
func (r *ComparedRow) compared() bool { return r.Outcome != OnlyNow && r.Outcome != OnlyBefore }

func (r *ComparedRow) median(ns float64) string {
	if !r.compared() {
		return units.Dash
	}
	return millis(ns)
}

// difference is the share with its interval, or the share alone.
func (r *ComparedRow) difference() string {
	s := &r.Shift
	if !r.compared() || !(s.Before > 0) {
		return units.Dash
	}
	if s.Absent != "" {
		return signed(r.share(s.Diff))
	}
	return fmt.Sprintf("%s [%s, %s]", signed(r.share(s.Diff)), signed(r.share(s.Lo)), signed(r.share(s.Hi)))
}

// lead are the columns of the first table: by how much the first figure of an operation or of the null client changed,
// and what that means.
func (c *Comparison) lead(null *rundoc.OverheadRow) []report.Column[*rundoc.OverheadRow] {
	type row = *rundoc.OverheadRow
	rowFor := func(of row) *ComparedRow {
		if of == null {
			return c.null
		}
		i := slices.IndexFunc(c.Rows, func(r ComparedRow) bool {
			return r.Service == of.Service && r.Operation == of.Operation
		})
		if i < 0 {
			return nil
		}
		return &c.Rows[i]
	}
	return []report.Column[row]{
		report.Right("difference, %", func(of row) string {
			if r := rowFor(of); r != nil {
				return r.difference()
			}
			return units.Dash
		}).Gap(""),
		report.Left("", func(of row) string {
			if r := rowFor(of); r != nil && of != null {
				return r.verdict()
			}
			return "" // the null client has nothing that could be better
		}).Gap(""),
	}
}

func (r *ComparedRow) chance() string {
	switch {
	case !r.compared() || r.Shift.Absent != "":
		return units.Dash
	case r.P < 0.001:
		return "<0.001"
	}
	return strconv.FormatFloat(r.P, 'f', 3, 64)
}

func (r *ComparedRow) verdict() string {
	if r.Outcome == stats.Worse || r.Outcome == stats.Better {
		return strings.ToUpper(string(r.Outcome))
	}
	return string(r.Outcome)
}

// signed is a share in percent with its sign, without the unit.
func signed(share float64) string {
	p := 100 * share
	switch {
	case math.IsNaN(p) || math.IsInf(p, 0):
		return units.Dash
	case math.Abs(p) >= 1e5:
		return fmt.Sprintf("%+.1e", p)
	case math.Abs(p) >= 1000:
		return fmt.Sprintf("%+.0f", p)
	case math.Abs(p) < 0.05:
		return "0.0"
	}
	return strings.Replace(fmt.Sprintf("%+.1f", p), "-", "−", 1)
}

// millis is a time in ms with three decimals, as in the reference's table.
func millis(ns float64) string {
	if math.IsNaN(ns) || math.IsInf(ns, 0) {
		return units.Dash
	}
	if math.Abs(ns) >= 1e15 {
		return fmt.Sprintf("%.3e", ns/1e6) // of a document that makes no sense
	}
	return strings.Replace(strconv.FormatFloat(ns/1e6, 'f', 3, 64), "-", "−", 1)
}
