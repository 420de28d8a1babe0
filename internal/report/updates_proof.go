package report

import (
	"fmt"

	"github.com/plimsoll/plimsoll/rundoc"
)

// proofCounts are the figures that the proof compared.
func (v *view) proofCounts() section {
	p := v.updates.Proof
	if p == nil || !p.Answered() {
		return section{}
	}
	t := table{columns: columnsOf("<", "count", "<")}
	t.add("batches published", number(p.Published), "that the broker acknowledged, those of the warm-up included")
	t.add("batches received", number(p.Received), "each counted once")
	lost := "published and not received"
	if p.Unknown {
		lost = "published, and not received at the server's last answer"
	}
	t.add("lost", number(p.Lost), lost)
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
			t.add(r.name, number(r.n), r.meaning)
		}
	}
	t.add("updates received", number(p.Updates), "in the batches received")
	t.add("applied", number(p.Applied), "")
	t.add("stale", number(p.Stale), "the key had a later update already")
	if p.Partial != 0 {
		t.add("partial", number(p.Partial), "applied of batches that the server refused, and not counted above")
	}
	state := "the expected state"
	switch {
	case !p.StateKnown:
		state = "not compared"
	case p.Found != p.Expected:
		state = fmt.Sprintf("not %s with the digest %016x", some(p.Expected.Live, "key", "keys"), p.Expected.Digest)
	}
	t.add("keys with a value", number(p.Found.Live), fmt.Sprintf("digest %016x: %s", p.Found.Digest, state))
	return section{title: "Proof", tables: []table{t}}
}

// maxRanges is how many ranges of lost batches a report lists.
const maxRanges = 20

// lost lists the sequences that did not arrive.
func (v *view) lost() section {
	p := v.updates.Proof
	if p == nil || len(p.LostSpans) == 0 {
		return section{}
	}
	title := "Lost batches, by publisher and sequence"
	if p.Unknown {
		title = "Batches that had not arrived, by publisher and sequence"
	}
	t := table{columns: columnsOf("publisher", "first", "last", "batches")}
	for i, s := range p.LostSpans {
		if i == maxRanges {
			break
		}
		t.add(number(int64(s.Publisher)), fmt.Sprint(s.First), fmt.Sprint(s.Last), spanLength(s))
	}
	s := section{title: title, tables: []table{t}}
	if more := len(p.LostSpans) - maxRanges; more > 0 {
		s.notes = []string{fmt.Sprintf("And %s; the run document has them.", some(int64(more), "more range", "more ranges"))}
	}
	return s
}

func spanLength(s rundoc.LostSpan) string {
	if n := s.Last - s.First; s.Last >= s.First && n < 1<<62 {
		return number(int64(n) + 1)
	}
	return dash // a document that makes no sense
}

// trials are the steps of a search for the largest rate.
func (v *view) trials() section {
	d := v.updates
	if len(d.Search) == 0 {
		return section{}
	}
	const most = 60 // a search has some 20; a document may have any number
	t := table{columns: columnsOf("batches/s", "updates/s applied", "p99", "behind", "<")}
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
				result += ": " + clean(s.Why)
			}
		}
		t.add(perSecond(s.RatePerS), perSecond(s.AppliedPerS), nonzero(s.E2EP99NS), nonzero(s.BacklogNS), result)
	}
	return section{title: "Search for the largest rate", tables: []table{t}, notes: []string{
		"p99: from the schedule on, or the longest time where the trial was too short for a p99. Behind: from the end of the window to the last batch applied. " +
			"What limited the rate stands in the notes.",
	}}
}
