package report

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/rundoc"
)

// replies counts a chat's replies that were not the one answer to a waiting message.
func (v *view) replies() section {
	if v.chat == nil {
		return section{}
	}
	r := v.chat.Replies
	s := section{title: "Unusual replies"}
	t := table{columns: columnsOf("<", "replies", "<meaning")}
	for _, k := range []struct {
		name    string
		n       int64
		meaning string
	}{
		{"late", r.Late, "the message had timed out before"},
		{"duplicate", r.Duplicate, "the message had been answered before"},
		{"reordered", r.Reordered, "in time, but after the answer to a later message"},
		{"unmatched", r.Unmatched, "names no message of this connection"},
		{"unreadable", r.Unreadable, "no JSON object"},
	} {
		if k.n > 0 {
			t.add(k.name, number(k.n), k.meaning)
		}
	}
	if len(t.rows) == 0 {
		s.intro = []string{"None: each reply was the one answer to a waiting message."}
		return s
	}
	s.tables = []table{t}
	if r.Example != "" {
		s.notes = []string{"The first that could not be used: " + clean(r.Example)}
	}
	return s
}

// rooms is a chat's table by room, without the rooms that had no messages.
func (v *view) rooms() section {
	if v.chat == nil {
		return section{}
	}
	t := table{columns: columnsOf("<room", "ok", "share", "failed", v.words.short+"/s", "mean", "p50", "p99")}
	empty := 0
	for _, r := range v.chat.ByRoom {
		if r.OK+r.Failed == 0 {
			empty++
			continue
		}
		t.add(clean(r.Room), number(r.OK), shareOf(float64(r.OK), float64(v.total.OK)), number(r.Failed),
			perSecond(r.RatePerS), nonzero(r.MeanNS), nonzero(r.P50NS), nonzero(r.P99NS))
	}
	s := section{title: "By room", tables: []table{t}}
	if empty == 0 || len(t.rows) == 0 {
		return s
	}
	note := fmt.Sprintf("Left out: %s in which no %s ended.", some(int64(empty), "room", "rooms"), v.words.one)
	clients := v.run.Ledger.Clients
	if strings.Contains(v.run.Target.URL, "{room}") && clients < len(v.chat.ByRoom) {
		note += fmt.Sprintf(" Each client joins one room, and %s cannot fill %d: set --rooms to %d or fewer.",
			some(int64(clients), "client", "clients"), len(v.chat.ByRoom), clients)
	}
	s.notes = []string{note}
	return s
}

// writtenNote says what became of a file that was written while the run went on.
func writtenNote(f *rundoc.SamplesFile, one, many string) string {
	s := fmt.Sprintf("%s written", some(f.Written, one, many))
	if f.Lost > 0 {
		s += fmt.Sprintf(", %s lost", number(f.Lost))
	}
	if f.Error != "" {
		s += " (" + clean(f.Error) + ")"
	}
	return s
}
