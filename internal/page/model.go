package page

import (
	"encoding/json"
	"math"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/graph"
)

// Model is a report before it is rendered, and its charts.
type Model struct {
	Title    string
	Subtitle string
	Now      string      // the progress of a running measurement; "": it has ended
	Before   report.Fact // above all other facts; may be empty
	Facts    []report.Fact
	Tiles    []report.Tile // the headline values
	// The thresholds of a run, and notes on them.
	Thresholds     []report.ThresholdRow
	ThresholdNotes []string
	Lead           report.Table // the results as a table; most reports have none
	Panels         []graph.Panel
	Sections       []report.Section
	Next           string // the command to try next; "": none
}

// ModelOf returns the model of a report. The thresholds of a run are part of the results instead of a section.
func ModelOf(p report.Page) Model {
	of := Model{
		Title: p.Title, Subtitle: p.Subtitle(), Before: p.Before, Facts: p.Answer(), Tiles: p.Tiles(),
		Thresholds: p.Thresholds(), Lead: p.Lead(math.MaxInt32), Panels: p.Graphs(), Next: p.Next,
	}
	for _, s := range p.ShownSections() {
		if len(of.Thresholds) > 0 && report.SectionName(s.Title) == "thresholds" {
			of.ThresholdNotes = s.Notes
			continue
		}
		of.Sections = append(of.Sections, s)
	}
	return of
}

// event is a model for the script of the page. Text is sent as HTML, made by the same functions as that of a file.
type event struct {
	Title   string        `json:"title"`
	Head    string        `json:"head"`
	Answer  string        `json:"answer"`
	Details string        `json:"details"`
	Over    bool          `json:"over"`
	Panels  []graph.Panel `json:"panels"`
}

// Event returns the model as JSON on one line, for the event stream of a live page.
func (m *Model) Event() ([]byte, error) {
	e := event{Title: m.Title, Over: m.Now == "", Panels: m.Panels}
	var head, answer, details markup
	head.head(m)
	answer.answer(m)
	details.details(m.Sections)
	e.Head, e.Answer, e.Details = head.String(), answer.String(), details.String()
	return json.Marshal(e)
}
