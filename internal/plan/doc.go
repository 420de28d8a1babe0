// Package plan says what to run: it holds the settings of a run, resolved and validated, and
// the parsers of what people write in flags (durations, sizes, shares, stages).
//
// It is the first stage of the flow plan → engine → record → run document → report. A plan
// is made by the command line, checked once by Validate, and not changed after that, so it
// may be read from any goroutine. It does no I/O.
package plan
