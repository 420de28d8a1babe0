// Package chart draws panels, one below the other with their data areas aligned, as PNG or SVG: steps, lines with gaps,
// bars, heat maps, ticks that people count in, and colours that can be told apart.
//
// It is the part of the report kit that knows the drawing library. OfGraphs makes panels of charts as data, which the
// page of a browser draws, too: both show the same figures. A line of more points than the picture has places is drawn
// by the first, the least, the most and the last of each place, which looks the same.
//
// Callers may also make a Panel by themselves; Course has the panels of a series, and MarkGaps shows on any panels when
// the generator did not run. Everything is a function of its arguments; a Panel is used by one goroutine at a time.
package chart
