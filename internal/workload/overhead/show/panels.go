package show

import (
	"fmt"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/report/course"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/report/times"
	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Graphs are a call from its begin to its end, what the client takes of it by operation and by round, and what changed
// from the baseline; then what every run has, but for where the client's time went: that is with the turns of the null
// client.
func (v *shown) Graphs() []graph.Panel {
	all := slices.Concat(v.callPanel(), v.figurePanels(), v.roundPanel(), v.boundedPanel(), v.baselinePanels())
	return append(all, times.Without(v.View.Graphs(), course.Ledger, course.Bytes)...)
}

// mostRows is how many operations a panel has.
const mostRows = 40

// callPanel is the mean call of each operation, stage by stage.
func (v *shown) callPanel() []graph.Panel {
	rows := slices.DeleteFunc(v.rows(), func(r *rundoc.OverheadRow) bool { return len(r.Stages) == 0 })
	if len(rows) == 0 {
		return nil
	}
	whole := slices.ContainsFunc(rows, func(r *rundoc.OverheadRow) bool { return r.StagedCalls != 0 })
	p := graph.Panel{Name: "call", Title: "Mean call by stage",
		X: graph.Axis{Name: "time since call start", Unit: graph.Nanoseconds},
		Intro: "The stages add up to the mean call. All but the wait for the service is client time. Other: work of the " +
			"SDK between the stages and outside the attempt. Sampled from every eighth call."}
	if !whole {
		p.Title = "Mean attempt by stage"
		p.Intro = "HTTP: the HTTP client and the round trip, including the wait for the service."
	}
	roles := map[string]graph.Role{
		rundoc.StageSerialize: "1", rundoc.StageEndpoint: "2", rundoc.StageCredentials: "3", rundoc.StageSign: "4",
		rundoc.StageHTTP: "5", rundoc.StageWait: graph.Neutral, rundoc.StageDeserialize: "6", rundoc.StageOther: "7",
	}
	for _, r := range rows[:min(len(rows), mostRows)] {
		var parts []times.Part
		for _, c := range stageColumns() {
			if ns, found := stageOf(r, c.stage); found {
				parts = append(parts, times.Part{Name: c.stage, Role: roles[c.stage], NS: ns})
			}
		}
		p.Spans = append(p.Spans, times.Chain(units.Clean(r.Name()), parts...)...)
	}
	return []graph.Panel{p}
}

// figurePanels have a row for each operation, from the least value to the p99, of the client time or, where the run
// does not know it, of the figures that it has.
func (v *shown) figurePanels() (all []graph.Panel) {
	for _, f := range []struct{ figure, name, intro string }{
		{FigureClientTime, "client-time", "Duration of a call without the wait for the service."},
		{FigureOverhead, "overhead", "Duration of an attempt without the wait for the service."},
		{FigureSDKTime, "sdk-time", "Duration of an attempt without the round trip."},
	} {
		if f.figure != FigureClientTime && v.wholeCalls() {
			break // the tables have the others
		}
		p := graph.Panel{Name: f.name, Title: units.Capital(f.figure) + " by operation",
			X:     graph.Axis{Name: f.figure, Unit: graph.Nanoseconds},
			Intro: f.intro + " Each row shows min, median, p90 and p99, as far as there are enough calls."}
		rows := v.rows()
		for _, r := range rows[:min(len(rows), mostRows)] {
			p.Spans = append(p.Spans, reach(units.Clean(r.Name()), sampleOf(r, f.figure))...)
		}
		if null := v.detail.Null; null != nil && len(p.Spans) > 0 {
			p.Spans = append(p.Spans, reach("null client: net/http without SDK", sampleOf(null, f.figure))...)
		}
		if len(p.Spans) > 0 {
			all = append(all, p)
		}
	}
	return all
}

// reach is a row from the least value of a sample to its p99.
func reach(row string, s *rundoc.Sample) (spans []graph.Span) {
	if s.N == 0 {
		return nil
	}
	text := fmt.Sprintf("of %s: min %s, med %s, p90 %s, p99 %s, max %s ms", units.Number(s.N), millis(s.MinNS),
		sampleFigureOf("med").millis(s), sampleFigureOf("p90").millis(s), sampleFigureOf("p99").millis(s), millis(s.MaxNS))
	from := s.MinNS
	for _, f := range []struct {
		name, part string
		role       graph.Role
	}{
		{"med", "up to the median", graph.P50}, {"p90", "up to the p90", graph.P90}, {"p99", "up to the p99",
			graph.P99},
	} {
		figure := sampleFigureOf(f.name)
		if !figure.known(s) {
			continue
		}
		to := figure.of(s)
		spans = append(spans, graph.Span{Row: row, Part: f.part, Role: f.role, From: from, To: to, Text: text})
		from = to
	}
	if len(spans) == 0 {
		spans = append(spans, graph.Span{Row: row, Part: "min to max (too few for a median)", Role: graph.Unknown,
			From: s.MinNS, To: s.MaxNS, Text: text})
	}
	return spans
}

// roundPanel is the median of each round of each operation: between the rounds the others had their turns, and what
// drifts over the run is seen.
func (v *shown) roundPanel() []graph.Panel {
	figure := FigureOverhead
	if v.wholeCalls() {
		figure = FigureClientTime
	}
	p := graph.Panel{Name: "rounds", Title: "Median " + figure + " by round",
		X: graph.Axis{Name: "round"}, Y: graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log},
		Intro: "Operations are measured in turn, one round each. Based on the values kept in the document. A rising or " +
			"falling line indicates drift."}
	const most = 12 // lines that can be told apart, and more are not drawn
	for i, r := range v.rows() {
		s := sampleOf(r, figure)
		if len(s.Rounds) < 2 || len(p.Series) == most {
			continue
		}
		line := graph.Series{Name: units.Clean(r.Name()), Role: graph.Role(fmt.Sprint(i + 1))}
		rest := s.Values
		for round, n := range s.Rounds {
			if n < 0 || n > len(rest) {
				break // a document that makes no sense
			}
			values := slices.Sorted(slices.Values(rest[:n]))
			rest = rest[n:]
			line.X, line.Y = append(line.X, float64(round+1)), append(line.Y, stats.Percentile(values, 0.5))
			line.Texts = append(line.Texts, "median of "+units.Count(int64(n), "call", "calls"))
		}
		p.Series = append(p.Series, line)
	}
	if len(p.Series) == 0 {
		return nil
	}
	return []graph.Panel{p}
}

// boundedPanel has what the median of a foreign client's SDK time is between.
func (v *shown) boundedPanel() []graph.Panel {
	p := graph.Panel{Name: "median-between", Title: "Median SDK time by operation, with bounds",
		Y:     graph.Axis{Unit: graph.Nanoseconds},
		Intro: "The client cost lies between the two ends, whatever else the machine did."}
	s := graph.Series{Name: "median", Role: graph.P50, Style: graph.Dots}
	for _, r := range v.rows() {
		if !bounded(r) || len(s.X) == mostRows {
			continue
		}
		at := float64(len(s.X) + 1)
		median := math.NaN()
		if sampleFigureOf("med").known(&r.SDKTime) {
			median = r.SDKTime.MedNS
		}
		p.X.Ticks = append(p.X.Ticks, graph.Tick{At: at, Name: units.Clean(r.Name())})
		s.X, s.Y = append(s.X, at), append(s.Y, median)
		s.Low, s.High = append(s.Low, r.MedianFromNS), append(s.High, r.MedianToNS)
	}
	if len(s.X) == 0 {
		return nil
	}
	p.X.From, p.X.To = 0.5, float64(len(s.X))+0.5
	p.Series = []graph.Series{s}
	return []graph.Panel{p}
}

// baselinePanels have the change of each figure that is judged, with its interval.
func (v *shown) baselinePanels() (all []graph.Panel) {
	c := v.comparison
	if c == nil {
		return nil
	}
	roles := map[stats.Outcome]graph.Role{stats.Worse: graph.Failed, stats.Better: graph.Met, stats.Same: graph.Neutral}
	for i, figure := range []string{FigureClientTime, FigureOverhead, FigureSDKTime} {
		p := graph.Panel{Name: fmt.Sprintf("baseline-%d", i+1), Title: units.Capital(figure) +
			": change from the baseline",
			X: graph.Axis{Name: "change of the median with 95% CI", Unit: graph.Share},
			Intro: "Each row shows the 95% confidence interval of the change, with a mark at the estimate. A change is " +
				"better or worse if the interval excludes 0 and the change is large enough.",
			Rules: []graph.Rule{{Role: graph.Neutral, At: 0, Vertical: true, Name: "no change"}}}
		for j := range c.Rows {
			r := &c.Rows[j]
			if r.Figure != figure || !r.compared() || r.Shift.Absent != "" || !(r.Shift.Before > 0) {
				continue
			}
			role, found := roles[r.Outcome]
			if !found {
				role = graph.Unknown
			}
			text := r.difference() + " %, " + string(r.Outcome)
			low, high, change := r.share(r.Shift.Lo), r.share(r.Shift.Hi), r.share(r.Shift.Diff)
			if math.IsInf(low, 0) || math.IsInf(high, 0) || math.IsInf(change, 0) {
				continue // of a median before that makes no sense
			}
			p.Spans = append(p.Spans, graph.Span{Row: r.name(), Part: string(r.Outcome), Role: role, From: low,
				To: max(low, high), Text: text},
				graph.Span{Row: r.name(), Part: "estimate", Role: graph.P99, From: change, To: change})
		}
		if len(p.Spans) > 0 {
			all = append(all, p)
		}
	}
	return all
}
