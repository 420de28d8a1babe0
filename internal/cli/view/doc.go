// Package view is the command that opens saved runs in a browser: it finds those that are named, serves the pages of
// internal/view by internal/web, says where, and ends with an interrupt.
//
// It knows no kind: how runs are shown it is told by whoever makes it. A command belongs to one goroutine.
package view
