// Package page renders a report as a single HTML file: the results, interactive charts, tables, and the documents
// themselves. The file makes no requests. The same page shows a running measurement, which it follows by a stream of
// events.
//
// The package draws no charts and computes no values. Panels of internal/report/graph are embedded as JSON and drawn
// by the scripts in assets, with uPlot. Text and tables are HTML and need no script.
//
// All functions are safe for concurrent use.
package page
