package cli

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The measures of the window that terminalSVG draws, in pixels.
const (
	columnPX = 8.43 // of a font of 14 px, about: each piece of text is stretched to its columns
	linePX   = 20
	marginPX = 18
	headPX   = 34
)

// terminalColours are those of the ANSI escapes that a report has.
var terminalColours = map[string]string{
	"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "36": "#79c0ff", "2": "#8b949e",
}

// terminalSVG draws text as a dark window of so many columns shows it. Bold and colours are ANSI escapes.
func terminalSVG(text string, columns int) []byte {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	width, height := float64(columns)*columnPX+2*marginPX, headPX+len(lines)*linePX+marginPX
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0f %d"`,
		width, height, width, height)
	b.WriteString(` font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" fill="#e6edf3">` + "\n")
	fmt.Fprintf(&b, `<rect width="%.0f" height="%d" rx="8" fill="#0d1117"/>`+"\n", width, height)
	for i, fill := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		fmt.Fprintf(&b, `<circle cx="%d" cy="17" r="6" fill="%s"/>`+"\n", 20+20*i, fill)
	}
	style := ""
	for i, line := range lines {
		style = terminalLine(&b, line, headPX+linePX*i+linePX*7/10, style)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// terminalLine draws one line, piece by piece, and gives the style that goes on in the next one.
func terminalLine(b *bytes.Buffer, line string, y int, style string) string {
	column := 0
	for i, text := range strings.Split(line, "\x1b[") {
		if codes, rest, found := strings.Cut(text, "m"); i > 0 && found {
			style, text = terminalStyle(codes), rest
		}
		visible := strings.Trim(text, " ")
		x := marginPX + columnPX*float64(column+len(text)-len(strings.TrimLeft(text, " ")))
		column += utf8.RuneCountInString(text)
		if visible == "" {
			continue
		}
		fmt.Fprintf(b, `<text x="%.2f" y="%d" textLength="%.2f" xml:space="preserve"%s>`, x, y,
			columnPX*float64(utf8.RuneCountInString(visible)), style)
		_ = xml.EscapeText(b, []byte(visible)) // a buffer takes everything
		b.WriteString("</text>\n")
	}
	return style
}

// terminalStyle is what the codes of an escape mean for text.
func terminalStyle(codes string) (style string) {
	for code := range strings.SplitSeq(codes, ";") {
		if code == "1" {
			style += ` font-weight="bold"`
		}
		if fill := terminalColours[code]; fill != "" {
			style += fmt.Sprintf(` fill="%s"`, fill)
		}
	}
	return style
}
