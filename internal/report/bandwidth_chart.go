package report

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/plimsoll/plimsoll/rundoc"
)

// Colours of the bandwidth chart, of the same palette: uploads blue, downloads orange, and
// what only the client sees lighter.
var (
	sky    = color.RGBA{R: 86, G: 180, B: 233, A: 255}
	closed = color.RGBA{R: 0, G: 70, B: 110, A: 255}
)

// bandwidthPanels are the chart of a bandwidth run: what moved over time, and how long each
// operation took. It is false when there is nothing to draw.
func (v *view) bandwidthPanels() ([]panel, bool) {
	d := v.bandwidth
	c := &course{end: max(float64(v.windowNS)/1e9, 1e-3)}
	for _, b := range d.Blocks {
		if drawable(b) {
			c.end = max(c.end, min(lastSecond, float64(b.StartNS+b.DurationNS)/1e9))
		}
	}
	width := paceWidth(d, maxBins)
	something := len(d.Blocks) > 0
	var lines [2][]pace
	for i, t := range []*rundoc.Transfer{d.Upload, d.Download} {
		if t == nil {
			continue
		}
		lines[i] = paces(d, rundoc.NamedTransfer{Name: [...]string{rundoc.OperationUpload, rundoc.OperationDownload}[i], Transfer: t}, width)
		for _, p := range lines[i] {
			c.end, something = max(c.end, p.to), true
		}
	}
	if !something {
		return nil, false
	}
	return []panel{c.bandwidth(width, lines), c.durations(d)}, true
}

// bandwidth is the panel of what moved: for uploads both what the client was rid of and what
// the network carried, because they differ; for downloads what the client got.
func (c *course) bandwidth(width int64, lines [2][]pace) panel {
	p := c.newPanel("Bandwidth, MB/s (every " + setting(width*1e9) + ")")
	p.alone = true
	up, down := lines[0], lines[1]
	highest, burst := highestRates(up, down)
	network := slices.ContainsFunc(up, func(s pace) bool { return s.network > 0 })
	if max(highest, burst) == 0 {
		p.empty = "no byte was moved"
		p.vertical(0, 1, nil)
		return p
	}
	top, burstName := max(highest, burst), ""
	// A queue takes its first parts as fast as memory does. That must not press flat what the
	// network carried.
	if network && burst > 2.5*highest && highest > 0 {
		top = 1.6 * highest
		burstName = " (up to " + megabytes(burst) + ")"
	}
	bottom, top, ticks := linearTicks(top/1e6*headroom, digits)
	p.vertical(bottom, top, ticks)
	client := func(s pace) float64 { return min(top, s.rate(s.client)/1e6) }
	switch {
	case len(up) > 0 && network:
		p.paces(up, blue, pale, func(s pace) float64 { return s.rate(s.network) / 1e6 })
		p.paces(up, sky, nil, client)
		p.addLegend("upload, network", blue)
		p.addLegend("upload, client"+burstName, sky)
	case len(up) > 0:
		p.paces(up, blue, pale, client)
		p.addLegend("upload, client", blue)
	}
	if len(down) > 0 {
		p.paces(down, orange, color.NRGBA{R: 213, G: 94, B: 0, A: 30}, client)
		p.addLegend("download, client", orange)
	}
	return p
}

// highestRates are the highest rate that the network carried or a download got, and the
// highest at which the client was rid of an upload, in bytes per second.
func highestRates(up, down []pace) (highest, burst float64) {
	for _, s := range up {
		highest, burst = max(highest, s.rate(s.network)), max(burst, s.rate(s.client))
	}
	for _, s := range down {
		highest = max(highest, s.rate(s.client))
	}
	return highest, burst
}

// paces draws steps, down to zero where a transfer was not on.
func (p *panel) paces(list []pace, line, fill color.Color, height func(pace) float64) {
	var xys plotter.XYs
	flush := func() {
		if len(xys) > 0 {
			xys = append(xys, plotter.XY{X: xys[len(xys)-1].X})
			p.line(xys, line, fill)
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
	return b.StartNS >= 0 && b.DurationNS > 0 && b.StartNS <= math.MaxInt64-b.DurationNS && float64(b.StartNS) < lastSecond*1e9
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

// durations is the panel of the single operations over the time of their start.
func (c *course) durations(d *rundoc.BandwidthDetail) panel {
	kinds := []kind{
		{"close (start to end)", closed, true, operationIs(rundoc.OperationCloseUpload)},
		{"block written", blue, false, operationIs(rundoc.OperationUploadBlock)},
		{"block read", orange, false, operationIs(rundoc.OperationDownloadBlock)},
		{"failed", purple, false, func(b rundoc.Block) bool { return b.Cause != "" }},
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
	p := c.newPanel("")
	p.plot.X.Label.Text = "time since the start of the window"
	p.plot.X.Label.TextStyle = style(10, grey, draw.XCenter, false)
	p.plot.X.Label.Padding = 3
	p.title = "Duration of each block, by its start"
	if highest == 0 {
		p.empty = "the document has no blocks"
		p.vertical(0, 1, nil)
		return p
	}
	if highest/lowest > 10 {
		p.vertical(logTicks(lowest*0.9, highest*1.1))
		p.plot.Y.Scale = plot.LogScale{}
		p.title += ", logarithmic scale"
	} else {
		p.vertical(linearTicks(highest*headroom, tickDuration))
	}
	if d.BlocksOmitted > 0 {
		p.title += fmt.Sprintf(" (the first %s of %s)", number(int64(len(d.Blocks))), number(int64(len(d.Blocks))+d.BlocksOmitted))
	}
	for i, k := range kinds {
		if len(of[i]) == 0 {
			continue
		}
		p.addLegend(k.name, k.colour)
		if k.span {
			p.spans(of[i], k.colour)
			continue
		}
		p.points(c, of[i], k)
	}
	return p
}

// height is where on the vertical axis a value is, 0 to 1.
func (p *panel) height(y float64) float64 {
	bottom, top := p.plot.Y.Min, p.plot.Y.Max
	if _, log := p.plot.Y.Scale.(plot.LogScale); log {
		return math.Log(y/bottom) / math.Log(top/bottom)
	}
	return (y - bottom) / (top - bottom)
}

// mostSpans is how many closes are drawn: more cannot be told apart.
const mostSpans = 4000

// spans draws each operation as a line from its start to its end, at the height of its
// duration, over a faint bar that covers the time in the whole panel.
func (p *panel) spans(list []rundoc.Block, colour color.Color) {
	bottom, top := p.plot.Y.Min, p.plot.Y.Max
	for _, b := range list[:min(len(list), mostSpans)] {
		from, to := float64(b.StartNS)/1e9, float64(b.StartNS+b.DurationNS)/1e9
		if len(list) <= 200 {
			if area, err := plotter.NewPolygon(plotter.XYs{{X: from, Y: bottom}, {X: from, Y: top}, {X: to, Y: top}, {X: to, Y: bottom}}); err == nil {
				area.Color, area.Width = color.NRGBA{R: 0, G: 70, B: 110, A: 22}, 0
				p.plot.Add(area)
			}
		}
		y := float64(b.DurationNS)
		if l, err := plotter.NewLine(plotter.XYs{{X: from, Y: y}, {X: to, Y: y}}); err == nil {
			l.Color, l.Width = colour, 2.5
			p.plot.Add(l)
		}
	}
	if len(list) <= mostLabels {
		p.spanLabels(list, colour)
	}
}

// mostLabels is how many spans are labelled; more would cover what they are about.
const mostLabels = 12

// box is a part of a panel, 0 to 1 on each axis.
type box struct{ left, right, bottom, top float64 }

func (b box) overlaps(o box) bool {
	return b.left < o.right && o.left < b.right && b.bottom < o.top && o.bottom < b.top
}

// spanLabels writes how long each span took, above its end, where blocks are rare, or below
// it, where there is room.
func (p *panel) spanLabels(list []rundoc.Block, colour color.Color) {
	const wide, high = 0.09, 0.07 // of a label
	var taken []box
	for _, b := range list {
		h := p.height(float64(b.DurationNS))
		taken = append(taken, box{float64(b.StartNS) / 1e9 / p.plot.X.Max, float64(b.StartNS+b.DurationNS) / 1e9 / p.plot.X.Max, h - 0.005, h + 0.005})
	}
	for i, b := range list {
		own := taken[i]
		at := plotter.XY{X: float64(b.StartNS+b.DurationNS) / 1e9, Y: float64(b.DurationNS)}
		align, left := draw.XRight, own.right-wide
		if left < 0 {
			align, left, at.X = draw.XLeft, own.left, float64(b.StartNS)/1e9
		}
		for _, below := range []bool{false, true} {
			label := box{left, left + wide, own.top + 0.002, own.top + high}
			if below {
				label.bottom, label.top = own.bottom-high, own.bottom-0.002
			}
			if label.bottom < 0 || label.top > 1 || slices.ContainsFunc(taken, label.overlaps) {
				continue
			}
			taken = append(taken, label)
			p.label(at, "close "+duration(b.DurationNS), style(10, colour, align, false), below)
			break
		}
	}
}

func (p *panel) label(at plotter.XY, words string, look text.Style, below bool) {
	labels, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{at}, Labels: []string{words}})
	if err != nil {
		return
	}
	labels.Offset = vg.Point{Y: 4}
	if below {
		look.YAlign = draw.YTop
		labels.Offset = vg.Point{Y: -4}
	}
	labels.TextStyle[0] = look
	p.plot.Add(labels)
}

// points draws blocks. Where several fall on the same place, one stands for them all.
func (p *panel) points(c *course, list []rundoc.Block, k kind) {
	// The places: a pixel and a half wide and high on the panel, about.
	const columns, rows = 800, 180
	taken := map[[2]int]bool{}
	var xys plotter.XYs
	for _, b := range list {
		x, y := float64(b.StartNS)/1e9, float64(b.DurationNS)
		place := [2]int{int(x / c.end * columns), int(p.height(y) * rows)}
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
	p.plot.Add(s)
}

// bandwidthLine is the answer in one line.
func (v *view) bandwidthLine() string {
	line := ""
	for _, t := range v.bandwidth.Transfers() {
		line += t.Name + " " + v.transferAnswer(t).value + "  ·  "
	}
	return line + string(v.verdict.Validity)
}
