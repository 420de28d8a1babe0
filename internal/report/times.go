package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
)

// Times returns the table of response times, service times and send delays.
func (v *View) Times() Section {
	s := Section{Title: "Times"}
	o := &v.Total
	all := []Timed{{"response time", &o.ResponseTime}, {"service time", &o.ServiceTime}, {"send delay", &o.SendDelay}}
	if o.Retries > 0 {
		all = append(all, Timed{"first attempt", &o.FirstAttempt})
	}
	all = slices.DeleteFunc(all, func(r Timed) bool { return r.Of.Count == 0 })
	if len(all) == 0 {
		s.Intro = []string{fmt.Sprintf("No %s succeeded, so there are no times.", v.Words.One)}
		return s
	}
	u := TableUnit(all)
	absent := Missing(all, Wide)
	if v.Open {
		all = v.WithFree(all)
	} else {
		all = append(v.WithFree(all[:1]), all[1:]...) // the service time equals the response time
	}
	all = v.withIntervals(all, u)
	s.Title += " in " + u.Name
	s.Tables = []Table{TimesTable("", all, u, MeanFigure, PercentileFigures(Wide), MinFigure, MaxFigure)}
	s.Notes = []string{v.timesLegend()}
	if HasFree(all) {
		s.Notes = append(s.Notes, FreeLegend)
	}
	if HasIntervals(all) {
		s.Notes = append(s.Notes, IntervalLegend)
	}
	if len(absent) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s: the sample of %s is too small: %s.",
			units.Dash, units.Number(o.ResponseTime.Count), Needs(absent)))
	}
	return s
}

func (v *View) timesLegend() string {
	var b strings.Builder
	if v.Open {
		b.WriteString("Response time: from the intended start to the end. Service time: from the actual start to the " +
			"end. Send delay: the time between, waiting for a free client or for the generator.")
	} else {
		fmt.Fprintf(&b, "Closed model: each client starts its next %s when the previous one has ended, so response time "+
			"and service time are equal. Waiting times of users are not measured; use --rate for that.", v.Words.One)
	}
	if v.Total.Retries > 0 {
		b.WriteString(" Both include retries; the first attempt is also shown separately.")
	}
	return b.String()
}

// MaxRows limits the rows of a table over time. A longer one shows the first and last half of so many.
const MaxRows = 40

// LastSecond bounds the seconds of a time series: 12 days.
const LastSecond = 1 << 20

// Throughput returns the throughput over time.
func (v *View) Throughput() Section {
	list, width := Buckets(v.Run, v.Options.BucketWidth()), bucketWidth(v.Run, v.Options.BucketWidth())
	if len(list) == 0 || len(v.Run.Series) == 0 {
		return Section{}
	}
	highest := 0.0
	for _, b := range list {
		highest = max(highest, b.PerSecond)
	}
	start := list[0].Start
	s := Section{Title: "Throughput per " + units.Setting(int64(width)), Tables: []Table{Ends(list, MaxRows,
		Right("from", func(b Bucket) string { return units.Clock(b.Start.Sub(start)) }),
		Right("to", func(b Bucket) string { return units.ClockEnd(b.End.Sub(start)) }),
		Right(v.Words.Many, func(b Bucket) string { return units.Number(b.Messages) }).More(),
		Right(v.Words.Short+"/s", func(b Bucket) string { return units.PerSecond(b.PerSecond) }),
		Bars(func(b Bucket) float64 {
			if highest <= 0 {
				return 0
			}
			return b.PerSecond / highest
		}),
	)}}
	// A last bucket that the end of the window cut short is not compared with the others.
	whole := slices.DeleteFunc(slices.Clone(list), func(b Bucket) bool { return b.End.Sub(b.Start) < width })
	if len(whole) > 1 {
		s.Notes = append(s.Notes, v.extremes(whole))
	}
	if v.interval.Absent != "" {
		s.Notes = append(s.Notes, "No confidence interval: "+v.interval.Absent+".")
		return s
	}
	s.Notes = append(s.Notes, fmt.Sprintf("Mean %s (%s), from %d full seconds (effective sample size %s).",
		v.Words.Rate(v.Total.RatePerS), v.rateInterval(), v.interval.Seconds, units.Digits3(v.interval.Effective)))
	return s
}

// extremes names the buckets with the highest and the lowest throughput.
func (v *View) extremes(list []Bucket) string {
	less := func(a, b Bucket) int { return cmp.Compare(a.PerSecond, b.PerSecond) }
	start, peak, lowest := list[0].Start, slices.MaxFunc(list, less), slices.MinFunc(list, less)
	if peak.PerSecond == lowest.PerSecond {
		return "All have the same rate."
	}
	words := func(b Bucket) string {
		return fmt.Sprintf("%s from %s to %s", v.Words.Rate(b.PerSecond), units.Clock(b.Start.Sub(start)),
			units.ClockEnd(b.End.Sub(start)))
	}
	return "Highest " + words(peak) + "; lowest " + words(lowest) + "."
}
