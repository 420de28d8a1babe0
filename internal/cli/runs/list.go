package runs

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/units"
)

func printRuns(env *run.Env, s *saved.Runs, entries []saved.Entry, all int) error {
	if len(entries) == 0 && all > 0 {
		_, err := fmt.Fprintf(env.Stderr, "none of the %s matches\n", units.Count(int64(all), "saved run", "saved runs"))
		return err
	}
	if len(entries) == 0 {
		_, err := fmt.Fprintf(env.Stderr, "no saved runs in %s\n", s.Dir)
		return err
	}
	columns := 0
	if env.IsTerminal(env.Stdout) {
		columns = cmp.Or(env.Columns(env.Stdout), 80)
	}
	_, err := io.WriteString(env.Stdout, listRuns(entries, columns))
	return err
}

// The cells of a line of the list. That of a run which cannot be read has its id, and why.
const (
	cellID = iota
	cellWorkload
	cellLoad
	cellStarted
	cellTarget
	cellRate
	cellP99
	cellLabels
	cellVerdict
)

const (
	narrowTarget = 12 // columns of a target that still say which it is
	narrowRate   = 16 // of a rate that is more than one figure
)

// listRuns is the list of the runs in so many columns; 0: as many as it takes. Where there is no room for all, the ends
// of the targets are left out, and when the runs began, which their ids tell, too. Where that is not enough, what tells
// the runs apart (load, labels, target) has a line of its own below each, and the ends of rates in words are left out
// and the verdicts have several lines, where need be. Where that is not enough either, each run has lines of its own,
// with everything. What no run has, such as a label, has no column.
func listRuns(entries []saved.Entry, columns int) string {
	rows := [][]string{saved.Heads()}
	for i := range entries {
		rows = append(rows, entries[i].Cells())
	}
	all := filled(rows)
	if columns <= 0 {
		list, _ := fitted(rows, all, 0, false)
		return strings.Join(list, "")
	}
	without := func(some ...int) []int {
		return slices.DeleteFunc(slices.Clone(all), func(cell int) bool { return slices.Contains(some, cell) })
	}
	for _, kept := range [][]int{all, without(cellStarted)} {
		if list, ok := fitted(rows, kept, columns, false); ok {
			return strings.Join(list, "")
		}
	}
	below := []int{cellLoad, cellLabels, cellTarget}
	for _, squeezed := range []bool{false, true} {
		for _, kept := range [][]int{without(below...), without(append(below, cellStarted)...)} {
			if list, ok := fitted(rows, kept, columns, squeezed); ok {
				return withBelow(list, rows, below, columns)
			}
		}
	}
	return stacked(rows[1:], columns)
}

// withBelow is a list with what these cells have below each line.
func withBelow(list []string, rows [][]string, cells []int, columns int) string {
	var b strings.Builder
	for i, line := range list {
		b.WriteString(line)
		if i > 0 && len(rows[i]) > cellVerdict {
			var parts []string
			if rate := rows[i][cellRate]; !strings.Contains(line, rate) {
				parts = append(parts, rate) // whole: the line has no room for it
			}
			for _, cell := range cells {
				if text := rows[i][cell]; text != "" {
					parts = append(parts, text)
				}
			}
			indent(&b, strings.Join(parts, " · "), columns)
		}
	}
	return b.String()
}

// indent writes a paragraph that belongs to the line above it.
func indent(b *strings.Builder, paragraph string, columns int) {
	for _, line := range report.Wrap(paragraph, columns-command.Gutter) {
		b.WriteString(strings.Repeat(" ", command.Gutter) + line + "\n")
	}
}

// filled are the cells that any of the runs has something in, of those that few may have; and all others.
func filled(rows [][]string) (cells []int) {
	for cell := cellID; cell <= cellVerdict; cell++ {
		some := slices.ContainsFunc(rows[1:], func(row []string) bool { return len(row) > cellVerdict && row[cell] != "" })
		if some || cell != cellLoad && cell != cellLabels {
			cells = append(cells, cell)
		}
	}
	return cells
}

// fitted are the rows of these cells as text, if they fit into so many columns: with shorter targets and, if squeezed,
// with shorter rates and verdicts of several lines. 0 columns: they fit.
func fitted(all [][]string, kept []int, columns int, squeezed bool) (list []string, ok bool) {
	rows := make([][]string, len(all))
	for i, row := range all {
		if len(row) <= cellVerdict {
			rows[i] = row
			continue
		}
		for _, cell := range kept {
			rows[i] = append(rows[i], row[cell])
		}
	}
	widths := command.WidthsOf(rows)
	if columns <= 0 {
		return aligned(0, rows, widths), true
	}
	over := widthOfLast(rows, len(kept), squeezed) - columns
	for _, w := range widths {
		over += w + command.Gutter
	}
	shrink := func(cell, least int) {
		at := slices.Index(kept, cell)
		if at < 0 || over <= 0 || widths[at] <= least {
			return
		}
		by := min(over, widths[at]-least)
		widths[at], over = widths[at]-by, over-by
		for _, row := range rows {
			if len(row) == len(kept) {
				row[at] = units.Shorten(row[at], widths[at])
			}
		}
	}
	shrink(cellTarget, narrowTarget)
	if squeezed {
		shrink(cellRate, narrowRate)
	}
	return aligned(columns, rows, widths), over <= 0
}

// aligned are rows in columns, each as the lines that it takes.
func aligned(columns int, rows [][]string, widths []int) (list []string) {
	for i := range rows {
		list = append(list, command.AlignIn(columns, rows[i:i+1], widths))
	}
	return list
}

// widthOfLast is the width that the last of so many cells needs in all rows; word: for its longest word.
func widthOfLast(rows [][]string, cells int, word bool) int {
	most := 0
	for _, row := range rows {
		if len(row) != cells {
			continue
		}
		parts := row[cells-1:]
		if word {
			parts = strings.Fields(parts[0])
		}
		for _, part := range parts {
			most = max(most, units.Width(part))
		}
	}
	return most
}

// stacked is the list where a line is too short for a run.
func stacked(rows [][]string, columns int) string {
	var b strings.Builder
	for _, row := range rows {
		paragraphs := row[cellWorkload:]
		head := row[cellID]
		if len(row) > cellVerdict {
			head += "  " + row[cellWorkload]
			paragraphs = []string{row[cellRate] + " · p99 " + row[cellP99] + " · " + row[cellVerdict]}
			if row[cellLoad]+row[cellLabels] != "" {
				paragraphs = append(paragraphs, strings.Trim(row[cellLoad]+" · "+row[cellLabels], " ·"))
			}
			paragraphs = append(paragraphs, row[cellStarted]+" · "+row[cellTarget])
		}
		b.WriteString(head + "\n")
		for _, p := range paragraphs {
			indent(&b, p, columns)
		}
	}
	return b.String()
}
