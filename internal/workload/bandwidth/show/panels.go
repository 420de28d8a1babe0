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

// Graphs are what moved over time, the blocks and the requests, and then what every run has, but for the bytes of the
// operations: what moved is theirs.
func (v *shown) Graphs() []graph.Panel {
	all := slices.Concat(v.movedPanels(), v.requestPanels(), v.slowPanel())
	return append(all, times.Without(v.View.Graphs(), course.Bytes)...)
}

// movedPanels are the bandwidth over time and the single blocks; none where nothing was moved.
func (v *shown) movedPanels() []graph.Panel {
	c, something := v.movement()
	if !something {
		return nil
	}
	x := graph.Axis{Name: "time since window start", Unit: graph.Seconds, To: c.end}
	return []graph.Panel{v.bandwidth(x, c), v.blockTimes(x)}
}

// movement is the transfers of a run in stretches.
type movement struct {
	end, width float64
	all        []moved
}

// movement divides the run; false: there is nothing to draw.
func (v *shown) movement() (c movement, something bool) {
	d := v.detail
	c.end = max(float64(v.WindowNS)/1e9, 1e-3)
	for _, b := range d.Blocks {
		if drawable(b) {
			c.end = max(c.end, min(report.LastSecond, float64(b.StartNS+b.DurationNS)/1e9))
		}
	}
	c.width = paceWidth(d, 1, mostPaces)
	if d.Flow != nil {
		c.width = paceWidth(d, 0, mostSteps)
	}
	something = len(d.Blocks) > 0
	var lines [2][]pace
	for i, t := range []*rundoc.Transfer{d.Upload, d.Download} {
		if t == nil {
			continue
		}
		name := [...]string{rundoc.OperationUpload, rundoc.OperationDownload}[i]
		lines[i] = clip(paces(d, rundoc.NamedTransfer{Name: name, Transfer: t}, c.width), transferSpans(d, name))
		for _, p := range lines[i] {
			c.end, something = max(c.end, p.to), true
		}
	}
	c.all = movements(lines, d.Flow != nil)
	return c, something
}

// bandwidth is what moved: what the network carried and, where that is something else, what the client was rid of or
// got.
func (v *shown) bandwidth(x graph.Axis, c movement) graph.Panel {
	p := graph.Panel{Name: "bandwidth", Title: "Bandwidth, MB/s (" + every(v.detail, c.width) + ")", X: x,
		Y: graph.Axis{Word: "MB/s"}}
	p.Series = movedSeries(c.all)
	if !slices.ContainsFunc(p.Series, func(s graph.Series) bool { return slices.Max(s.Y) > 0 }) {
		p.Series, p.Empty = nil, "no data was moved"
	}
	if top := ceiling(c.all); top > 0 {
		p.Y.To = top / 1e6
		p.Intro = "The client rate exceeds the upper edge of the chart: a queue in memory accepted the data."
	}
	p.Bands = course.Gaps(v.Source())
	p.Bands = append(p.Bands, v.standstills()...)
	for _, t := range v.detail.Transfers() {
		if t.BytesPerS > 0 {
			p.Rules = append(p.Rules, graph.Rule{Role: roleOf(t.Name), At: t.BytesPerS / 1e6,
				Name: t.Name + ", " + units.Megabytes(t.BytesPerS)})
		}
	}
	return p
}

// movedSeries are the lines of what moved.
func movedSeries(all []moved) (lines []graph.Series) {
	top := ceiling(all)
	for _, m := range all {
		carried := steps(m.name, m.role, graph.Steps, m.list, func(s pace) float64 { return s.rate(s.network) })
		client := steps(m.name+", client", m.pale, graph.Edge, m.list, func(s pace) float64 { return s.rate(s.client) })
		switch {
		case !m.network:
			client.Role, client.Style = m.role, graph.Steps
			lines = append(lines, client)
		case m.alone:
			lines = append(lines, carried)
		default:
			carried.Name += ", network"
			if highest := slices.Max(client.Y); top > 0 && highest*1e6 > top {
				client.Name += " (up to " + units.Megabytes(highest*1e6) + ")"
			}
			lines = append(lines, carried, client)
		}
	}
	return lines
}

func roleOf(transfer string) graph.Role {
	if transfer == rundoc.OperationDownload {
		return "2"
	}
	return "1"
}

// steps are stretches with their rate in MB/s.
func steps(name string, role graph.Role, style graph.Style, list []pace, rate func(pace) float64) graph.Series {
	s := graph.Series{Name: name, Role: role, Style: style}
	for _, p := range list {
		s.X, s.To, s.Y = append(s.X, p.from), append(s.To, p.to), append(s.Y, rate(p)/1e6)
	}
	return s
}

// mostDots is how many operations of a kind are drawn about: of more, those that fall on the same place are one.
const mostDots = 3000

// blockTimes are the single operations by the time of their start.
func (v *shown) blockTimes(x graph.Axis) graph.Panel {
	d := v.detail
	p := graph.Panel{Name: "blocks", Title: "Block duration by start time", X: x,
		Y:     graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log},
		Intro: "Each dot is the write or read of a block, as seen by the caller."}
	if d.BlocksOmitted > 0 {
		p.Title += fmt.Sprintf(" (first %s of %s)", units.Number(int64(len(d.Blocks))),
			units.Number(int64(len(d.Blocks))+d.BlocksOmitted))
	}
	thinned := false
	for _, k := range blockKinds() {
		var list []rundoc.Block
		for _, b := range d.Blocks {
			if drawable(b) && k.is(b) {
				list = append(list, b)
			}
		}
		if len(list) == 0 {
			continue
		}
		kept := thin(list, x.To)
		thinned = thinned || len(kept) < len(list)
		s := graph.Series{Name: k.name, Role: k.role, Style: graph.Dots}
		for _, b := range kept {
			s.X, s.Y = append(s.X, float64(b.StartNS)/1e9), append(s.Y, float64(b.DurationNS))
			if len(list) <= mostNamed {
				s.Texts = append(s.Texts, blockText(b))
			}
		}
		p.Series = append(p.Series, s)
		if k.shade {
			p.Bands = shades(list)
		}
	}
	if thinned {
		p.Intro += " Of overlapping dots, only the longest is shown."
	}
	if len(p.Bands) > 0 {
		p.Intro += " Shaded: closing of files, when an upload waits for its remaining parts."
	}
	if len(p.Series) == 0 {
		p.Intro, p.Empty = "", "the document has no blocks"
	}
	return p
}

// mostNamed is up to how many operations of a kind say what they are of.
const mostNamed = 500

func blockText(b rundoc.Block) string {
	text := fmt.Sprintf("stream %d, iteration %d, %s", b.Stream, b.Iteration, units.Size(b.Bytes))
	if b.Cause != "" {
		text = units.Clean(b.Operation) + ", " + text + ": " + units.Clean(b.Cause)
	}
	return text
}

// blockKind is a kind of dots.
type blockKind struct {
	name  string
	role  graph.Role
	shade bool // the time from start to end is shaded
	is    func(rundoc.Block) bool
}

func blockKinds() []blockKind {
	return []blockKind{
		{"close", "3", true, operationIs(rundoc.OperationCloseUpload)},
		{"block written", "1", false, operationIs(rundoc.OperationUploadBlock)},
		{"block read", "2", false, operationIs(rundoc.OperationDownloadBlock)},
		{"failed", graph.Failed, false, func(b rundoc.Block) bool { return b.Cause != "" }},
	}
}

// thin leaves the longest of those that fall on one place of a grid, which is the coarser, the more there are.
func thin(list []rundoc.Block, end float64) []rundoc.Block {
	for columns, rows := 800.0, 180.0; len(list) > mostDots; columns, rows = columns/2, rows/2 {
		longest := map[[2]int]int{}
		var kept []rundoc.Block
		for _, b := range list {
			at := [2]int{int(float64(b.StartNS) / 1e9 / end * columns),
				int(math.Log10(float64(b.DurationNS)) / 12 * 3 * rows)}
			i, taken := longest[at]
			switch {
			case !taken:
				longest[at] = len(kept)
				kept = append(kept, b)
			case b.DurationNS > kept[i].DurationNS:
				kept[i] = b
			}
		}
		list = kept
	}
	return list
}

// shades are the times that these operations cover together; none where they are too many to be told apart.
func shades(list []rundoc.Block) (bands []graph.Band) {
	spans := union(list)
	if len(spans) > mostShades {
		return nil
	}
	for _, s := range spans {
		bands = append(bands, graph.Band{Role: graph.Neutral, From: s.from, To: s.to, Name: "closing files"})
	}
	return bands
}

// requestPanels are where the time of requests goes: of each name on average, and of those that took most of the time
// stage by stage.
func (v *shown) requestPanels() []graph.Panel {
	rows := slices.DeleteFunc(v.requestRows(), func(r *rundoc.RequestFigures) bool { return r.Attempts <= 0 })
	if len(rows) == 0 {
		return nil
	}
	rows = slices.SortedStableFunc(slices.Values(rows), func(a, b *rundoc.RequestFigures) int {
		return cmp.Compare(b.TotalNS, a.TotalNS)
	})
	const mostRows, mostStaged = 20, 3
	mean := graph.Panel{Name: "requests", Title: "Time breakdown of requests (mean)",
		X: graph.Axis{Name: "time since request start", Unit: graph.Nanoseconds},
		Intro: "Mean over all attempts, largest total first. Setup: until a connection is available. Send: until the " +
			"request is written. Wait: until the response starts (server time). Receive: until the response ends."}
	for _, r := range rows[:min(len(rows), mostRows)] {
		n := float64(r.Attempts)
		mean.Spans = append(mean.Spans, times.Chain(units.Clean(r.Name),
			times.Part{Name: "setup", Role: "4", NS: float64(r.SetupNS) / n},
			times.Part{Name: "send", Role: "1", NS: float64(r.SendNS) / n},
			times.Part{Name: "wait", Role: graph.Neutral, NS: float64(r.WaitNS) / n},
			times.Part{Name: "receive", Role: "2", NS: float64(r.ReceiveNS) / n})...)
	}
	all := []graph.Panel{mean}
	for _, r := range rows {
		s := r.Stages
		if s == nil || s.Whole.P50NS == nil || len(all) > mostStaged {
			continue // of too few, there is no more than their mean
		}
		p := graph.Panel{Name: fmt.Sprintf("request-%d", len(all)), Title: "Stages of a request: " + units.Clean(r.Name),
			Intro: "Attempts that got a response. Each stage starts at the median end of the previous one."}
		if apart := times.Apart(&s.Whole, &s.Setup, &s.Send, &s.Wait, &s.Receive); apart != "" {
			p.Intro += " " + apart
		}
		all = append(all, times.Waterfall(p, times.Stage{Name: "setup", Of: &s.Setup},
			times.Stage{Name: "send", Of: &s.Send, From: "setup"}, times.Stage{Name: "wait", Of: &s.Wait, From: "send"},
			times.Stage{Name: "receive", Of: &s.Receive, From: "wait"}, times.Stage{Name: "whole", Of: &s.Whole})...)
	}
	return all
}

// slowPanel are the requests that took much longer than others of their name, at their time.
func (v *shown) slowPanel() []graph.Panel {
	if len(v.detail.Slow) == 0 {
		return nil
	}
	p := graph.Panel{Name: "slow-requests", Title: "Unusually slow requests",
		X: graph.Axis{Name: "time since window start", Unit: graph.Seconds,
			To: float64(v.WindowNS) / 1e9},
		Intro: fmt.Sprintf("Requests that took at least %d times the median of their kind. Dark: up to the median.",
			rundoc.SlowTimes)}
	for i := range v.detail.Slow {
		r := &v.detail.Slow[i]
		row := fmt.Sprintf("%d: %s", i+1, units.Clean(r.Name))
		if r.Of != "" {
			row += ", " + units.Clean(r.Of)
		}
		role, text := graph.P99, fmt.Sprintf("%s, %.0f times the median", units.Duration(r.DurationNS), r.Times())
		if r.Failed {
			role, text = graph.Failed, text+", failed"
		}
		from, median, to := float64(r.FromNS)/1e9, float64(r.FromNS+r.MedianNS)/1e9, float64(r.FromNS+r.DurationNS)/1e9
		p.Spans = append(p.Spans, graph.Span{Row: row, Part: "up to the median", Role: graph.P50, From: from,
			To: median, Text: text},
			graph.Span{Row: row, Part: "beyond the median", Role: role, From: median, To: to, Text: text})
	}
	p.Bands = v.standstills()
	return []graph.Panel{p}
}

// standstills are the longest times without a byte.
func (v *shown) standstills() (bands []graph.Band) {
	for _, t := range v.detail.Transfers() {
		if s := t.Standstill; s != nil && s.DurationNS > 0 {
			bands = append(bands, graph.Band{Role: graph.Failed, From: float64(s.FromNS) / 1e9,
				To: (float64(s.FromNS) + float64(s.DurationNS)) / 1e9, Name: "longest stall"})
		}
	}
	return bands
}
