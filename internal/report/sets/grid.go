package sets

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
)

// grid is the figure over two settings: a row for each value of the first, a column for each of the second.
func (v *View) grid() report.Section {
	if len(v.sweep.Vary) != 2 {
		return report.Section{}
	}
	down, across := v.sweep.Vary[0], v.sweep.Vary[1]
	s := report.Section{Title: units.Capital(figureName(v.sweep.Figure)) + " over " + v.settings()}
	if unit := unitOf(v.sweep.Figure); unit != "" {
		s.Title += ", " + unit
	}
	table := func(show func(level) string) report.Table {
		columns := []report.Column[string]{report.Right(units.Clean(down.Setting), units.Clean)}
		if !down.Numeric {
			columns[0] = report.Left(units.Clean(down.Setting), units.Clean)
		}
		for _, value := range across.Values {
			columns = append(columns, report.Right(units.Clean(across.Setting+" "+value), func(row string) string {
				if l := v.at(row, value); l != nil {
					return show(l)
				}
				return units.Dash
			}))
		}
		return report.TableOf(down.Values, columns...)
	}
	s.Tables = []report.Table{table(func(l level) string { return v.cell(l.Throughput) })}
	return s
}

// at is the level of two values, or nil.
func (v *View) at(values ...string) level {
	for _, l := range v.all() {
		if slices.Equal(l.Values, values) {
			return l
		}
	}
	return nil
}
