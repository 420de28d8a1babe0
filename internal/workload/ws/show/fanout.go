package show

import (
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Fanout is the account of messages that were to reach all receivers of their room, and when they did; nothing for a
// run that had none.
func Fanout(v *report.View, f *rundoc.Fanout) report.Section {
	if f == nil {
		return report.Section{}
	}
	s := report.Section{Title: "Fan-out", Intro: []string{f.Proof() + "."}}
	var all []report.Timed
	for _, t := range f.Times() {
		if t.Summary.Count > 0 {
			all = append(all, report.Timed{Name: t.Name + " receiver", Of: t.Summary})
		}
	}
	if len(all) > 0 {
		u := report.TableUnit(all)
		s.Title += " in " + u.Name
		absent := report.Missing(all, report.Wide)
		all = v.WithIntervals(all, u)
		s.Tables = append(s.Tables, report.TimesTable("", all, u, report.PercentileFigures(report.Wide), report.MaxFigure))
		s.Notes = append(s.Notes, "Time from the intended start of a message until the first, the median and the last "+
			"receiver had it, using kernel receive timestamps. A lost delivery counts with its timeout.")
		if report.HasIntervals(all) {
			s.Notes = append(s.Notes, report.IntervalLegend)
		}
		if len(absent) > 0 {
			s.Notes = append(s.Notes, fmt.Sprintf("%s: too few messages (%s); %s.", units.Dash,
				units.Number(all[0].Of.Count), report.Needs(absent)))
		}
	}
	if len(f.Losers) > 0 {
		s.Tables = append(s.Tables, losers(f))
		s.Notes = append(s.Notes, lossNote(f))
	}
	return withNotes(s, f)
}

// WithFanout adds to the answer, below the response time, how many of the deliveries that were due were made, and when
// the last receiver had a message.
func WithFanout(facts []report.Fact, f *rundoc.Fanout) []report.Fact {
	at := slices.IndexFunc(facts, func(f report.Fact) bool { return f.Key == "Response time" })
	if f == nil || at < 0 {
		return facts
	}
	value := fmt.Sprintf("%s of %s deliveries · %s lost · %s away (receiver disconnected)", units.Number(f.Delivered),
		units.Number(f.Due),
		units.Number(f.Lost), units.Number(f.Away))
	before := " · last receiver "
	for _, p := range report.Percentiles(report.Narrow) {
		if ns := p.Of(&f.Last); ns != nil {
			value += before + p.Name + " " + units.Duration(*ns) + report.ConfidenceInterval(&f.Last, p.Permille, *ns)
			before = ", "
		}
	}
	return slices.Insert(facts, at+1, report.Fact{Key: "Fan-out", Value: value})
}

// losers is the table of the receivers that lost most.
func losers(f *rundoc.Fanout) report.Table {
	return report.TableOf(f.Losers,
		report.Left("receiver", func(l rundoc.Loser) string { return units.Number(l.Receiver) }),
		report.Right("lost", func(l rundoc.Loser) string { return units.Number(l.Lost) }),
		report.Right("share", func(l rundoc.Loser) string { return units.Share(float64(l.Lost), float64(f.Lost)) }),
		report.Right("away", func(l rundoc.Loser) string { return units.Number(l.Away) }),
	)
}

func lossNote(f *rundoc.Fanout) string {
	which := "these"
	if n := int64(len(f.Losers)); n < f.ReceiversLost {
		which = fmt.Sprintf("the %s with the most losses", units.Number(n))
	}
	return fmt.Sprintf("%s lost deliveries; the table shows %s.",
		units.Count(f.ReceiversLost, "receiver", "receivers"), which)
}

// withNotes adds what else is to be known of deliveries and their stamps.
func withNotes(s report.Section, f *rundoc.Fanout) report.Section {
	add := func(n int64, one, many, text string) {
		if n > 0 {
			s.Notes = append(s.Notes, units.Count(n, one, many)+" "+text)
		}
	}
	add(f.Late, "delivery", "deliveries", "arrived after the timeout or after the receiver had been disconnected; "+
		"they count as lost or away.")
	add(f.Withdrawn, "message", "messages", "were refused or lost with their sender's connection and are not counted "+
		"here.")
	add(f.Nobody, "message", "messages", "had no connected receiver.")
	if p50, p95 := f.OwnLateness.P50NS, f.OwnLateness.P95NS; p50 != nil && p95 != nil {
		s.Notes = append(s.Notes, fmt.Sprintf("The generator read 50%% of the deliveries within %s and 95%% within %s of "+
			"their arrival. These times do not include that delay.", units.Duration(*p50), units.Duration(*p95)))
	}
	if f.OwnStamped > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s of %s deliveries have no kernel timestamp; the generator's own "+
			"timestamp is used.",
			units.Number(f.OwnStamped), units.Number(f.Taken)))
	}
	return s
}

// FanoutOf is what a document has of fan-out; nil where it has nothing.
type FanoutOf func(*rundoc.Run) *rundoc.Fanout

// noFanout is why a document has no value of a figure of fan-out.
const noFanout = "the run had no --fanout"

// Figures are those of fan-out.
func (of FanoutOf) Figures() []figure.Source {
	return []figure.Source{
		{Name: "fanout.rate", Help: "deliveries per second of messages in the window", Unit: figure.PerSecond,
			Counts: "deliveries", Number: of.rate},
		of.times("first", "time until the first receiver has a message",
			func(f *rundoc.Fanout) *rundoc.Summary { return &f.First }),
		of.times("median", "time until half of the receivers have a message",
			func(f *rundoc.Fanout) *rundoc.Summary { return &f.Median }),
		of.times("last", "time until all receivers have a message",
			func(f *rundoc.Fanout) *rundoc.Summary { return &f.Last }),
		of.counted("lost_deliveries", "lost deliveries",
			func(f *rundoc.Fanout) int64 { return f.Lost }),
		of.counted("duplicated_deliveries", "duplicate deliveries",
			func(f *rundoc.Fanout) int64 { return f.Duplicated }),
		of.counted("misordered_deliveries", "deliveries after a later message of the same client",
			func(f *rundoc.Fanout) int64 { return f.Misordered }),
	}
}

// rate is how much reaches receivers, however many of them each message is for.
func (of FanoutOf) rate(run *rundoc.Run, _ map[string]string) figure.Value {
	f, window := of(run), run.Ledger.WindowNS
	switch {
	case f == nil:
		return figure.Value{Why: noFanout}
	case window <= 0:
		return figure.Value{Why: "the document has no window"}
	}
	return figure.Value{Raw: float64(f.Delivered) / (float64(window) / 1e9)}
}

func (of FanoutOf) times(name, help string, which func(*rundoc.Fanout) *rundoc.Summary) figure.Source {
	return figure.Source{Name: "fanout." + name, Help: help, Unit: figure.Time,
		Times: func(run *rundoc.Run, _ map[string]string) []rundoc.Summary {
			if f := of(run); f != nil {
				return []rundoc.Summary{*which(f)}
			}
			return nil
		}}
}

func (of FanoutOf) counted(name, help string, which func(*rundoc.Fanout) int64) figure.Source {
	return figure.Source{Name: name, Help: help, Unit: figure.Count,
		Number: func(run *rundoc.Run, _ map[string]string) figure.Value {
			if f := of(run); f != nil {
				return figure.Value{Raw: float64(which(f))}
			}
			return figure.Value{Why: noFanout}
		}}
}
