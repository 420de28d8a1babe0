package report

import (
	"math"
	"slices"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The rows of the intervals below a time, and what they are.
const (
	lowRow         = "  low"
	highRow        = "  high"
	IntervalLegend = "Low, high: the 95 % confidence interval of each percentile within this run, if it is known. " +
		"Another run may differ by more."
)

// PlusMinus is how far a percentile, in thousandths, may be from what the run is a sample of, as a share of it:
// " ± 6 %", or " +9 −3 %" where it may be further off to one side. "": it is not known, or less than the last digit that
// is shown.
func PlusMinus(s *rundoc.Summary, permille int64, raw int64) string {
	i := s.Interval(permille)
	if i == nil || raw <= 0 || !wider(i, raw, units.Duration) {
		return ""
	}
	down, up := float64(raw-i.LowNS)/float64(raw), float64(i.HighNS-raw)/float64(raw)
	if most := max(down, up); most <= 1.5*min(down, up) || percents(down) == percents(up) {
		return " ± " + percents(most) + " %"
	}
	return " +" + percents(up) + " −" + percents(down) + " %"
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

// withIntervals adds, below each time of which an interval is wider than the last digit shown, the rows of its ends.
// Markdown, which programs compare, has them wherever they are known.
func (v *View) withIntervals(rows []Timed, u units.Unit) []Timed {
	var all []Timed
	for _, r := range rows {
		all = append(all, r)
		if r.Name == freeRow || !v.Open && r.Of == &v.Total.ServiceTime {
			continue // as wide as the raw one's, and the same as the response time
		}
		if !slices.ContainsFunc(Percentiles(Wide), func(p Percentile) bool {
			i := r.Of.Interval(p.Permille)
			return i != nil && (v.Options.allFree || wider(i, *p.Of(r.Of), u.In))
		}) {
			continue
		}
		low, high := &rundoc.Summary{}, &rundoc.Summary{}
		low.SetPercentiles(func(permille int64) *int64 {
			if i := r.Of.Interval(permille); i != nil {
				return &i.LowNS
			}
			return nil
		})
		high.SetPercentiles(func(permille int64) *int64 {
			if i := r.Of.Interval(permille); i != nil {
				return &i.HighNS
			}
			return nil
		})
		all = append(all, Timed{lowRow, low}, Timed{highRow, high})
	}
	return all
}

// isEnd reports whether a row is an end of intervals, which nothing but percentiles have.
func isEnd(r Timed) bool { return r.Name == lowRow || r.Name == highRow }

// hasIntervals reports whether withIntervals has added rows.
func hasIntervals(rows []Timed) bool { return slices.ContainsFunc(rows, isEnd) }
