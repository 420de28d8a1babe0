package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
)

// table is what is printed in the end.
type table struct {
	rows  [][]string
	notes []string
}

func (t *table) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

// section begins rows of one kind.
func (t *table) section(title string, heads ...string) {
	t.rows = append(t.rows, nil, []string{title}, heads)
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// heads are those of the rows of scenes.
var heads = []string{"asked", "generator", "requests/s", "rate / wrk*", "CPU µs/request", "CPU / wrk*", "CPU / net/http",
	"allocations/request", "KiB/idle connection", "p50", "p99"}

// scene adds the medians of the rounds. The rates and processor times of two tools are compared in each round. idle is
// 0 where it is not known.
func (t *table) scene(s scene, got map[string][]figures, idle float64) {
	for _, name := range s.tools {
		all := got[name]
		if len(all) == 0 {
			continue
		}
		memory := none
		if name == "plimsoll" && idle > 0 {
			memory = fmt.Sprintf("%.1f", idle)
		}
		t.add(s.title, name,
			medianOf(all, (*figures).rate, "%.0f"), ratio(all, got[s.best], (*figures).rate),
			medianOf(all, (*figures).cost, "%.1f"), ratio(all, got[s.best], (*figures).cost),
			ratio(all, got["net/http"], (*figures).cost),
			medianOf(all, func(f *figures) float64 { return f.allocations }, "%.2f"), memory,
			medianTime(all, func(f *figures) time.Duration { return f.median }),
			medianTime(all, func(f *figures) time.Duration { return f.p99 }))
	}
	if s.best != "wrk" {
		t.note("* %s: by %s.", s.title, s.best)
	}
}

const none = "–"

func medianOf(all []figures, of func(*figures) float64, format string) string {
	var v []float64
	for i := range all {
		if x := of(&all[i]); x >= 0 {
			v = append(v, x)
		}
	}
	if len(v) == 0 {
		return none
	}
	return fmt.Sprintf(format, median(v))
}

func medianTime(all []figures, of func(*figures) time.Duration) string {
	var v []time.Duration
	for i := range all {
		if d := of(&all[i]); d > 0 {
			v = append(v, d)
		}
	}
	if len(v) == 0 {
		return none
	}
	return inMillis(median(v))
}

func inMillis(d time.Duration) string {
	if d >= 100*time.Millisecond {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.3g ms", float64(d)/1e6)
}

// ratio is the median, over the rounds, of what a tool took by what the other one took.
func ratio(all, base []figures, of func(*figures) float64) string {
	var v []float64
	for i := range min(len(all), len(base)) {
		if r := of(&all[i]) / of(&base[i]); !math.IsNaN(r) {
			v = append(v, r)
		}
	}
	if len(v) == 0 {
		return none
	}
	return fmt.Sprintf("%.2f", median(v))
}

// print writes the sections, aligned.
func (t *table) print(w io.Writer) {
	for i := 0; i < len(t.rows); {
		_, _ = fmt.Fprintf(w, "\n%s\n\n", t.rows[i+1][0])
		from := i + 2
		for i = from; i < len(t.rows) && t.rows[i] != nil; i++ {
		}
		printRows(w, t.rows[from:i])
	}
	for _, note := range t.notes {
		_, _ = fmt.Fprintf(w, "\n%s\n", note)
	}
}

func printRows(w io.Writer, rows [][]string) {
	words := rows[0][1] == "generator" // the second column has no numbers
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 3)
			}
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	line := func(cells []string) {
		for i, cell := range cells {
			space := strings.Repeat(" ", widths[i]-len([]rune(cell)))
			if i == 0 || i == 1 && words {
				cell += space
			} else {
				cell = space + cell
			}
			_, _ = fmt.Fprintf(w, "| %s ", cell)
		}
		_, _ = fmt.Fprintln(w, "|")
	}
	line(rows[0])
	dashes := make([]string, len(rows[0]))
	for i := range dashes {
		dashes[i] = strings.Repeat("-", widths[i]-min(i, 1)) + strings.Repeat(":", min(i, 1))
	}
	line(dashes)
	for _, row := range slices.Concat(rows[1:]) {
		line(row)
	}
}
