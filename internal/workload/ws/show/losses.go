package show

import (
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Bounds of what the answer shows of lost connections.
const (
	mostLosses  = 2
	longestLoss = 160 // characters
)

// WithLosses adds to the failures of an answer why connections were lost, as far as their causes do not say it.
func WithLosses(facts []report.Fact, l *rundoc.WSLosses) []report.Fact {
	at := slices.IndexFunc(facts, func(f report.Fact) bool { return f.Key == report.KeyErrors })
	if l == nil || at < 0 {
		return facts
	}
	for _, loss := range l.Texts[:min(len(l.Texts), mostLosses)] {
		text := []rune(lossText(loss))
		if len(text) > longestLoss {
			text = append(text[:longestLoss], '…')
		}
		facts[at].Points = append(facts[at].Points, string(text))
	}
	return facts
}

func lossText(l rundoc.WSLoss) string {
	times := ""
	if l.Count > 1 {
		times = fmt.Sprintf(" (%s times)", units.Number(l.Count))
	}
	return fmt.Sprintf("%s: %s%s", report.Cause(l.Cause), units.Clean(l.What), times)
}

// Losses lists why connections were lost; nothing where no more is known than the causes.
func Losses(l *rundoc.WSLosses) report.Section {
	if l == nil {
		return report.Section{}
	}
	s := report.Section{Title: "Lost connections by reason", Tables: []report.Table{report.TableOf(l.Texts,
		report.Left("cause", func(l rundoc.WSLoss) string { return report.Cause(l.Cause) }),
		report.Right("connections", func(l rundoc.WSLoss) string { return units.Number(l.Count) }),
		report.Left("reason", func(l rundoc.WSLoss) string { return units.Clean(l.What) }),
	)}}
	if l.More > 0 {
		s.Notes = append(s.Notes, units.Count(l.More, "connection was", "connections were")+" lost for other reasons.")
	}
	return s
}
