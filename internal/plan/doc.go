// Package plan says how much load a run makes: what the settings of all kinds of traffic have in
// common, their defaults and rules, and the parser of stages. What only one kind has stands in its room.
//
// It is the first stage of the flow plan → engine → record → run document → report. A plan is made by
// the command line, filled in by Resolve, checked once by the rules of its settings, and not changed
// after that, so it may be read from any goroutine. It does no I/O.
package plan
