package report

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The chart is 1200 × 800 pixels: 900 × 600 points at 96 dots per inch.
const (
	chartWidth  = vg.Length(900)
	chartHeight = vg.Length(600)
	chartDPI    = 96
)

// The heights of what lies above the panels and above each of them, in points.
const (
	headHeight  = vg.Length(50)
	stripHeight = vg.Length(30)
)

// Format is a file format of charts.
type Format string

// The formats.
const (
	PNG Format = "png"
	SVG Format = "svg"
)

// ChartFormat is the format for a file of this name, by its ending.
func ChartFormat(path string) (Format, error) {
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".png":
		return PNG, nil
	case ".svg":
		return SVG, nil
	default:
		return "", fault.New(fault.Usage, "chart %q: cannot draw a chart in the format %q", path, ending).
			Hint("Let the name end in .png or .svg.")
	}
}

// Chart draws the course of a run over the time since the start of the window: throughput,
// response time and the cumulative count, of an updates run those of what the server applied, or
// of a bandwidth run the bandwidth and each block's duration. A document without a time series is an error.
func Chart(w io.Writer, run *rundoc.Run, format Format) error {
	v := newView(run, Options{})
	panels, something := v.panels()
	if !something {
		return fault.New(fault.RunFailed, "the run document has no time series, so there is nothing to draw")
	}
	var canvas interface {
		vg.CanvasSizer
		io.WriterTo
	}
	switch format {
	case PNG:
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(chartWidth, chartHeight), vgimg.UseDPI(chartDPI))}
	case SVG:
		canvas = vgsvg.New(chartWidth, chartHeight)
	default:
		return fault.New(fault.Usage, "cannot draw a chart in the format %q", format).Hint("Use png or svg.")
	}
	drawChart(draw.New(canvas), v, panels)
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	out := b.Bytes()
	if format == SVG {
		// Where the font is not installed, one of the same widths must take its place.
		out = bytes.ReplaceAll(out, []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
	}
	_, err := w.Write(out)
	return err
}

// panels are the chart's, from top to bottom; false says that there is nothing to draw.
func (v *view) panels() ([]panel, bool) {
	if v.bandwidth != nil {
		return v.bandwidthPanels()
	}
	if v.updates != nil && v.updates.Proof != nil {
		if panels, something := v.updatesPanels(); something {
			return panels, true
		}
		// The server told nothing: what was published is there.
	}
	c := newCourse(v.run)
	if len(c.bins) == 0 {
		return nil, false
	}
	return []panel{c.throughput(v), c.response(), c.cumulative(v)}, true
}

// drawChart draws the head and the panels, one below the other with their data areas aligned.
func drawChart(canvas draw.Canvas, v *view, panels []panel) {
	canvas.SetColor(color.White)
	canvas.Fill(canvas.Rectangle.Path())
	drawHead(canvas, v)
	var plots [][]*plot.Plot
	for _, p := range panels {
		plots = append(plots, []*plot.Plot{p.plot})
	}
	tiles := draw.Tiles{
		Rows: len(panels), Cols: 1, PadTop: headHeight + stripHeight, PadY: stripHeight,
		PadLeft: 14, PadRight: 22, PadBottom: 8,
	}
	areas := plot.Align(plots, tiles, canvas)
	for i, p := range panels {
		area := areas[i][0]
		p.plot.Draw(area)
		data := p.plot.DataCanvas(area)
		drawStrip(canvas, p, data.Min.X, data.Max.X, data.Max.Y)
		if p.empty != "" {
			canvas.FillText(style(11, grey, draw.XCenter, false), data.Center(), p.empty)
		}
	}
}

// drawHead writes what was run and the answer.
func drawHead(canvas draw.Canvas, v *view) {
	const left, longest = 14, 118
	title, subtitle := v.heading()
	answer := ""
	switch {
	case v.bandwidth != nil:
		answer = v.bandwidthLine()
	case v.updates != nil && v.updates.Proof != nil:
		answer = v.updatesLine()
	default:
		answer = v.throughputAnswer() + "  ·  " + v.responseAnswer() + "  ·  " + string(v.verdict.Validity)
	}
	top := canvas.Max.Y
	large, small := style(14, ink, draw.XLeft, true), style(10, grey, draw.XRight, false)
	title = shorten(title, longest-20)
	canvas.FillText(large, vg.Point{X: left, Y: top - 24}, title)
	canvas.FillText(style(11, ink, draw.XLeft, false), vg.Point{X: left, Y: top - 42}, shorten(clean(answer), longest+20))
	if large.Width(title)+small.Width(subtitle) < canvas.Max.X-canvas.Min.X-4*left {
		canvas.FillText(small, vg.Point{X: canvas.Max.X - 22, Y: top - 24}, subtitle)
	}
}

// drawStrip writes a panel's title and, at the right, the legend, above its data area.
func drawStrip(canvas draw.Canvas, p panel, x0, x1, y vg.Length) {
	base := y + 9
	canvas.FillText(style(11, ink, draw.XLeft, true), vg.Point{X: x0, Y: base}, p.title)
	if len(p.legend) < 2 && !p.alone {
		return
	}
	label := style(10, ink, draw.XLeft, false)
	x := x1
	for i := len(p.legend) - 1; i >= 0; i-- {
		entry := p.legend[i]
		x -= label.Width(entry.name)
		canvas.FillText(label, vg.Point{X: x, Y: base}, entry.name)
		x -= 24
		canvas.StrokeLine2(draw.LineStyle{Color: entry.colour, Width: 2.5}, x, base+3.5, x+18, base+3.5)
		x -= 18
	}
}

func style(size vg.Length, c color.Color, align text.XAlignment, bold bool) text.Style {
	f := font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
	if bold {
		f.Weight = xfont.WeightBold
	}
	return text.Style{Color: c, Font: f, XAlign: align, YAlign: draw.YBottom, Handler: plot.DefaultTextHandler}
}

func shorten(s string, most int) string {
	if width(s) <= most {
		return s
	}
	return fmt.Sprintf("%.*s…", most-1, s)
}
