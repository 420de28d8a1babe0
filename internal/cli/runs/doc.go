// Package runs is the command that lists the saved runs and sets, and those below it, which remove some.
//
// It shows what internal/saved keeps, and has no run: it knows no kind, and how one is shown it is told by whoever
// makes it. A command belongs to one goroutine.
package runs
