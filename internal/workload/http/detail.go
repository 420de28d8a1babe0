package http

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/rundoc"
)

// detail is what only a run over HTTP has to tell.
func (h *HTTP) detail(got *run.Recorded) (*rundoc.HTTPDetail, error) {
	d := &rundoc.HTTPDetail{Protocol: "HTTP/1.1", Statuses: []rundoc.HTTPStatus{}, Samples: got.Samples}
	if h.plan.Dial.HTTP2 {
		d.Protocol = "HTTP/2"
	}
	statuses := make([]int64, len(h.counts[0].statuses))
	for i := range h.counts[:len(h.counts)-1] { // the last are the warm-up's
		c := &h.counts[i]
		for status := range c.statuses {
			statuses[status] += c.statuses[status].Load()
		}
		d.SentBytes += c.sent.Load()
		d.ReceivedBytes += c.received.Load()
		d.Closed += c.closed.Load()
		d.Churned += c.churned.Load()
		d.Resent += c.resent.Load()
		d.Redirects += c.hops.Load()
	}
	for status, n := range statuses {
		if n > 0 {
			d.Statuses = append(d.Statuses, rundoc.HTTPStatus{Status: status, Count: n})
		}
	}
	failed := map[string]int64{}
	for i := range got.Doc.Operations {
		for _, c := range got.Doc.Operations[i].Causes {
			if check, is := strings.CutPrefix(c.Cause, checkCause); is {
				failed[check] += c.Count
			}
		}
	}
	for check, n := range failed {
		example, _ := h.examples.Load(check)
		text, _ := example.(string)
		d.Failures = append(d.Failures, rundoc.HTTPCheck{Check: check, Count: n, Example: text})
	}
	for what, n := range h.script.Left {
		d.LeftOut = append(d.LeftOut, rundoc.HTTPLeftOut{What: what, Count: int64(n)})
	}
	slices.SortFunc(d.LeftOut, func(a, b rundoc.HTTPLeftOut) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.What, b.What))
	})
	if h.plan.Load.Arrivals == plan.AsRecorded && h.script.Unit >= time.Millisecond {
		d.SpreadNS = int64(h.script.Unit)
	}
	slices.SortFunc(d.Failures, func(a, b rundoc.HTTPCheck) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Check, b.Check))
	})
	if t := h.tokens; t != nil {
		d.Tokens = &rundoc.HTTPTokens{Fetched: t.Fetched.Load(), Failed: t.Failed.Load()}
		if why := t.LastFailure.Load(); why != nil {
			d.Tokens.LastFailure = *why
		}
	}
	var err error
	d.Connecting, err = h.made.document()
	return d, err
}
