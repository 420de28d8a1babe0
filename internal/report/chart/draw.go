package chart

import (
	"bytes"
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
	"github.com/plimsoll/plimsoll/internal/units"
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

// FormatOf is the format for a file of this name, by its ending.
func FormatOf(path string) (Format, error) {
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

// Head is what stands above the panels.
type Head struct {
	Title, Subtitle, Answer string
}

// Draw writes a chart of these panels, from top to bottom.
func Draw(w io.Writer, head Head, panels []Panel, format Format) error {
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
	drawPanels(draw.New(canvas), head, panels)
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	out := b.Bytes()
	if format == SVG {
		// Where the font is not installed, one of the same widths must take its place.
		out = bytes.ReplaceAll(out, []byte("font-family:Liberation Sans;"),
			[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
	}
	_, err := w.Write(out)
	return err
}

// drawPanels draws the head and the panels, one below the other with their data areas aligned.
func drawPanels(canvas draw.Canvas, head Head, panels []Panel) {
	canvas.SetColor(color.White)
	canvas.Fill(canvas.Rectangle.Path())
	drawHead(canvas, head)
	var plots [][]*plot.Plot
	for _, p := range panels {
		plots = append(plots, []*plot.Plot{p.Plot})
	}
	tiles := draw.Tiles{
		Rows: len(panels), Cols: 1, PadTop: headHeight + stripHeight, PadY: stripHeight,
		PadLeft: 14, PadRight: 22, PadBottom: 8,
	}
	areas := plot.Align(plots, tiles, canvas)
	for i, p := range panels {
		area := areas[i][0]
		p.Plot.Draw(area)
		data := p.Plot.DataCanvas(area)
		drawStrip(canvas, p, data.Min.X, data.Max.X, data.Max.Y)
		if p.Empty != "" {
			canvas.FillText(Style(11, Grey, draw.XCenter, false), data.Center(), p.Empty)
		}
	}
}

// drawHead writes what was run and the answer.
func drawHead(canvas draw.Canvas, head Head) {
	const left, longest = 14, 118
	top := canvas.Max.Y
	large, small := Style(14, Ink, draw.XLeft, true), Style(10, Grey, draw.XRight, false)
	title := units.Shorten(head.Title, longest-20)
	canvas.FillText(large, vg.Point{X: left, Y: top - 24}, title)
	canvas.FillText(Style(11, Ink, draw.XLeft, false), vg.Point{X: left, Y: top - 42},
		units.Shorten(units.Clean(head.Answer), longest+20))
	if large.Width(title)+small.Width(head.Subtitle) < canvas.Max.X-canvas.Min.X-4*left {
		canvas.FillText(small, vg.Point{X: canvas.Max.X - 22, Y: top - 24}, head.Subtitle)
	}
}

// drawStrip writes a panel's title and, at the right, the legend, above its data area.
func drawStrip(canvas draw.Canvas, p Panel, x0, x1, y vg.Length) {
	base := y + 9
	canvas.FillText(Style(11, Ink, draw.XLeft, true), vg.Point{X: x0, Y: base}, p.Title)
	if len(p.Legend) < 2 && !p.Alone {
		return
	}
	label := Style(10, Ink, draw.XLeft, false)
	x := x1
	for i := len(p.Legend) - 1; i >= 0; i-- {
		entry := p.Legend[i]
		x -= label.Width(entry.Name)
		canvas.FillText(label, vg.Point{X: x, Y: base}, entry.Name)
		x -= 24
		width := vg.Length(2.5)
		if entry.Wide {
			width = 9
		}
		canvas.StrokeLine2(draw.LineStyle{Color: entry.Colour, Width: width}, x, base+3.5, x+18, base+3.5)
		x -= 18
	}
}

// Style is how text is written, aligned at its base line.
func Style(size vg.Length, c color.Color, align text.XAlignment, bold bool) text.Style {
	f := font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
	if bold {
		f.Weight = xfont.WeightBold
	}
	return text.Style{Color: c, Font: f, XAlign: align, YAlign: draw.YBottom, Handler: plot.DefaultTextHandler}
}
