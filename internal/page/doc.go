// Package page makes a report as one file for a browser: the answer, charts that can be looked into, tables, and the
// documents themselves. The file asks for nothing from anywhere. The same page shows a run that goes on, of which it is
// told by a stream of events.
//
// It draws no chart and computes no figure: panels of internal/report/graph go to the browser as JSON, and the scripts
// in assets draw them with uPlot. What stands in words and tables is HTML, and there without a script too.
//
// All functions are safe for concurrent use.
package page
