// Package export is how numbers leave a run while it goes on: its settings, and what opens a way for each that was
// asked for. Each way is a room below it, which looks on at a show.
//
// It stands above internal/onlook and below internal/run, which opens the ways once for a command.
package export
