// Package view is the command that shows saved runs in a browser: it finds the named runs, serves the pages of
// internal/view with internal/web, prints the address, and stops on an interrupt.
//
// It knows no kind of run: its caller says how they are shown. A command belongs to one goroutine.
package view
