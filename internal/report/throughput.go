package report

import (
	"fmt"

	"github.com/plimsoll/plimsoll/internal/units"
)

// MaxRows is how many rows a table over time lists; of more, it shows the first and last half.
const MaxRows = 40

// LastSecond bounds the seconds that a document can speak of: 12 days.
const LastSecond = 1 << 20

// Throughput is the course of the throughput.
func (v *View) Throughput() Section {
	list, width := Buckets(v.Run, v.Options.Width()), bucketWidth(v.Run, v.Options.Width())
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
	if v.interval.Absent != "" {
		s.Notes = []string{"No ± is given for the throughput: " + v.interval.Absent + "."}
		return s
	}
	s.Notes = []string{fmt.Sprintf("%s ± %s is the 95 %% confidence interval of the mean from %d full seconds, "+
		"worth %s independent ones.", v.Words.Rate(v.Total.RatePerS), units.PerSecond(v.interval.Half),
		v.interval.Seconds, units.Digits3(v.interval.Effective))}
	return s
}
