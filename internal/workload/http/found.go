package http

import (
	"errors"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/http1"
	"github.com/plimsoll/plimsoll/internal/http2"
	"github.com/plimsoll/plimsoll/internal/workload/reach"
	"github.com/plimsoll/plimsoll/rundoc"
)

// keepFound keeps what was wrong, the first time that it is told of a cause: of answers and files alone, since what is
// said of them has no secret of ours.
func (h *HTTP) keepFound(why *op.Failure) *op.Failure {
	var one *http1.Error
	var two *http2.Error
	var trouble *reach.Trouble
	what := ""
	switch err := why.Err; {
	case err == nil:
		return why
	case errors.As(err, &one):
		what = one.What()
	case errors.As(err, &two):
		what = two.What()
	case errors.As(err, &trouble):
		what = trouble.Advice()
	case why.Cause == cause.CutOff || strings.HasPrefix(why.Cause, bodyFileCause):
		what = err.Error()
	default:
		return why
	}
	h.found.LoadOrStore(why.Cause, what)
	return why
}

// bodyFileCause begins the causes of what became of a body's file.
const bodyFileCause = "body-file:"

// foundOf are those of the causes that a document has, in their order.
func (h *HTTP) foundOf(doc *rundoc.Run) (list []rundoc.HTTPFound) {
	for i := range doc.Operations {
		for _, c := range doc.Operations[i].Causes {
			what, is := h.found.Load(c.Cause)
			if !is || slices.ContainsFunc(list, func(f rundoc.HTTPFound) bool { return f.Cause == c.Cause }) {
				continue
			}
			list = append(list, rundoc.HTTPFound{Cause: c.Cause, What: what.(string)})
		}
	}
	return list
}
