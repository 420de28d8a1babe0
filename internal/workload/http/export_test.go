package http

import (
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Detail is what a document has of a run of this workload.
func (h *HTTP) Detail(doc *rundoc.Run) (*rundoc.HTTPDetail, error) {
	return h.detail(&run.Recorded{Doc: doc})
}
