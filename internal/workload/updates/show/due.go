package show

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// DueLine is what became of the batches that were due, as a sum: "450 batches due = 450 in time + 0 late + …".
func DueLine(b *rundoc.DueBatches) string {
	return units.Count(b.Batches, "batch", "batches") + " scheduled = " + dueSum(b)
}

// duePlace is one of the places where a batch can be.
type duePlace struct {
	name  string // also of its row in CSV
	n     int64
	means string
}

// duePlaces are all of them, in the order of the sum.
func duePlaces(b *rundoc.DueBatches) []duePlace {
	within := units.Setting(b.WithinNS)
	places := []duePlace{
		{"in time", b.InTime, "applied within " + within + " of the intended start"},
		{"late", b.Late, "applied later"},
		{"lost", b.Lost, "acknowledged by the broker but not received"},
		{"never published", b.NeverPublished, "not sent, or not acknowledged and not received"},
		{"unknown", b.Unknown, "state unknown at the end of the run"},
	}
	if b.WithinNS <= 0 {
		for i := range 3 { // what a server is asked for
			places[i].means = "no server was queried"
		}
	}
	return places
}

// dueSum leaves out what is zero; the table has it.
func dueSum(b *rundoc.DueBatches) string {
	var parts []string
	for _, p := range duePlaces(b) {
		if p.n != 0 {
			parts = append(parts, units.Number(p.n)+" "+p.name)
		}
	}
	if len(parts) == 0 {
		return "0"
	}
	return strings.Join(parts, " + ")
}

// dueAnswer is the sum as a fact; none of a document of before.
func (v *shown) dueAnswer() report.Fact {
	b := v.detail.Due
	if b == nil {
		return report.Fact{}
	}
	f := report.Fact{Key: "Scheduled", Value: units.Count(b.Batches, "batch", "batches") + " = " + dueSum(b), Strong: true}
	if b.Untimed > 0 {
		f.Value += fmt.Sprintf(" (%s applied at an unknown time)", units.Number(b.Untimed))
	}
	switch {
	case b.Lost+b.NeverPublished > 0:
		f.Tone = report.Bad
	case b.Unknown > 0 || b.Late > 0:
		f.Tone = report.Doubtful
	default:
		f.Tone = report.Good
	}
	return f
}

// due is the table of the sum.
func (v *shown) due() report.Section {
	b := v.detail.Due
	if b == nil {
		return report.Section{}
	}
	share := func(p duePlace) string { return units.Share(float64(p.n), float64(b.Batches)) }
	places := duePlaces(b)
	if b.Untimed > 0 {
		places = append(places, duePlace{"  of them untimed", b.Untimed, "applied at an unknown time"})
	}
	places = append(places, duePlace{"scheduled", b.Batches, "in the window"})
	return report.Section{Title: "Outcome of scheduled batches", Tables: []report.Table{report.TableOf(places,
		report.Left("", func(p duePlace) string { return p.name }),
		report.Right("count", func(p duePlace) string { return units.Number(p.n) }),
		report.Right("share", share),
		report.Left("", func(p duePlace) string { return p.means }),
	)}}
}

// endToEnd are the times from the schedule, over all that was due where the document has that.
func (v *shown) endToEnd(scheduled *rundoc.UpdateStage) string {
	b := v.detail.Due
	if b == nil || b.Absent() <= 0 || scheduled.Summary.Count == 0 {
		return stageAnswer(scheduled) + " from intended start" + v.toTheLast()
	}
	times := b.Times()
	words := report.PercentileWords(&times)
	word := "never"
	if b.Lost+b.NeverPublished == 0 {
		word = "unknown"
	}
	for _, p := range report.Percentiles(report.Medium) {
		if p.Of(&times) == nil && b.Never(p.Permille) {
			words = append(words, p.Name+" "+word)
			break // the higher ones are, too
		}
	}
	return strings.Join(append(words, "max "+word), " · ") + fmt.Sprintf(" from intended start%s, over all scheduled "+
		"batches (%s did not arrive)", v.toTheLast(), units.Share(float64(b.Absent()), float64(b.Batches)))
}
