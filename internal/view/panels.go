package view

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/page"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/graph"
)

// overlaid are the panels of several runs of one kind: of each that has lines, one with those of all runs.
func overlaid(all []laid, kind report.Kind) []graph.Panel {
	var panels []graph.Panel
	at := map[string]int{}
	for i := range all {
		for _, one := range page.ModelOf(report.PageOf(all[i].run, kind, report.Options{})).Panels {
			if len(one.Series) == 0 || len(one.Spans) > 0 || one.Heat != nil {
				continue // which hides what lies below it
			}
			k, known := at[one.Name]
			if !known {
				k = len(panels)
				at[one.Name] = k
				panels = append(panels, graph.Panel{Name: one.Name, Title: one.Title, X: one.X, Y: one.Y})
			}
			lay(&panels[k], &one, all[i].letter)
		}
	}
	return panels
}

// lay adds the lines of a run. What stands on each other, as parts of a whole, would not be readable.
func lay(into, one *graph.Panel, letter string) {
	into.X.From, into.X.To = math.Min(into.X.From, one.X.From), math.Max(into.X.To, one.X.To)
	for _, s := range one.Series {
		switch s.Style {
		case graph.Bars:
			continue
		case graph.Steps:
			s.Style = graph.Edge
		case graph.Area:
			s.Style = graph.Line
		}
		s.Name = letter + " " + s.Name
		into.Series = append(into.Series, s)
	}
}
