package show

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// searchPanel are the trials of a search for the largest rate.
func (v *shown) searchPanel() []graph.Panel {
	if len(v.detail.Search) == 0 {
		return nil
	}
	kinds := []struct {
		name string
		role graph.Role
		is   func(*rundoc.UpdateTrial) bool
	}{
		{"sustained", graph.Met, func(t *rundoc.UpdateTrial) bool { return t.Sustained }},
		{"not sustained", graph.Failed, func(t *rundoc.UpdateTrial) bool { return !t.Sustained && !t.Interrupted }},
		{"interrupted", graph.Unknown, func(t *rundoc.UpdateTrial) bool { return !t.Sustained && t.Interrupted }},
	}
	soon := graph.Panel{Name: "search", Title: "Search for the largest rate: end-to-end p99 by trial",
		Intro: "A trial is a run at one rate. The rate is not sustained if the queue was not drained soon after its end.",
		X:     graph.Axis{Name: "offered", Word: "batches/s"}, Y: graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log}}
	applied := graph.Panel{Name: "search-applied", Title: "Search for the largest rate: applied by trial, " +
		"updates/s",
		X: soon.X, Y: graph.Axis{Word: "updates/s"}}
	for _, k := range kinds {
		a := graph.Series{Name: k.name, Role: k.role, Style: graph.Dots}
		b := a
		for i := range v.detail.Search {
			t := &v.detail.Search[i]
			if !k.is(t) {
				continue
			}
			text := "trial " + units.Number(int64(i+1))
			if t.Why != "" {
				text += ": " + units.Clean(t.Why)
			}
			a.X, a.Y, a.Texts = append(a.X, t.RatePerS), append(a.Y, known(t.E2EP99NS)), append(a.Texts, text)
			b.X, b.Y, b.Texts = append(b.X, t.RatePerS), append(b.Y, t.AppliedPerS), append(b.Texts, text)
		}
		if len(a.X) > 0 {
			soon.Series, applied.Series = append(soon.Series, a), append(applied.Series, b)
		}
	}
	return []graph.Panel{soon, applied}
}

// leastEnd is how much of a second the end of a window must be for a rate of its own.
const leastEnd = 0.2

// readPanels are the reads beside the updates, over time.
func (v *shown) readPanels() []graph.Panel {
	r := v.detail.Reads
	if r == nil {
		return nil
	}
	ok := graph.Series{Name: "ok", Role: graph.OK, Style: graph.Steps}
	failed := graph.Series{Name: "failed", Role: graph.Failed, Style: graph.Edge}
	p50, p99 := graph.Series{Name: "p50", Role: graph.P50}, graph.Series{Name: "p99", Role: graph.P99}
	anyFailed, last := false, int64(-1)
	for _, p := range r.Series {
		if p.Second <= last || p.Second >= report.LastSecond || min(p.OK, p.Failed) < 0 {
			continue // a document that makes no sense
		}
		last = p.Second
		at, long := float64(p.Second), float64(p.Length())
		if window := float64(v.WindowNS) / 1e9; window-at >= leastEnd { // less of a second says nothing as a rate
			long = min(long, window-at)
		}
		ok.X, ok.To, ok.Y = append(ok.X, at), append(ok.To, at+long), append(ok.Y, float64(p.OK)/long)
		failed.X, failed.To, failed.Y = append(failed.X, at), append(failed.To, at+long), append(failed.Y,
			float64(p.Failed)/long)
		p50.X, p50.Y = append(p50.X, at+long/2), append(p50.Y, known(p.P50NS))
		p99.X, p99.Y = append(p99.X, at+long/2), append(p99.Y, known(p.P99NS))
		anyFailed = anyFailed || p.Failed > 0
	}
	if len(ok.X) == 0 {
		return nil
	}
	x := graph.Axis{Name: "time since window start", Unit: graph.Seconds,
		To: math.Max(float64(v.WindowNS)/1e9, ok.To[len(ok.To)-1])}
	reads := graph.Panel{Name: "reads", Title: "Reads, reads/s", X: x, Y: graph.Axis{Word: "reads/s"},
		Intro: "HTTP reads made during the run.", Series: []graph.Series{ok}}
	if anyFailed {
		reads.Series = append(reads.Series, failed)
	}
	if r.RatePerS > 0 {
		reads.Rules = []graph.Rule{{Role: graph.Offered, At: r.RatePerS, Name: "due, " + units.PerSecond(r.RatePerS) +
			" reads/s"}}
	}
	soon := graph.Panel{Name: "read-time", Title: "Reads: response time", X: x,
		Y: graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log}}
	for _, s := range []graph.Series{p50, p99} {
		if anyKnown(s.Y) {
			soon.Series = append(soon.Series, s)
		}
	}
	if len(soon.Series) == 0 {
		soon.Empty = "too few reads per second for a percentile"
	}
	return []graph.Panel{reads, soon}
}
