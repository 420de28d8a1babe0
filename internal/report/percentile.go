package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// A Percentile describes one of the percentiles of a summary.
type Percentile struct {
	Name     string // "p99.9"
	Permille int64
	Field    string // CSV column: "p999_ns"
	Of       func(*rundoc.Summary) *int64
	Needs    int64 // smallest sample with rundoc.MinAbove values above the percentile
	from     Detail
}

// Detail selects how many percentiles a table shows.
type Detail int

const (
	Narrow Detail = iota // p50 and p99
	Medium
	Wide // all percentiles
)

// Percentiles returns the percentiles that a table of this width shows.
func Percentiles(width Detail) []Percentile {
	var list []Percentile
	for _, p := range [...]Percentile{
		{"p50", 500, "p50_ns", func(s *rundoc.Summary) *int64 { return s.P50NS }, rundoc.Needs(500), Narrow},
		{"p90", 900, "p90_ns", func(s *rundoc.Summary) *int64 { return s.P90NS }, rundoc.Needs(900), Medium},
		{"p95", 950, "p95_ns", func(s *rundoc.Summary) *int64 { return s.P95NS }, rundoc.Needs(950), Wide},
		{"p99", 990, "p99_ns", func(s *rundoc.Summary) *int64 { return s.P99NS }, rundoc.Needs(990), Narrow},
		{"p99.9", 999, "p999_ns", func(s *rundoc.Summary) *int64 { return s.P999NS }, rundoc.Needs(999), Medium},
	} {
		if p.from <= width {
			list = append(list, p)
		}
	}
	return list
}

// PercentileColumns returns columns with the percentiles of the summary that of returns for a row.
func PercentileColumns[R any](width Detail, of func(R) *rundoc.Summary, show func(ns int64) string) []Column[R] {
	var columns []Column[R]
	for _, p := range Percentiles(width) {
		columns = append(columns, Right(p.Name, func(r R) string {
			if ns := p.Of(of(r)); ns != nil {
				return show(*ns)
			}
			return units.Dash
		}))
	}
	return columns
}

// PercentileColumnsWithin returns PercentileColumns with the confidence interval of each percentile where it is wide.
func PercentileColumnsWithin[R any](width Detail, of func(R) *rundoc.Summary) []Column[R] {
	var columns []Column[R]
	for _, p := range Percentiles(width) {
		columns = append(columns, Right(p.Name, func(r R) string {
			if ns := p.Of(of(r)); ns != nil {
				return units.Duration(*ns) + ConfidenceInterval(of(r), p.Permille, *ns)
			}
			return units.Dash
		}))
	}
	return columns
}

// PercentileWords returns the percentiles that the sample supports, as "p50 1.00 ms": p50, p99 and p99.9, or the
// highest percentile below p99 where p99 is absent.
func PercentileWords(s *rundoc.Summary) []string {
	var w SpanWords
	w.AddPercentiles(s)
	return w.words
}

// A Timed is a row of a table of times.
type Timed struct {
	Name string
	Of   *rundoc.Summary
}

// TableUnit returns the unit of a whole table, so that its rows compare at a glance: that of the largest p99, or of the
// largest time where there is no p99.
func TableUnit(rows []Timed) units.Unit {
	var largest int64
	for _, r := range rows {
		if r.Of.P99NS != nil {
			largest = max(largest, *r.Of.P99NS)
		} else {
			largest = max(largest, r.Of.MaxNS)
		}
	}
	switch {
	case largest < 1e6:
		return units.Micros()
	case largest < 10e9:
		return units.Millis()
	}
	return units.Seconds()
}

// Figures returns columns of a table of times, in its unit.
type Figures func(units.Unit) []Column[Timed]

// CountFigure is the column with the number of times.
func CountFigure(units.Unit) []Column[Timed] {
	return column("count", func(r Timed) string { return units.Number(r.Of.Count) })
}

// column returns a column for a statistic that has no confidence interval.
func column(head string, cell func(Timed) string) []Column[Timed] {
	return []Column[Timed]{Right(head, func(r Timed) string {
		if isEnd(r) {
			return ""
		}
		return cell(r)
	})}
}

// MeanFigure is the column of means.
func MeanFigure(u units.Unit) []Column[Timed] {
	return []Column[Timed]{Right("mean", func(r Timed) string {
		if isEnd(r) && r.Of.MeanNS == 0 {
			return "" // the interval is unknown
		}
		return u.In(r.Of.MeanNS)
	})}
}

// MinFigure is the column of shortest times.
func MinFigure(u units.Unit) []Column[Timed] {
	return column("min", func(r Timed) string { return u.In(r.Of.MinNS) })
}

// MaxFigure is the column of longest times.
func MaxFigure(u units.Unit) []Column[Timed] {
	return column("max", func(r Timed) string { return u.In(r.Of.MaxNS) })
}

// PercentileFigures returns the columns of the percentiles that a table of this width shows.
func PercentileFigures(width Detail) Figures {
	return func(u units.Unit) []Column[Timed] {
		return PercentileColumns(width, func(r Timed) *rundoc.Summary { return r.Of }, u.In)
	}
}

// TimesTable returns a table of times in one unit.
func TimesTable(head string, rows []Timed, u units.Unit, figures ...Figures) Table {
	columns := []Column[Timed]{Left(head, func(r Timed) string { return r.Name })}
	for _, f := range figures {
		columns = append(columns, f(u)...)
	}
	return TableOf(rows, columns...)
}

// Missing returns the percentiles that some of the rows lack because their samples are too small.
func Missing(rows []Timed, width Detail) []Percentile {
	var list []Percentile
	for _, p := range Percentiles(width) {
		for _, r := range rows {
			if p.Of(r.Of) == nil {
				list = append(list, p)
				break
			}
		}
	}
	return list
}

// Needs returns the sample sizes that percentiles need: "p99 needs 1,000, p99.9 needs 10,000 (10 values must lie above
// a percentile)".
func Needs(list []Percentile) string {
	var parts []string
	for _, p := range list {
		parts = append(parts, fmt.Sprintf("%s needs %s", p.Name, units.Number(p.Needs)))
	}
	return fmt.Sprintf("%s (%d values must lie above a percentile)", strings.Join(parts, ", "), rundoc.MinAbove)
}

// The names of the rows with the ends of confidence intervals, and their legend.
const (
	lowRow         = "  95% CI low"
	highRow        = "  95% CI high"
	IntervalLegend = "95% CI: confidence interval within this run. Another run may differ by more."
)

// minShownInterval is how far one end of a confidence interval must be from the value, as a share of the value, for the
// interval to be shown beside it. Narrower intervals are in the tables of times.
const minShownInterval = 0.1

// ConfidenceInterval returns the 95% confidence interval of a percentile, in thousandths, as text to append to its
// value: " (95% CI 37.0–64.1)". It returns "" if the interval is unknown or narrow.
func ConfidenceInterval(s *rundoc.Summary, permille, raw int64) string {
	if text := interval(s, permille, raw); text != "" {
		return " (" + text + ")"
	}
	return ""
}

func interval(s *rundoc.Summary, permille, raw int64) string {
	i := s.Interval(permille)
	if i == nil || raw <= 0 || float64(max(raw-i.LowNS, i.HighNS-raw)) < minShownInterval*float64(raw) {
		return ""
	}
	return "95% CI " + units.Range(i.LowNS, i.HighNS, raw)
}

// wider reports whether an interval is wider than the last digit of a value as it is shown.
func wider(i *rundoc.Interval, raw int64, show func(ns int64) string) bool {
	return show(i.LowNS) != show(raw) || show(i.HighNS) != show(raw)
}

// withIntervals is WithIntervals without the intervals of a service time that equals the response time.
func (v *View) withIntervals(rows []Timed, u units.Unit) []Timed {
	var all []Timed
	for _, r := range rows {
		if !v.Open && r.Of == &v.Total.ServiceTime {
			all = append(all, r)
			continue
		}
		all = append(all, v.WithIntervals([]Timed{r}, u)...)
	}
	return all
}

// WithIntervals adds rows with the ends of the confidence intervals below each time that has an interval wider than the
// last digit shown. Markdown has these rows for all known intervals.
func (v *View) WithIntervals(rows []Timed, u units.Unit) []Timed {
	var all []Timed
	for _, r := range rows {
		all = append(all, r)
		if r.Name == freeRow {
			continue // its interval is as wide as that of the raw values
		}
		mean := r.Of.MeanInterval()
		if !slices.ContainsFunc(Percentiles(Wide), func(p Percentile) bool {
			i := r.Of.Interval(p.Permille)
			return i != nil && (v.Options.allFree || wider(i, *p.Of(r.Of), u.In))
		}) && (mean == nil || !wider(mean, r.Of.MeanNS, u.In)) {
			continue
		}
		ends := [2]*rundoc.Summary{{}, {}}
		for end, s := range ends {
			at := func(i *rundoc.Interval) int64 { return [2]int64{i.LowNS, i.HighNS}[end] }
			s.SetPercentiles(func(permille int64) *int64 {
				if i := r.Of.Interval(permille); i != nil {
					return new(at(i))
				}
				return nil
			})
			if mean != nil {
				s.MeanNS = at(mean)
			}
		}
		all = append(all, Timed{lowRow, ends[0]}, Timed{highRow, ends[1]})
	}
	return all
}

// isEnd reports whether a row has the lower or upper ends of intervals.
func isEnd(r Timed) bool { return r.Name == lowRow || r.Name == highRow }

// HasIntervals reports whether WithIntervals has added rows.
func HasIntervals(rows []Timed) bool { return slices.ContainsFunc(rows, isEnd) }
