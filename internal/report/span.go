package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// A figure is shown with what it would be without the generator's own delay where that is lower by more than both
// of these: a twentieth, which is what two runs of the same thing differ by anyway, and the tenth of a millisecond
// that it costs an ordinary machine to wake whoever waits for an answer. So a quiet run's report has none.
const (
	minSpanShare = 0.05
	minSpanNS    = 100_000
)

// parted reports whether the generator's own delay makes so much of a figure that both are to be shown.
func parted(raw, free *int64) bool {
	if raw == nil || free == nil {
		return false
	}
	off := *raw - *free
	return off > minSpanNS && float64(off) > minSpanShare*float64(*raw)
}

// summaryFigure is one of the figures of a summary; nil where it does not have it.
type summaryFigure = func(*rundoc.Summary) *int64

func meanOf(s *rundoc.Summary) *int64 { return &s.MeanNS }

func maxOf(s *rundoc.Summary) *int64 { return &s.MaxNS }

// freeOf is a figure of a summary without the generator's own delay, or nil where that is not known.
func freeOf(s *rundoc.Summary, figure summaryFigure) *int64 {
	if s.Free == nil || s.Free.Count == 0 {
		return nil
	}
	return figure(s.Free)
}

// spans reports whether any figure of a summary is to be shown without the generator's own delay, too.
func spans(s *rundoc.Summary) bool {
	figures := []summaryFigure{meanOf, maxOf}
	for _, p := range Percentiles(Wide) {
		figures = append(figures, p.Of)
	}
	return slices.ContainsFunc(figures, func(f summaryFigure) bool { return parted(f(s), freeOf(s, f)) })
}

// SpanWords are figures of a time in words, each with what it would be without the generator's own delay
// where that matters. The first such says what it is. The zero value is ready.
type SpanWords struct {
	words []string
	told  bool
}

// String is all the figures.
func (w *SpanWords) String() string { return strings.Join(w.words, " · ") }

// AddMean adds the mean.
func (w *SpanWords) AddMean(s *rundoc.Summary) { w.Add("mean", s, meanOf) }

// AddMax adds the longest time.
func (w *SpanWords) AddMax(s *rundoc.Summary) { w.Add("max", s, maxOf) }

// AddMin adds the shortest time, which a generator's delay hardly ever has a part in.
func (w *SpanWords) AddMin(s *rundoc.Summary) {
	w.words = append(w.words, "min "+units.Duration(s.MinNS))
}

// AddPercentiles adds those of the middle and the slow end that the sample supports: the highest
// percentile below p99 only where that is absent.
func (w *SpanWords) AddPercentiles(s *rundoc.Summary) {
	var instead []Percentile // of p99
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

// addPercentile adds a percentile, with how well this run knows it.
func (w *SpanWords) addPercentile(p Percentile, s *rundoc.Summary) {
	w.add(p.Name, PlusMinus(s, p.Permille, *p.Of(s)), s, p.Of)
}

// Add adds a figure that the summary has.
func (w *SpanWords) Add(name string, s *rundoc.Summary, figure summaryFigure) {
	w.add(name, "", s, figure)
}

func (w *SpanWords) add(name, within string, s *rundoc.Summary, figure summaryFigure) {
	raw, free := figure(s), freeOf(s, figure)
	text := name + " " + units.Duration(*raw) + within
	if parted(raw, free) {
		text += " (" + beside(*raw, *free)
		if !w.told {
			text += " without the generator's own delay"
		}
		w.told = true
		text += ")"
	}
	w.words = append(w.words, text)
}

// beside is a figure that stands beside another one; where both are in one unit that stands there already.
func beside(raw, free int64) string {
	if u := units.UnitFor(raw); u == units.UnitFor(free) {
		return u.In(free)
	}
	return units.Duration(free)
}

// WithFree adds, below each time whose figures are shown without the generator's own delay, too, a row of
// those. Markdown, which programs compare, has them wherever they are known.
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

// freeRow is what a row of WithFree is called, and FreeLegend says what it is.
const (
	freeRow    = "  free"
	FreeLegend = "Free: without the generator's own delay."
)

// HasFree reports whether WithFree has added a row.
func HasFree(rows []Timed) bool {
	return slices.ContainsFunc(rows, func(r Timed) bool { return r.Name == freeRow })
}

// showsFree reports whether a table has a place for a time without the generator's own delay.
func (v *View) showsFree(s *rundoc.Summary) bool {
	return s.Free != nil && s.Free.Count > 0 && (v.Options.allFree || spans(s))
}

// freeP99 is a column of the p99 without the generator's own delay, if that matters in any row.
func freeP99[R any](v *View, rows []R, of func(R) *rundoc.Summary) []Column[R] {
	p99 := func(s *rundoc.Summary) *int64 { return s.P99NS }
	if !slices.ContainsFunc(rows, func(r R) bool {
		s := of(r)
		return v.Options.allFree && freeOf(s, p99) != nil || parted(s.P99NS, freeOf(s, p99))
	}) {
		return nil
	}
	return []Column[R]{Right("p99 free", func(r R) string { return units.Optional(freeOf(of(r), p99)) })}
}

// FreeColumns are columns of CSV, of the summary that of finds in a row, without the generator's own delay: mean_ns,
// the percentiles and max_ns. They are there in every document, and empty where that is not known.
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
