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
	"github.com/plimsoll/plimsoll/internal/report/graph"
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
	headHeight  = vg.Length(46)
	stripHeight = vg.Length(24)
	rowHeight   = vg.Length(13) // of a legend that has no room beside the title
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
	// Verdict is whether the figures are to be believed, as Met, Unknown and Failed are a role; "": nothing judges them.
	Verdict string
	Role    graph.Role
	Why     string // of the verdict, where there is something to say
}

// Draw writes a chart of these panels, from top to bottom.
func Draw(w io.Writer, head Head, panels []graph.Panel, format Format) error {
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
	drawPanels(draw.New(canvas), head, ofGraphs(panels))
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
func drawPanels(canvas draw.Canvas, head Head, panels []panel) {
	canvas.SetColor(color.White)
	canvas.Fill(canvas.Rectangle.Path())
	headed := drawHead(canvas, head)
	var plots [][]*plot.Plot
	strip := stripHeight
	for i := range panels {
		plots = append(plots, []*plot.Plot{panels[i].plot})
		strip = max(strip, stripHeight+rowHeight*vg.Length(len(panels[i].legendRows())))
	}
	tiles := draw.Tiles{
		Rows: len(panels), Cols: 1, PadTop: headed + strip, PadY: strip, PadLeft: 10, PadRight: 18, PadBottom: 5,
	}
	areas := plot.Align(plots, tiles, canvas)
	for i, p := range panels {
		area := areas[i][0]
		p.plot.Draw(area)
		data := p.plot.DataCanvas(area)
		drawStrip(canvas, &p, data.Min.X, data.Max.X, data.Max.Y)
		canvas.FillText(textStyle(11, grey, draw.XCenter, false), data.Center(), p.empty)
	}
}

// drawHead writes what was run and the answer, and gives the height that it takes.
func drawHead(canvas draw.Canvas, head Head) vg.Length {
	const left, longest = 14, 118
	top := canvas.Max.Y
	large, small := textStyle(14, ink, draw.XLeft, true), textStyle(10, grey, draw.XRight, false)
	title := units.Shorten(head.Title, longest-20)
	canvas.FillText(large, vg.Point{X: left, Y: top - 22}, title)
	if large.Width(title)+small.Width(head.Subtitle) < canvas.Max.X-canvas.Min.X-4*left {
		canvas.FillText(small, vg.Point{X: canvas.Max.X - 18, Y: top - 22}, head.Subtitle)
	}
	at, room := vg.Point{X: left, Y: top - 40}, longest+20
	if head.Verdict != "" {
		look := lookOf(head.Role)
		canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: look.colour, Radius: 4, Shape: look.shape},
			vg.Point{X: at.X + 4, Y: at.Y + 4.5})
		bold := textStyle(11, look.colour, draw.XLeft, true)
		canvas.FillText(bold, vg.Point{X: at.X + 13, Y: at.Y}, head.Verdict)
		at.X += 13 + bold.Width(head.Verdict) + 14
		room -= len(head.Verdict) + 6
	}
	canvas.FillText(textStyle(11, ink, draw.XLeft, false), at, units.Shorten(units.Clean(head.Answer), room))
	if head.Why == "" {
		return headHeight
	}
	why := units.Shorten(units.Clean(head.Why), longest+35)
	canvas.FillText(textStyle(10, ink, draw.XLeft, false), vg.Point{X: left, Y: top - 55}, why)
	return headHeight + 14
}

// entryWidth is how wide an entry of a legend is, with what is left free beside it.
func entryWidth(e entry) vg.Length {
	return textStyle(10, ink, draw.XLeft, false).Width(units.Clean(e.name)) + 42
}

// legendRows are the rows of a legend that has no room beside the title; none: it has.
func (p *panel) legendRows() (rows [][]entry) {
	if len(p.legend) == 0 {
		return nil
	}
	const width = chartWidth - 90 // about: what the vertical axis takes is not known yet
	title := textStyle(11, ink, draw.XLeft, true).Width(p.title)
	var row []entry
	var taken, all vg.Length
	for _, e := range p.legend {
		w := entryWidth(e)
		all += w
		if taken+w > width && len(row) > 0 {
			rows, row, taken = append(rows, row), nil, 0
		}
		row, taken = append(row, e), taken+w
	}
	if title+all <= width {
		return nil
	}
	return append(rows, row)
}

// drawStrip writes a panel's title and its legend above its data area: at the right of the title, or below that.
func drawStrip(canvas draw.Canvas, p *panel, x0, x1, y vg.Length) {
	rows := p.legendRows()
	above := y + 7 + rowHeight*vg.Length(len(rows))
	canvas.FillText(textStyle(11, ink, draw.XLeft, true), vg.Point{X: x0, Y: above}, p.title)
	if len(rows) == 0 {
		rows = [][]entry{p.legend}
	}
	for i, row := range rows {
		x := x1
		for _, e := range row {
			x -= entryWidth(e)
		}
		for _, e := range row {
			drawEntry(canvas, e, x+18, y+7+rowHeight*vg.Length(len(rows)-1-i))
			x += entryWidth(e)
		}
	}
}

// drawEntry draws an entry of a legend from x on.
func drawEntry(canvas draw.Canvas, e entry, x, y vg.Length) {
	style := draw.LineStyle{Color: e.colour, Width: 2.5, Dashes: e.dashes}
	if e.wide {
		style.Width = 9
	}
	if e.shape != nil {
		canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: e.colour, Radius: 3, Shape: e.shape}, vg.Point{X: x + 12, Y: y + 3.5})
	} else {
		canvas.StrokeLine2(style, x, y+3.5, x+18, y+3.5)
	}
	canvas.FillText(textStyle(10, ink, draw.XLeft, false), vg.Point{X: x + 24, Y: y}, units.Clean(e.name))
}

// textStyle is how text is written, aligned at its base line.
func textStyle(size vg.Length, c color.Color, align text.XAlignment, bold bool) text.Style {
	f := font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
	if bold {
		f.Weight = xfont.WeightBold
	}
	return text.Style{Color: c, Font: f, XAlign: align, YAlign: draw.YBottom, Handler: plot.DefaultTextHandler}
}
