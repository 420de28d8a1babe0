package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// A value is shown with its corrected value where that is lower by more than both of these: a twentieth, by which two
// runs of the same test differ anyway, and a tenth of a millisecond, the cost of a wake-up on an ordinary machine. So
// the report of an undisturbed run has no corrected values.
const (
	minSpanShare = 0.05
	minSpanNS    = 100_000
)

// parted reports whether the generator delay is so large a part of a value that both raw and corrected are shown.
func parted(raw, free *int64) bool {
	if raw == nil || free == nil {
		return false
	}
	off := *raw - *free
	return off > minSpanNS && float64(off) > minSpanShare*float64(*raw)
}

// summaryFigure returns a statistic of a summary, or nil if it is absent.
type summaryFigure = func(*rundoc.Summary) *int64

func meanOf(s *rundoc.Summary) *int64 { return &s.MeanNS }

func maxOf(s *rundoc.Summary) *int64 { return &s.MaxNS }

// freeOf returns the corrected value of a statistic, or nil if it is unknown.
func freeOf(s *rundoc.Summary, figure summaryFigure) *int64 {
	if s.Free == nil || s.Free.Count == 0 {
		return nil
	}
	return figure(s.Free)
}

// spans reports whether any corrected value of a summary is to be shown.
func spans(s *rundoc.Summary) bool {
	figures := []summaryFigure{meanOf, maxOf}
	for _, p := range Percentiles(Wide) {
		figures = append(figures, p.Of)
	}
	return slices.ContainsFunc(figures, func(f summaryFigure) bool { return parted(f(s), freeOf(s, f)) })
}

// SpanWords collects statistics of a time as text, each with its confidence interval and its corrected value where they
// matter: "p99 3.08 ms (2.71 ms corrected)". The zero value is ready to use.
type SpanWords struct {
	words []string
}

// String returns all statistics in one line.
func (w *SpanWords) String() string { return strings.Join(w.words, " · ") }

// AddMean adds the mean.
func (w *SpanWords) AddMean(s *rundoc.Summary) { w.Add("mean", s, meanOf) }

// AddMax adds the longest time.
func (w *SpanWords) AddMax(s *rundoc.Summary) { w.Add("max", s, maxOf) }

// AddMin adds the shortest time. It has no corrected value: the generator delay hardly ever affects it.
func (w *SpanWords) AddMin(s *rundoc.Summary) {
	w.words = append(w.words, "min "+units.Duration(s.MinNS))
}

// AddPercentiles adds p50, p99 and p99.9 as far as the sample supports them, and the highest percentile below p99 where
// that is absent.
func (w *SpanWords) AddPercentiles(s *rundoc.Summary) {
	var instead []Percentile // to be shown if p99 is absent
	for _, p := range Percentiles(Wide) {
		switch {
		case p.Of(s) == nil:
			continue
		case p.from == Narrow:
			instead = nil
		case p.Needs < 100*rundoc.MinAbove:
			instead = []Percentile{p}
			continue
		}
		for _, p := range append(instead, p) {
			w.addPercentile(p, s)
		}
		instead = nil
	}
	for _, p := range instead {
		w.addPercentile(p, s)
	}
}

func (w *SpanWords) addPercentile(p Percentile, s *rundoc.Summary) {
	w.add(p.Name, interval(s, p.Permille, *p.Of(s)), s, p.Of)
}

// Add adds a statistic that the summary has.
func (w *SpanWords) Add(name string, s *rundoc.Summary, figure summaryFigure) {
	w.add(name, "", s, figure)
}

func (w *SpanWords) add(name, within string, s *rundoc.Summary, figure summaryFigure) {
	raw, free := figure(s), freeOf(s, figure)
	text := name + " " + units.Duration(*raw)
	var also []string
	if within != "" {
		also = append(also, within)
	}
	if parted(raw, free) {
		also = append(also, units.Duration(*free)+" corrected")
	}
	if len(also) > 0 {
		text += " (" + strings.Join(also, "; ") + ")"
	}
	w.words = append(w.words, text)
}

// WithFree adds a row of corrected values below each time for which they matter. Markdown has these rows wherever the
// values are known.
func (v *View) WithFree(rows []Timed) []Timed {
	var all []Timed
	for _, r := range rows {
		all = append(all, r)
		if v.showsFree(r.Of) {
			all = append(all, Timed{freeRow, r.Of.Free})
		}
	}
	return all
}

// freeRow is the name of a row that WithFree adds, and FreeLegend its legend.
const (
	freeRow    = "  corrected"
	FreeLegend = "Corrected: without the generator delay."
)

// HasFree reports whether WithFree has added a row.
func HasFree(rows []Timed) bool {
	return slices.ContainsFunc(rows, func(r Timed) bool { return r.Name == freeRow })
}

// showsFree reports whether a table shows the corrected values of a time.
func (v *View) showsFree(s *rundoc.Summary) bool {
	return s.Free != nil && s.Free.Count > 0 && (v.Options.allFree || spans(s))
}

// correctedP99 is the head of the column that freeP99 returns.
const correctedP99 = "p99 corr"

// freeP99 returns a column with the corrected p99, or nil if it matters in no row.
func freeP99[R any](v *View, rows []R, of func(R) *rundoc.Summary) []Column[R] {
	p99 := func(s *rundoc.Summary) *int64 { return s.P99NS }
	if !slices.ContainsFunc(rows, func(r R) bool {
		s := of(r)
		return v.Options.allFree && freeOf(s, p99) != nil || parted(s.P99NS, freeOf(s, p99))
	}) {
		return nil
	}
	return []Column[R]{Right(correctedP99, func(r R) string { return units.Optional(freeOf(of(r), p99)) })}
}

// FreeColumns returns CSV columns with the corrected values of the summary that of returns for a row: mean_ns, the
// percentiles and max_ns. Unknown values are empty.
func FreeColumns[R any](prefix string, of func(R) *rundoc.Summary) []Column[R] {
	column := func(name string, figure summaryFigure) Column[R] {
		return Left(prefix+name, func(r R) string {
			ns := freeOf(of(r), figure)
			if ns == nil {
				return ""
			}
			return strconv.FormatInt(*ns, 10)
		})
	}
	columns := []Column[R]{column("mean_ns", meanOf)}
	for _, p := range Percentiles(Wide) {
		columns = append(columns, column(p.Field, p.Of))
	}
	return append(columns, column("max_ns", maxOf))
}
