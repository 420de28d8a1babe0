package http

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/rundoc"
)

// detail is what only a run over HTTP has to tell.
func (h *HTTP) detail(got *run.Recorded) (*rundoc.HTTPDetail, error) {
	d := &rundoc.HTTPDetail{Protocol: "HTTP/1.1", Statuses: []rundoc.HTTPStatus{}, Samples: got.Samples}
	if h.plan.Dial.HTTP2 {
		d.Protocol, d.StreamLimit = "HTTP/2", h.made.streams
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
	d.Upload, d.Download = h.rates.Figures()
	d.BodyFiles, d.Found = h.files.Document(), h.foundOf(got.Doc)
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
	d.ReplacedCookies, d.RefusedCookies = h.replaced.document(), h.refused.document()
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

// samples are those of a run: the actual start in UTC, the request, the response time and its parts in ms, "ok" or why
// not, and the bytes.
func (h *HTTP) samples(o *plan.Output) run.Samples {
	s := run.Samples{Path: o.Samples, Header: "timestamp,request,latencyMs,statusCode,sendMs,waitMs,bodyMs,bytes\n",
		Format: h.row, All: o.Warmup}
	if s.All {
		s.Header = s.Header[:len(s.Header)-1] + ",phase\n"
		s.Format = func(b []byte, m *record.Sample) []byte {
			b = h.row(b, m)
			b = append(b[:len(b)-1], ',')
			b = append(b, m.Phase...)
			return append(b, '\n')
		}
	}
	return s
}

func (h *HTTP) row(row []byte, s *record.Sample) []byte {
	millis := func(ns int64) {
		row = append(row, ',')
		row = strconv.AppendFloat(row, float64(ns)/1e6, 'f', 3, 64)
	}
	row = s.Began.UTC().AppendFormat(row, "2006-01-02T15:04:05.000000Z")
	row = append(row, ',')
	row = append(row, quoted(h.kinds[s.Kind].Name)...)
	millis(s.End - s.Intended)
	row = append(row, ',')
	row = append(row, quoted(run.Status(s))...)
	if s.Stages.Known {
		millis(s.Stages.Send)
		millis(s.Stages.Wait)
		millis(s.Stages.Body)
	} else {
		row = append(row, ",,,"...)
	}
	row = append(row, ',')
	row = strconv.AppendInt(row, s.Bytes, 10)
	return append(row, '\n')
}

// quoted is a field of CSV (RFC 4180).
func quoted(s string) string {
	for _, c := range s {
		if c == ',' || c == '"' || c == '\n' || c == '\r' {
			return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
		}
	}
	return s
}
