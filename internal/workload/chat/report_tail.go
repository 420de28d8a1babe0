package chat

import (
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
)

// slowest tells what the messages have in common that took the p99 or longer.
func (v *shown) slowest() report.Section {
	t := v.detail.Tail
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
		Intro: []string{fmt.Sprintf("%s took the p99 of %s or longer. What they have in common:",
			units.Count(t.Messages, v.Words.One, v.Words.Many), units.Duration(t.FromNS))},
		Tables: []report.Table{report.TableOf(marks,
			report.Left("", func(m mark) string { return m.name }),
			report.Right(v.Words.Many, func(m mark) string { return units.Number(m.n) }),
			report.Right("share", func(m mark) string { return units.Share(float64(m.n), float64(t.Messages)) }),
		)},
		Notes: []string{"One may be in several rows. That it waited for a free client, or was delayed by the generator, is " +
			"said where that was more than half of its time."},
	}
}
