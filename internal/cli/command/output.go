package command

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
)

// Gutter is how many columns are between two cells.
const Gutter = 2

// WriteJSON writes v in lines, for people and programs.
func WriteJSON(w io.Writer, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// Align makes columns of rows.
func Align(rows [][]string) string { return AlignIn(0, rows, WidthsOf(rows)) }

// AlignIn makes columns of rows in a terminal of so many columns, where the last cell of a row goes on
// below itself; 0: as many as it takes.
func AlignIn(columns int, rows [][]string, widths []int) string {
	var b strings.Builder
	for _, row := range rows {
		last := len(row) - 1
		used := 0
		for i, cell := range row[:last] {
			used += widths[i] + Gutter
			b.WriteString(cell + strings.Repeat(" ", widths[i]+Gutter-units.Width(cell)))
		}
		text := row[last]
		if columns > 0 {
			text = strings.Join(report.Wrap(text, columns-used), "\n"+strings.Repeat(" ", used))
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

// WidthsOf are the widths of the columns. The last cell of a row takes no part in that, so that a long
// message does not push the others apart.
func WidthsOf(rows [][]string) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row[:len(row)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], units.Width(cell))
		}
	}
	return widths
}
