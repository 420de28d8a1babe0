package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Percentile is one of those that a summary has.
type Percentile struct {
	Name     string // "p99.9"
	Permille int64
	Field    string // as a column of CSV: "p999_ns"
	Of       func(*rundoc.Summary) *int64
	Needs    int64 // observations, for rundoc.MinAbove to lie above it
	from     Detail
}

// Detail is how many percentiles a table has room for.
type Detail int

const (
	Narrow Detail = iota // the middle and the slow end
	Medium
	Wide // all of them
)

// Percentiles are those that tables of this width show. All that reports and CSV say of percentiles
// follows from this list.
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

// PercentileColumns are columns of the percentiles of the summary that of finds in a row.
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

// PercentileColumnsWithin are PercentileColumns that say how well the run knows each.
func PercentileColumnsWithin[R any](width Detail, of func(R) *rundoc.Summary) []Column[R] {
	var columns []Column[R]
	for _, p := range Percentiles(width) {
		columns = append(columns, Right(p.Name, func(r R) string {
			if ns := p.Of(of(r)); ns != nil {
				return units.Duration(*ns) + PlusMinus(of(r), p.Permille, *ns)
			}
			return units.Dash
		}))
	}
	return columns
}

// PercentileWords are the middle and the slow end in words, as far as the sample supports them: the
// highest percentile below p99 is shown only where that is absent.
func PercentileWords(s *rundoc.Summary) []string {
	var w SpanWords
	w.AddPercentiles(s)
	return w.words
}

// Timed is a row of a table of times.
type Timed struct {
	Name string
	Of   *rundoc.Summary
}

// TableUnit is the one unit of a whole table, so that its rows compare at a glance: that of
// the largest p99, or of the largest time where there is no p99.
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

// Figures are columns of a table of times, in its unit.
type Figures func(units.Unit) []Column[Timed]

// CountFigure is how many times there were.
func CountFigure(units.Unit) []Column[Timed] {
	return column("count", func(r Timed) string { return units.Number(r.Of.Count) })
}

// column is one of a figure that is no percentile.
func column(head string, cell func(Timed) string) []Column[Timed] {
	return []Column[Timed]{Right(head, func(r Timed) string {
		if isEnd(r) {
			return ""
		}
		return cell(r)
	})}
}

// MeanFigure is the mean.
func MeanFigure(u units.Unit) []Column[Timed] {
	return []Column[Timed]{Right("mean", func(r Timed) string {
		if isEnd(r) && r.Of.MeanNS == 0 {
			return "" // of an interval that is not known
		}
		return u.In(r.Of.MeanNS)
	})}
}

// MinFigure is the shortest time.
func MinFigure(u units.Unit) []Column[Timed] {
	return column("min", func(r Timed) string { return u.In(r.Of.MinNS) })
}

// MaxFigure is the longest time.
func MaxFigure(u units.Unit) []Column[Timed] {
	return column("max", func(r Timed) string { return u.In(r.Of.MaxNS) })
}

// PercentileFigures are the percentiles for which there is room.
func PercentileFigures(width Detail) Figures {
	return func(u units.Unit) []Column[Timed] {
		return PercentileColumns(width, func(r Timed) *rundoc.Summary { return r.Of }, u.In)
	}
}

// TimesTable is a table of times in one unit.
func TimesTable(head string, rows []Timed, u units.Unit, figures ...Figures) Table {
	columns := []Column[Timed]{Left(head, func(r Timed) string { return r.Name })}
	for _, f := range figures {
		columns = append(columns, f(u)...)
	}
	return TableOf(rows, columns...)
}

// Missing are the percentiles that some of the rows lack: those have too few times.
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

// Needs says how many times percentiles need: "p99 needs 1,000, p99.9 needs 10,000, so that 10 lie
// above it".
func Needs(list []Percentile) string {
	var parts []string
	for _, p := range list {
		parts = append(parts, fmt.Sprintf("%s needs %s", p.Name, units.Number(p.Needs)))
	}
	return fmt.Sprintf("%s, so that %d lie above it", strings.Join(parts, ", "), rundoc.MinAbove)
}

// The rows of the intervals below a time, and what they are.
const (
	lowRow         = "  low"
	highRow        = "  high"
	IntervalLegend = "Low, high: the 95% confidence interval of each percentile and of the mean within this run, where " +
		"it is known. Another run may differ by more."
)

// PlusMinus is how far a percentile, in thousandths, may be from what the run is a sample of, as a share of it:
// " ± 6%", or " +9 −3%" where it may be further off to one side. "": it is not known, or less than the last digit
// that is shown.
func PlusMinus(s *rundoc.Summary, permille int64, raw int64) string {
	i := s.Interval(permille)
	if i == nil || raw <= 0 || !wider(i, raw, units.Duration) {
		return ""
	}
	down, up := float64(raw-i.LowNS)/float64(raw), float64(i.HighNS-raw)/float64(raw)
	if most := max(down, up); most <= 1.5*min(down, up) || percents(down) == percents(up) {
		return " ± " + percents(most) + "%"
	}
	return " +" + percents(up) + " −" + percents(down) + "%"
}

// percents is a share in whole percents, or tenths where it is small.
func percents(share float64) string {
	decimals := 0
	if share < 0.0095 {
		decimals = 1
	}
	return units.Grouped(strconv.FormatFloat(max(0, math.Round(share*1000)/10), 'f', decimals, 64))
}

// wider reports whether an interval is wider than the last digit of a figure as it is shown.
func wider(i *rundoc.Interval, raw int64, show func(ns int64) string) bool {
	return show(i.LowNS) != show(raw) || show(i.HighNS) != show(raw)
}

// withIntervals is WithIntervals for the times that every run has, of which the service time may be the response time.
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

// WithIntervals adds, below each time of which an interval is wider than the last digit shown, the rows of its ends.
// Markdown, which programs compare, has them wherever they are known.
func (v *View) WithIntervals(rows []Timed, u units.Unit) []Timed {
	var all []Timed
	for _, r := range rows {
		all = append(all, r)
		if r.Name == freeRow {
			continue // as wide as the raw one's
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

// isEnd reports whether a row is an end of intervals, which percentiles and means have.
func isEnd(r Timed) bool { return r.Name == lowRow || r.Name == highRow }

// HasIntervals reports whether WithIntervals has added rows.
func HasIntervals(rows []Timed) bool { return slices.ContainsFunc(rows, isEnd) }
