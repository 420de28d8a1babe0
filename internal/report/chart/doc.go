// Package chart draws panels, one below the other with their data areas aligned, as PNG or SVG: steps, lines with gaps,
// bars, heat maps, ticks that people count in, and colours that can be told apart.
//
// It is the part of the report kit that knows the drawing library. It draws charts as data, which the page of a browser
// draws, too: both show the same figures. A line of more points than the picture has places is drawn by the first, the
// least, the most and the last of each place, which looks the same.
//
// Everything is a function of its arguments, and safe for concurrent use.
package chart
