package report

import (
	"fmt"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// proofCounts are the figures that the proof compared.
func (v *updatesView) proofCounts() Section {
	p := v.detail.Proof
	if p == nil || !p.Answered() {
		return Section{}
	}
	t := Table{columns: columnsOf("<", "count", "<")}
	t.add("batches published", units.Number(p.Published), "that the broker acknowledged, those of the warm-up included")
	t.add("batches received", units.Number(p.Received), "each counted once")
	lost := "published and not received"
	if p.Unknown {
		lost = "published, and not received at the server's last answer"
	}
	t.add("lost", units.Number(p.Lost), lost)
	for _, r := range []struct {
		name    string
		n       int64
		meaning string
	}{
		{"of them undrained", p.Undrained, "the broker still held as many messages at the end"},
		{"unsure", p.Unsure, "never acknowledged by the broker, and received all the same"},
		{"foreign", p.Foreign, "received, and not published by this run"},
		{"duplicates", p.Duplicates, "deliveries of a batch that was there already; not applied again"},
		{"unreadable", p.Unreadable, "messages of any program that were no batch, or a broken one"},
	} {
		if r.n != 0 {
			t.add(r.name, units.Number(r.n), r.meaning)
		}
	}
	t.add("updates received", units.Number(p.Updates), "in the batches received")
	t.add("applied", units.Number(p.Applied), "")
	t.add("stale", units.Number(p.Stale), "the key had a later update already")
	if p.Partial != 0 {
		t.add("partial", units.Number(p.Partial), "applied of batches that the server refused, and not counted above")
	}
	state := "the expected state"
	switch {
	case !p.StateKnown:
		state = "not compared"
	case p.Found != p.Expected:
		state = fmt.Sprintf("not %s with the digest %016x", units.Count(p.Expected.Live, "key", "keys"), p.Expected.Digest)
	}
	t.add("keys with a value", units.Number(p.Found.Live), fmt.Sprintf("digest %016x: %s", p.Found.Digest, state))
	return Section{Title: "Proof", Tables: []Table{t}}
}

// maxRanges is how many ranges of lost batches a report lists.
const maxRanges = 20

// lost lists the sequences that did not arrive.
func (v *updatesView) lost() Section {
	p := v.detail.Proof
	if p == nil || len(p.LostSpans) == 0 {
		return Section{}
	}
	title := "Lost batches, by publisher and sequence"
	if p.Unknown {
		title = "Batches that had not arrived, by publisher and sequence"
	}
	t := Table{columns: columnsOf("publisher", "first", "last", "batches")}
	for i, s := range p.LostSpans {
		if i == maxRanges {
			break
		}
		t.add(units.Number(int64(s.Publisher)), fmt.Sprint(s.First), fmt.Sprint(s.Last), spanLength(s))
	}
	s := Section{Title: title, Tables: []Table{t}}
	if more := len(p.LostSpans) - maxRanges; more > 0 {
		s.Notes = []string{fmt.Sprintf("And %s; the run document has them.", units.Count(int64(more), "more range", "more ranges"))}
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
func (v *updatesView) trials() Section {
	d := v.detail
	if len(d.Search) == 0 {
		return Section{}
	}
	const most = 60 // a search has some 20; a document may have any number
	t := Table{columns: columnsOf("batches/s", "updates/s applied", "p99", "behind", "<")}
	for i, s := range d.Search {
		if i == most {
			t.add("…", "…", "…", "…", fmt.Sprintf("(%d more)", len(d.Search)-most))
			break
		}
		result := "sustained"
		if s.Interrupted {
			result = "interrupted"
		} else if !s.Sustained {
			result = "not sustained"
			if s.Why != "" {
				result += ": " + units.Clean(s.Why)
			}
		}
		t.add(units.PerSecond(s.RatePerS), units.PerSecond(s.AppliedPerS), units.Nonzero(s.E2EP99NS), units.Nonzero(s.BacklogNS), result)
	}
	return Section{Title: "Search for the largest rate", Tables: []Table{t}, Notes: []string{
		"p99: from the schedule on, or the longest time where the trial was too short for a p99. Behind: from the end of the window to the last batch applied. " +
			"What limited the rate stands in the notes.",
	}}
}
