package page

import (
	"encoding/json"
	"math"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/graph"
)

// Model is what a page shows: a report before it is rendered, and its charts.
type Model struct {
	Title    string
	Subtitle string
	Now      string      // what a run that goes on does now, and how far it is; "": it is over
	Before   report.Fact // before all the rest, where there is such a thing
	Facts    []report.Fact
	Lead     report.Table // before the answer; most have none
	Panels   []graph.Panel
	Sections []report.Section
	Next     string // the command to try next; "": none
}

// ModelOf is what the page of a report shows.
func ModelOf(p report.Page) Model {
	return Model{
		Title: p.Title, Subtitle: p.Subtitle(), Before: p.Before, Facts: p.Answer(), Lead: p.Lead(math.MaxInt32),
		Panels: p.Graphs(), Sections: p.ShownSections(), Next: p.Next,
	}
}

// event is a model as the script of the page takes it. The words come as HTML, made by what makes those of a file:
// nothing is laid out in two ways.
type event struct {
	Title   string        `json:"title"`
	Head    string        `json:"head"`
	Answer  string        `json:"answer"`
	Details string        `json:"details"`
	Over    bool          `json:"over"`
	Panels  []graph.Panel `json:"panels"`
}

// Event is the model as JSON on one line, for the stream of events that a live page listens to, and for update of its
// script.
func (m *Model) Event() ([]byte, error) {
	e := event{Title: m.Title, Over: m.Now == "", Panels: m.Panels}
	var head, answer, details markup
	head.head(m)
	answer.answer(m)
	details.details(m.Sections)
	e.Head, e.Answer, e.Details = head.String(), answer.String(), details.String()
	return json.Marshal(e)
}
