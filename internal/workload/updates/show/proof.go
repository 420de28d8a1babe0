package show

import (
	"fmt"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// compared is a figure of the proof.
type compared struct {
	name  string
	n     int64
	means string
}

// proofCounts are the figures that the proof compared.
func (v *shown) proofCounts() report.Section {
	p := v.detail.Proof
	if p == nil || !p.Answered() {
		return report.Section{}
	}
	lost := "published but not received"
	if p.Unknown {
		lost = "published but not received when the server last responded"
	}
	rows := []compared{
		{"batches published", p.Published, "acknowledged by the broker, including warm-up"},
		{"batches received", p.Received, "each counted once"},
		{"lost", p.Lost, lost},
	}
	addIfAny := func(r compared) {
		if r.n != 0 {
			rows = append(rows, r)
		}
	}
	addIfAny(compared{"of them undrained", p.Undrained, "messages still held by the broker at the end"})
	addIfAny(compared{"unsure", p.Unsure, "received although never acknowledged by the broker"})
	addIfAny(compared{"foreign", p.Foreign, "received but not published by this run"})
	addIfAny(compared{"duplicates", p.Duplicates, "repeated deliveries of a batch; not applied again"})
	addIfAny(compared{"unreadable", p.Unreadable, "messages of any program that were not a valid batch"})
	rows = append(rows,
		compared{"updates received", p.Updates, "in the received batches"},
		compared{"applied", p.Applied, ""},
		compared{"stale", p.Stale, "the key already had a later update"})
	addIfAny(compared{"partial", p.Partial, "applied from batches that the server refused; not counted above"})
	state := "matches the expected state"
	switch {
	case !p.StateKnown:
		state = "not compared"
	case p.Found != p.Expected:
		state = fmt.Sprintf("expected %s with digest %016x", units.Count(p.Expected.Live, "key", "keys"),
			p.Expected.Digest)
	}
	rows = append(rows, compared{"keys with a value", p.Found.Live,
		fmt.Sprintf("digest %016x: %s", p.Found.Digest, state)})
	return report.Section{Title: "Proof", Tables: []report.Table{report.TableOf(rows,
		report.Left("", func(r compared) string { return r.name }),
		report.Right("count", func(r compared) string { return units.Number(r.n) }),
		report.Left("", func(r compared) string { return r.means }),
	)}}
}

// maxRanges is how many ranges of lost batches a report lists.
const maxRanges = 20

// lost lists the sequences that did not arrive.
func (v *shown) lost() report.Section {
	p := v.detail.Proof
	if p == nil || len(p.LostSpans) == 0 {
		return report.Section{}
	}
	title := "Lost batches, by publisher and sequence"
	if p.Unknown {
		title = "Missing batches, by publisher and sequence"
	}
	spans := p.LostSpans[:min(len(p.LostSpans), maxRanges)]
	s := report.Section{Title: title, Tables: []report.Table{report.TableOf(spans,
		report.Right("publisher", func(s rundoc.LostSpan) string { return units.Number(int64(s.Publisher)) }),
		report.Right("first", func(s rundoc.LostSpan) string { return fmt.Sprint(s.First) }),
		report.Right("last", func(s rundoc.LostSpan) string { return fmt.Sprint(s.Last) }),
		report.Right("batches", spanLength),
	)}}
	if more := len(p.LostSpans) - maxRanges; more > 0 {
		s.Notes = []string{fmt.Sprintf("%s not shown; see the run document.",
			units.Count(int64(more), "more range", "more ranges"))}
	}
	return s
}

func spanLength(s rundoc.LostSpan) string {
	if n := s.Last - s.First; s.Last >= s.First && n < 1<<62 {
		return units.Number(int64(n) + 1)
	}
	return units.Dash // a document that makes no sense
}

// trials are the steps of a search for the largest rate.
func (v *shown) trials() report.Section {
	type trial = rundoc.UpdateTrial
	d := v.detail
	if len(d.Search) == 0 {
		return report.Section{}
	}
	const most = 60 // a search has some 20; a document may have any number
	return report.Section{Title: "Search for the largest rate", Tables: []report.Table{report.First(d.Search, most,
		report.Right("batches/s", func(s trial) string { return units.PerSecond(s.RatePerS) }),
		report.Right("updates/s applied", func(s trial) string { return units.PerSecond(s.AppliedPerS) }),
		report.Right("p99", func(s trial) string { return units.Nonzero(s.E2EP99NS) }),
		report.Right("behind", func(s trial) string { return units.Nonzero(s.BacklogNS) }),
		report.Left("", resultOf).More(),
	)}, Notes: []string{
		"p99: from intended start, or the maximum if the trial was too short for a p99. behind: from the end of the " +
			"window to the last batch applied. See the notes for what limited the rate.",
	}}
}

// resultOf is what came of a trial.
func resultOf(s rundoc.UpdateTrial) string {
	switch {
	case s.Interrupted:
		return "interrupted"
	case s.Sustained:
		return "sustained"
	case s.Why != "":
		return "not sustained: " + units.Clean(s.Why)
	}
	return "not sustained"
}
