// Package chart draws panels over time, one below the other with their data areas aligned, as PNG or
// SVG: steps, lines with gaps, ticks that people count in, and colours that can be told apart.
//
// It is the part of the report kit that knows the drawing library. What is drawn is up to its callers;
// Course has the panels of a run's series, which any kind may show, and MarkGaps shows on any panels when the
// generator did not run. Everything is a function of its
// arguments; a Panel is used by one goroutine at a time.
package chart
