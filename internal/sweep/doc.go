// Package sweep analyses the runs of one kind at several settings: a set document's levels, where the efficiency went,
// the scaling law, the best setting and how the sweep ends.
//
// It stands beside the reports: RowOf takes from a run document what the analysis needs, Analyze makes the document's
// part from these rows, and Reread says where a set that was read does not follow from its rows.
//
// All is pure: no clock, no file, no random numbers. The same rows in any order give the same levels and results. Safe
// for concurrent use.
package sweep
