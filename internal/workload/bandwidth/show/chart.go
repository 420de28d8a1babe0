package show

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Colours of the bandwidth chart, of the same palette: uploads blue, downloads orange, and
// what only the client sees lighter.
var (
	sky    = color.RGBA{R: 86, G: 180, B: 233, A: 255}
	amber  = color.RGBA{R: 230, G: 159, B: 0, A: 255}
	peach  = color.NRGBA{R: 213, G: 94, B: 0, A: 30}
	closed = color.RGBA{R: 0, G: 70, B: 110, A: 255}
)

// mostPaces is how many stretches there are at most of what was not counted, about one a pixel.
const mostPaces = chart.MaxBins

// mostSteps is how many stretches are drawn of what was counted: more are narrower than a line is wide.
const mostSteps = 400

// Drawing shows what moved over time, and how long each operation took.
func (v *shown) Drawing() report.Drawing {
	return report.Drawing{Line: v.line(), Panels: v.panels()}
}

// panels are the chart's; none when there is nothing to draw.
func (v *shown) panels() []chart.Panel {
	c, something := v.course()
	if !something {
		return nil
	}
	title := "Bandwidth, MB/s (" + every(v.detail, c.width) + ")"
	return []chart.Panel{bandwidthPanel(c.end, title, c.all), durationsPanel(c.end, v.detail)}
}

// moved is a transfer in the panel of bandwidth.
type moved struct {
	name                string
	list                []pace
	network             bool // what the network carried is drawn
	alone               bool // and not beside what the client saw
	line, light, inside color.Color
	role, pale          graph.Role
}

// movements are the transfers that there were. What the network carried in a download is drawn
// where it differs from what the client got: where ranges are fetched ahead of the reads. What was counted is drawn
// alone: the blocks of the client have no course but their ends.
func movements(lines [2][]pace, counted bool) (all []moved) {
	for i, list := range lines {
		carried := slices.ContainsFunc(list, func(s pace) bool { return s.network > 0 })
		switch {
		case len(list) == 0:
		case i == 0:
			all = append(all, moved{rundoc.OperationUpload, list, carried, counted, chart.Blue, sky, chart.Pale,
				"1", "3"})
		default:
			all = append(all, moved{rundoc.OperationDownload, list, carried && (counted || differ(list)), counted,
				chart.Orange, amber, peach, "2", "4"})
		}
	}
	return all
}

// differ reports whether network and client differ in any stretch by a tenth of the highest rate.
func differ(list []pace) bool {
	highest, most := 0.0, 0.0
	for _, s := range list {
		highest = max(highest, s.rate(s.network), s.rate(s.client))
		most = max(most, math.Abs(s.rate(s.network)-s.rate(s.client)))
	}
	return most > 0.1*highest
}

// highest are the highest rates of the network, or of the client where that is all that is drawn,
// and of the client beside it, in bytes per second.
func (m *moved) highest() (carried, client float64) {
	for _, s := range m.list {
		carried, client = max(carried, s.rate(s.network)), max(client, s.rate(s.client))
	}
	switch {
	case !m.network:
		return client, 0
	case m.alone:
		return carried, 0
	}
	return carried, client
}

// bandwidthPanel is the panel of what moved: both what the client was rid of or got and what the
// network carried, where they differ.
func bandwidthPanel(end float64, title string, all []moved) chart.Panel {
	p := chart.NewPanel(title, end)
	p.Alone = true
	highest, burst := 0.0, 0.0
	for _, m := range all {
		carried, client := m.highest()
		highest, burst = max(highest, carried), max(burst, client)
	}
	if max(highest, burst) == 0 {
		p.Empty = "no byte was moved"
		p.Vertical(0, 1, nil)
		return p
	}
	top := max(highest, burst)
	// A queue takes its first parts as fast as memory does. That must not press flat what the
	// network carried.
	if burst > 2.5*highest && highest > 0 {
		top = 1.6 * highest
	}
	bottom, top, ticks := chart.LinearTicks(top/1e6*chart.Headroom, units.Digits)
	p.Vertical(bottom, top, ticks)
	for _, m := range all {
		client := func(s pace) float64 { return min(top, s.rate(s.client)/1e6) }
		if !m.network {
			drawPaces(&p, m.list, m.line, m.inside, client)
			p.AddLegend(m.name+", client", m.line)
			continue
		}
		drawPaces(&p, m.list, m.line, m.inside, func(s pace) float64 { return s.rate(s.network) / 1e6 })
		if m.alone {
			p.AddLegend(m.name, m.line)
			continue
		}
		drawPaces(&p, m.list, m.light, nil, client)
		p.AddLegend(m.name+", network", m.line)
		name := m.name + ", client"
		if _, own := m.highest(); own/1e6 > top {
			name += " (up to " + units.Megabytes(own) + ")"
		}
		p.AddLegend(name, m.light)
	}
	return p
}

// every says at which width bytes are shown, and where they were counted.
func every(d *rundoc.BandwidthDetail, width float64) string {
	text := "every " + units.Setting(int64(width*1e9))
	switch {
	case d.Flow == nil && len(d.Requests) > 0:
		return text + ", each request's bytes spread over its time"
	case d.Flow == nil:
		return text
	case d.Flow.Counted == rundoc.CountedCalls:
		return text + ", by calls of the system"
	case d.Flow.Encrypted:
		return text + ", counted at the sockets, encrypted"
	}
	return text + ", counted at the sockets"
}

// drawPaces draws steps, down to zero where a transfer was not on.
func drawPaces(p *chart.Panel, list []pace, line, fill color.Color, height func(pace) float64) {
	var xys plotter.XYs
	flush := func() {
		if len(xys) > 0 {
			xys = append(xys, plotter.XY{X: xys[len(xys)-1].X})
			p.Line(xys, line, fill)
		}
		xys = nil
	}
	last := math.Inf(-1)
	for _, s := range list {
		if s.from > last+1e-6 {
			flush()
			xys = append(xys, plotter.XY{X: s.from})
		}
		xys = append(xys, plotter.XY{X: s.from, Y: height(s)}, plotter.XY{X: s.to, Y: height(s)})
		last = s.to
	}
	flush()
}

// drawable reports whether a block has a place on the chart.
func drawable(b rundoc.Block) bool {
	return b.StartNS >= 0 && b.DurationNS > 0 && b.StartNS <= math.MaxInt64-b.DurationNS &&
		float64(b.StartNS) < report.LastSecond*1e9
}

// kind is a kind of points or spans in the panel of durations.
type kind struct {
	name   string
	colour color.Color
	span   bool // drawn from its start to its end, not as a point
	is     func(rundoc.Block) bool
}

func operationIs(name string) func(rundoc.Block) bool {
	return func(b rundoc.Block) bool { return b.Operation == name && b.Cause == "" }
}

// durationsPanel is the panel of the single operations over the time of their start.
func durationsPanel(end float64, d *rundoc.BandwidthDetail) chart.Panel {
	kinds := []kind{
		{"close (start to end)", closed, true, operationIs(rundoc.OperationCloseUpload)},
		{"block written", chart.Blue, false, operationIs(rundoc.OperationUploadBlock)},
		{"block read", chart.Orange, false, operationIs(rundoc.OperationDownloadBlock)},
		{"failed", chart.Purple, false, func(b rundoc.Block) bool { return b.Cause != "" }},
	}
	of := make([][]rundoc.Block, len(kinds))
	lowest, highest := math.Inf(1), 0.0
	for _, b := range d.Blocks {
		for i, k := range kinds {
			if drawable(b) && k.is(b) {
				of[i] = append(of[i], b)
				lowest, highest = min(lowest, float64(b.DurationNS)), max(highest, float64(b.DurationNS))
			}
		}
	}
	p := chart.NewPanel("", end)
	p.NameTime()
	p.Title = "Duration of each block, by its start"
	if highest == 0 {
		p.Empty = "the document has no blocks"
		p.Vertical(0, 1, nil)
		return p
	}
	if highest/lowest > 10 {
		room := 1.1
		if len(of[0]) > 0 {
			room = math.Pow(highest/lowest, 0.1) // for what the closes are labelled with
		}
		p.Vertical(chart.LogTicks(lowest*0.9, highest*room))
		p.Plot.Y.Scale = plot.LogScale{}
		p.Title += ", logarithmic scale"
	} else {
		p.Vertical(chart.LinearTicks(highest*1.1, chart.TickDuration))
	}
	if d.BlocksOmitted > 0 {
		p.Title += fmt.Sprintf(" (the first %s of %s)", units.Number(int64(len(d.Blocks))),
			units.Number(int64(len(d.Blocks))+d.BlocksOmitted))
	}
	for i, k := range kinds {
		if len(of[i]) == 0 {
			continue
		}
		p.AddLegend(k.name, k.colour)
		if k.span {
			drawSpans(&p, of[i], slices.Concat(of[i+1:]...), k.colour)
			continue
		}
		drawPoints(&p, of[i], k)
	}
	return p
}

// heightOf is where on the vertical axis a value is, 0 to 1.
func heightOf(p *chart.Panel, y float64) float64 {
	bottom, top := p.Plot.Y.Min, p.Plot.Y.Max
	if _, log := p.Plot.Y.Scale.(plot.LogScale); log {
		return math.Log(y/bottom) / math.Log(top/bottom)
	}
	return (y - bottom) / (top - bottom)
}

// drawPoints draws blocks. Where several fall on the same place, one stands for them all.
func drawPoints(p *chart.Panel, list []rundoc.Block, k kind) {
	// The places: a pixel and a half wide and high on the panel, about.
	const columns, rows = 800, 180
	taken := map[[2]int]bool{}
	var xys plotter.XYs
	for _, b := range list {
		x, y := float64(b.StartNS)/1e9, float64(b.DurationNS)
		place := [2]int{int(x / p.Plot.X.Max * columns), int(heightOf(p, y) * rows)}
		if !taken[place] {
			taken[place] = true
			xys = append(xys, plotter.XY{X: x, Y: y})
		}
	}
	s, err := plotter.NewScatter(xys)
	if err != nil {
		return
	}
	s.GlyphStyle = draw.GlyphStyle{Color: k.colour, Radius: 2.4, Shape: draw.CircleGlyph{}}
	switch {
	case k.name == "failed":
		s.GlyphStyle.Shape, s.GlyphStyle.Radius = draw.BoxGlyph{}, 3
	case len(xys) > 5000:
		s.GlyphStyle.Radius = 0.8
	case len(xys) > 1000:
		s.GlyphStyle.Radius = 1.4
	}
	p.Plot.Add(s)
}

// line is the answer in one line.
func (v *shown) line() string {
	line := ""
	for _, t := range v.detail.Transfers() {
		line += t.Name + " " + v.transferAnswer(t).Value + "  ·  "
	}
	return line + string(v.Verdict.Validity)
}
