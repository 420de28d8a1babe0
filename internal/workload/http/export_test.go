package http

import (
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Detail is what a document has of a run of this workload.
func (h *HTTP) Detail(doc *rundoc.Run) (*rundoc.HTTPDetail, error) {
	return h.detail(&run.Recorded{Doc: doc})
}

// Script is what the clients of the plan do.
func (p *Plan) Script() (*script.Script, error) { return p.script("http://localhost/") }

// Bodies are the rates of what was measured.
func (h *HTTP) Bodies() (up, down *rundoc.HTTPBodies) { return h.rates.Figures() }

// BodyFiles are the files that were sent.
func (h *HTTP) BodyFiles() []rundoc.HTTPBodyFile { return h.files.Document() }
