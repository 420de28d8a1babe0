// Package fault holds the errors that Plimsoll shows to people: one line that names the
// input and what is wrong with it, a hint that says what to do next, and the exit code of
// the process.
//
// It stands outside the flow of data: every package may wrap an error with it, and only the
// command line reads it back, with errors.As. Values are immutable and safe for concurrent
// use.
package fault
