package show

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/course"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/report/times"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Graphs are those of every run, with the stages of messages, fan-out and the rooms behind its times.
func (v *shown) Graphs() []graph.Panel { return Graphs(v.View, v.detail.Fanout, v.detail.ByRoom) }

// Graphs adds to the panels of every run what those over WebSocket have besides.
func Graphs(v *report.View, f *rundoc.Fanout, rooms []rundoc.RoomFigures) []graph.Panel {
	return times.Behind(v.Graphs(), []string{course.Throughput, course.Distribution, course.ByOperation,
		course.HeatMap},
		slices.Concat(fanoutPanels(f), times.OfOperations(v.Run, v.Words.Many), roomPanels(v, rooms))...)
}

// fanoutPanels are when the first, the median and the last receiver had the messages, and who lost some.
func fanoutPanels(f *rundoc.Fanout) []graph.Panel {
	if f == nil {
		return nil
	}
	roles := map[string]graph.Role{"first": "3", "median": "1", "last": "2"}
	var lines []times.Line
	for _, t := range f.Times() {
		if t.Summary.Count > 0 {
			lines = append(lines, times.Line{Name: t.Name + " receiver", Role: roles[t.Name], Of: t.Summary})
		}
	}
	spread := times.Distribution(graph.Panel{Name: "fan-out", Title: "Fan-out: delivery time",
		Intro: "From the intended start of a message until its first, median and last receiver had it. The value at 99% " +
			"is the time within which 99% of the messages were delivered. A lost delivery counts with its timeout."},
		lines...)
	reached := graph.Panel{Name: "deliveries", Title: "Expected deliveries: " + units.Number(f.Due),
		X: graph.Axis{Name: "deliveries"}, Intro: f.Proof() + "."}
	at := 0.0
	for _, p := range []struct {
		part string
		role graph.Role
		n    int64
	}{{"delivered", graph.OK, f.Delivered}, {"lost", graph.Failed, f.Lost}, {"away", graph.Unknown, f.Away}} {
		if p.n > 0 {
			to := at + float64(p.n)
			reached.Spans = append(reached.Spans, graph.Span{Row: "deliveries", Part: p.part, Role: p.role, From: at,
				To:   to,
				Text: units.Number(p.n) + " " + p.part})
			at = to
		}
	}
	all := []graph.Panel{spread}
	if f.Lost+f.Away > 0 {
		all = append(all, reached)
	}
	return append(all, losersPanel(f)...)
}

// losersPanel are the receivers that lost most.
func losersPanel(f *rundoc.Fanout) []graph.Panel {
	if len(f.Losers) == 0 {
		return nil
	}
	p := graph.Panel{Name: "losers", Title: "Receivers with the most lost deliveries", Intro: lossNote(f),
		X: graph.Axis{Name: "receiver", From: 0.5, To: float64(len(f.Losers)) + 0.5}, Y: graph.Axis{Word: "deliveries"}}
	lost := graph.Series{Name: "lost", Role: graph.Failed, Style: graph.Bars}
	away := graph.Series{Name: "away", Role: graph.Unknown, Style: graph.Bars}
	for i, l := range f.Losers {
		x := float64(i + 1)
		p.X.Ticks = append(p.X.Ticks, graph.Tick{At: x, Name: units.Number(l.Receiver)})
		lost.X, lost.To, lost.Y = append(lost.X, x-0.4), append(lost.To, x+0.4), append(lost.Y, float64(l.Lost))
		away.X, away.To, away.Y = append(away.X, x-0.4), append(away.To, x+0.4), append(away.Y, float64(l.Away))
	}
	p.Series = []graph.Series{lost, away}
	return []graph.Panel{p}
}

// roomPanels are the times and the messages of each room, the slowest first.
func roomPanels(v *report.View, all []rundoc.RoomFigures) []graph.Panel {
	const most = 100 // rooms: of more, the slowest
	var rooms []*rundoc.RoomFigures
	for i := range all {
		if r := &all[i]; r.OK+r.Failed != 0 {
			rooms = append(rooms, r)
		}
	}
	if len(rooms) < 2 {
		return nil
	}
	slices.SortStableFunc(rooms, func(a, b *rundoc.RoomFigures) int { return cmp.Compare(b.MeanNS, a.MeanNS) })
	x := graph.Axis{Name: "room, slowest mean first", From: 0.5, To: float64(min(len(rooms), most)) + 0.5}
	soon := graph.Panel{Name: "rooms", Title: "Response time by room", Y: graph.Axis{Unit: graph.Nanoseconds}}
	count := graph.Panel{Name: "rooms-rate", Title: "Throughput by room, " + v.Words.Short + "/s",
		Y: graph.Axis{Word: v.Words.Short + "/s"}}
	if len(rooms) > most {
		soon.Intro = fmt.Sprintf("The slowest %d of %s.", most, units.Count(int64(len(rooms)), "room", "rooms"))
		rooms = rooms[:most]
	}
	lines := []graph.Series{{Name: "mean", Role: graph.Neutral}, {Name: "p50", Role: graph.P50},
		{Name: "p99", Role: graph.P99}}
	bars := graph.Series{Name: "ok", Role: graph.OK, Style: graph.Bars}
	for i, r := range rooms {
		at := float64(i + 1)
		x.Ticks = append(x.Ticks, graph.Tick{At: at, Name: units.Clean(r.Room)})
		for j, ns := range []int64{r.MeanNS, r.P50NS, r.P99NS} {
			y := math.NaN()
			if ns > 0 {
				y = float64(ns)
			}
			lines[j].Style = graph.Dots
			lines[j].X, lines[j].Y = append(lines[j].X, at), append(lines[j].Y, y)
		}
		text := units.Number(r.OK) + " ok, " + units.Number(r.Failed) + " failed"
		bars.X, bars.To, bars.Y = append(bars.X, at-0.4), append(bars.To, at+0.4), append(bars.Y, r.RatePerS)
		bars.Texts = append(bars.Texts, text)
	}
	lines = slices.DeleteFunc(lines, func(s graph.Series) bool { // too few in each room for that percentile
		return !slices.ContainsFunc(s.Y, func(y float64) bool { return !math.IsNaN(y) })
	})
	soon.X, count.X = x, x
	soon.Series, count.Series = lines, []graph.Series{bars}
	if len(lines) == 0 {
		soon.Empty = "the document has no response times by room"
	}
	return []graph.Panel{soon, count}
}
