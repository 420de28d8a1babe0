package show

import (
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// unusual is a sort of replies that were not the one answer to a waiting message.
type unusual struct {
	name    string
	n       int64
	meaning string
}

// UnusualReplies counts the replies that were not the one answer to a waiting message. unreadable says what those are
// that cannot be read.
func UnusualReplies(r *rundoc.Replies, unreadable string) report.Section {
	s := report.Section{Title: "Unusual replies"}
	sorts := slices.DeleteFunc([]unusual{
		{"late", r.Late, "the message had already timed out"},
		{"duplicate", r.Duplicate, "the message had already received a reply"},
		{"reordered", r.Reordered, "in time, but after the reply to a later message"},
		{"unmatched", r.Unmatched, "matches no message of this connection"},
		{"unreadable", r.Unreadable, unreadable},
	}, func(u unusual) bool { return u.n <= 0 })
	if len(sorts) == 0 {
		s.Intro = []string{"None: every reply matched exactly one waiting message."}
		return s
	}
	s.Tables = []report.Table{report.TableOf(sorts,
		report.Left("", func(u unusual) string { return u.name }),
		report.Right("replies", func(u unusual) string { return units.Number(u.n) }),
		report.Left("meaning", func(u unusual) string { return u.meaning }),
	)}
	if r.Example != "" {
		s.Notes = []string{"First unusable reply: " + units.Clean(r.Example)}
	}
	return s
}

// Slowest tells what the messages have in common that took the p99 or longer.
func Slowest(v *report.View, t *rundoc.MessageTail) report.Section {
	if t == nil || t.Messages <= 0 {
		return report.Section{}
	}
	type mark struct {
		name string
		n    int64
	}
	marks := slices.DeleteFunc([]mark{
		{"retried", t.Retried},
		{"waited for a new connection", t.Reconnected},
		{"waited for a free client", t.Waited},
		{"delayed by the generator", t.OwnDelay},
		{"none of these", t.Other},
	}, func(m mark) bool { return m.n <= 0 })
	return report.Section{
		Title: "Slowest messages",
		Intro: []string{fmt.Sprintf("%s took at least the p99 of %s:",
			units.Count(t.Messages, v.Words.One, v.Words.Many), units.Duration(t.FromNS))},
		Tables: []report.Table{report.TableOf(marks,
			report.Left("", func(m mark) string { return m.name }),
			report.Right(v.Words.Many, func(m mark) string { return units.Number(m.n) }),
			report.Right("share", func(m mark) string { return units.Share(float64(m.n), float64(t.Messages)) }),
		)},
		Notes: []string{"A message can be in several rows. Waiting for a free client and generator delay are counted " +
			"only if they took more than half of the time."},
	}
}
