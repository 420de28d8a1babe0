package show

import (
	"fmt"
	"math"

	"github.com/plimsoll/plimsoll/internal/report/course"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/report/times"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Graphs are what the server applied and how soon, the way of a batch, the search and the reads, as far as there are
// some, and then what every run has: of an updates run that is its publishing.
func (v *shown) Graphs() []graph.Panel {
	all := append(v.appliedPanels(), v.wayPanels()...)
	all = append(all, v.visibilityPanel()...)
	all = append(all, v.searchPanel()...)
	all = append(all, v.readPanels()...)
	common := v.View.Graphs()
	if len(all) > 0 {
		for i := range common {
			switch common[i].Name {
			case course.Throughput, course.ResponseTime, course.Distribution, course.ByOperation, course.HeatMap:
				common[i].Title = "Publishing: " + common[i].Title
			}
		}
	}
	return append(all, common...)
}

// overTime is the axis of the window, and of what was applied after it: the server's seconds are whole ones, that in
// which the window ends as well, and where they go beyond it the end is marked.
func (v *shown) overTime() (x graph.Axis, end []graph.Rule) {
	x = graph.Axis{Name: "time since window start", Unit: graph.Seconds, To: float64(v.WindowNS) / 1e9}
	if seconds := windowSeconds(v.detail); len(seconds) > 0 {
		if last := float64(seconds[len(seconds)-1].Second + 1); last > x.To {
			end = []graph.Rule{{Role: graph.Neutral, At: x.To, Vertical: true, Name: "end of the window"}}
			x.To = last
		}
	}
	return x, end
}

// known is a time of the document, in which 0 stands for none.
func known(ns int64) float64 {
	if ns <= 0 {
		return math.NaN()
	}
	return float64(ns)
}

// appliedPanels are what the server applied over time, and how long that took from when it was due.
func (v *shown) appliedPanels() []graph.Panel {
	seconds := windowSeconds(v.detail)
	if len(seconds) == 0 {
		return nil
	}
	applied := graph.Series{Name: "applied", Role: graph.OK, Style: graph.Steps}
	stale := graph.Series{Name: "stale", Role: graph.Unknown, Style: graph.Edge}
	lines := []graph.Series{{Name: "p50", Role: graph.P50}, {Name: "p99", Role: graph.P99},
		{Name: "max", Role: graph.Most}}
	anyStale := false
	for n, s := range seconds {
		at, to := float64(s.Second), float64(s.Second+1)
		applied.X, applied.To, applied.Y = append(applied.X, at), append(applied.To, to), append(applied.Y,
			float64(s.Applied))
		stale.X, stale.To, stale.Y = append(stale.X, at), append(stale.To, to), append(stale.Y, float64(s.Stale))
		anyStale = anyStale || s.Stale > 0
		if n > 0 && seconds[n-1].Second+1 < s.Second { // nothing came meanwhile, which is no time between those beside
			for i := range lines {
				lines[i].X, lines[i].Y = append(lines[i].X, at-0.5), append(lines[i].Y, math.NaN())
			}
		}
		for i, ns := range []int64{s.E2EP50NS, s.E2EP99NS, s.E2EMaxNS} {
			lines[i].X, lines[i].Y = append(lines[i].X, at+0.5), append(lines[i].Y, known(ns))
		}
	}
	x, end := v.overTime()
	p := graph.Panel{Name: "applied", Title: "Applied, updates/s", X: x, Y: graph.Axis{Word: "updates/s"},
		Intro:  "Updates applied in each second.",
		Series: []graph.Series{applied}, Rules: append(v.dueRule(), end...)}
	if anyStale {
		p.Series = append(p.Series, stale)
		p.Intro += " Stale updates, which arrived after a later one of the same key, do not count."
	}
	who := "the server"
	if len(v.detail.Servers) > 0 {
		who = "the last server"
	}
	soon := graph.Panel{Name: "end-to-end", Title: "End-to-end time from intended start", X: x,
		Y:     graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log},
		Intro: "From the intended start of a batch until " + who + " had applied it, by second of applying.", Rules: end}
	for _, line := range lines {
		if anyKnown(line.Y) {
			soon.Series = append(soon.Series, line)
		}
	}
	if len(soon.Series) == 0 {
		soon.Empty = "too few batches per second, or no times"
	}
	return []graph.Panel{p, soon}
}

func anyKnown(list graph.Values) bool {
	for _, y := range list {
		if !math.IsNaN(y) {
			return true
		}
	}
	return false
}

// dueRule is what was due a second, in the open model.
func (v *shown) dueRule() []graph.Rule {
	if !v.Open || v.WindowNS <= 0 || len(v.detail.Series) == 0 {
		return nil
	}
	each, _ := meanBatch(v.detail)
	perS := float64(v.Total.Scheduled) / (float64(v.WindowNS) / 1e9) * each
	if !(perS > 0) {
		return nil
	}
	return []graph.Rule{{Role: graph.Offered, At: perS, Name: "scheduled, " + units.PerSecond(perS) + " updates/s"}}
}

// wayPanels are where the time of a batch goes, one for each server where there are several.
func (v *shown) wayPanels() []graph.Panel {
	d := v.detail
	if len(d.Servers) == 0 {
		return v.way("way", "Stages of a batch", d)
	}
	whole := graph.Panel{Name: "way", Title: "Stages of a batch to the first and to the last server",
		Intro: "Each stage starts at the median end of the previous one."}
	of := func(stage string) *rundoc.Summary {
		if s := d.Stage(stage); s != nil {
			return &s.Summary
		}
		return nil
	}
	all := times.Waterfall(whole, times.Stage{Name: "to the first server", Of: of(rundoc.StageFirst)},
		times.Stage{Name: "between the servers", Of: of(rundoc.StageSpread), From: "to the first server"},
		times.Stage{Name: "from intended start to the last", Of: of(rundoc.StageE2EScheduled)})
	const most = 4 // servers that have one each: of more nobody would look at all
	for i := range d.Servers[:min(len(d.Servers), most)] {
		all = append(all, v.way(fmt.Sprintf("way-%d", i+1), fmt.Sprintf("Stages of a batch to server %d", i+1),
			d.Alone(i))...)
	}
	return all
}

// way is where the time of a batch goes to one server.
func (v *shown) way(name, title string, d *rundoc.UpdatesDetail) []graph.Panel {
	if d.Stage(rundoc.StageApply) == nil {
		return nil // nothing is known of the way after the broker
	}
	of := func(stage string) *rundoc.Summary {
		if s := d.Stage(stage); s != nil {
			return &s.Summary
		}
		return nil
	}
	const late = "waiting to be sent"
	const sent, queued, apply = "transit", "queued in the server", "decode and apply"
	p := graph.Panel{Name: name, Title: title,
		Intro: "Each stage starts at the median end of the previous one. Publishing overlaps with transit."}
	if apart := times.Apart(of(rundoc.StageE2ESent), of(rundoc.StageTransit), of(rundoc.StageQueued),
		of(rundoc.StageApply)); apart != "" {
		p.Intro += " From send: " + apart
	}
	var stages []times.Stage
	if v.Total.SendDelay.Count > 0 {
		stages = append(stages, times.Stage{Name: late, Of: &v.Total.SendDelay})
	}
	return times.Waterfall(p, append(stages,
		times.Stage{Name: "publish", Of: of(rundoc.StagePublish), From: late},
		times.Stage{Name: sent, Of: of(rundoc.StageTransit), From: late},
		times.Stage{Name: queued, Of: of(rundoc.StageQueued), From: sent},
		times.Stage{Name: apply, Of: of(rundoc.StageApply), From: queued},
		times.Stage{Name: "acknowledge", Of: of(rundoc.StageAcknowledge), From: apply},
		times.Stage{Name: "from send", Of: of(rundoc.StageE2ESent), From: late},
		times.Stage{Name: "from intended start", Of: of(rundoc.StageE2EScheduled)})...)
}

// visibilityPanel is how the times from end to end are distributed, over all that was due where the document has that.
func (v *shown) visibilityPanel() []graph.Panel {
	d := v.detail
	p := graph.Panel{Name: "visibility", Title: "End-to-end time until applied",
		Intro: "The value at 99% is the time within which 99% of the batches were applied."}
	var lines []times.Line
	add := func(name string, role graph.Role, stage string, never int64) {
		if s := d.Stage(stage); s != nil && s.Summary.Count > 0 {
			lines = append(lines, times.Line{Name: name, Role: role, Of: &s.Summary, Below: s.Negative, Never: never})
		}
	}
	never := int64(0)
	if d.Due != nil {
		never = max(0, d.Due.Absent())
	}
	add("from intended start", "1", rundoc.StageE2EScheduled, never)
	add("to the first server", "4", rundoc.StageFirst, 0)
	add("from send", "2", rundoc.StageE2ESent, 0)
	add("by broker clock", "3", rundoc.StageE2EBroker, 0)
	if r := d.Reads; r != nil && r.Batches != nil && r.Batches.Times.Summary.Count > 0 {
		b := r.Batches
		lines = append(lines, times.Line{Name: "scheduled until read", Role: "5", Of: &b.Times.Summary,
			Below: b.Times.Negative,
			Never: max(0, b.Unseen())})
	}
	if len(lines) == 0 {
		return nil
	}
	if never > 0 {
		p.Intro += fmt.Sprintf(" From intended start, all scheduled batches count: %s of %s did not arrive and count as "+
			"infinitely late.", units.Number(never), units.Count(d.Due.Batches, "batch", "batches"))
	}
	return []graph.Panel{times.Distribution(p, lines...)}
}
