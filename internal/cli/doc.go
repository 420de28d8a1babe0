// Package cli is the command line: it makes a command of each kind of traffic, of which kinds.go
// is the one list, and has the others: the servers, the saved runs, and, in a package of their own,
// the deltas. One file holds one command.
//
// It is both ends of the flow plan → engine → record → run document → report, and the only
// package that knows all of the others. Whatever it needs of the process comes in an Env, so
// that tests run whole commands in their own process. Main may run several times at once,
// each with an Env of its own; everything below it belongs to one goroutine unless it says
// otherwise.
package cli
