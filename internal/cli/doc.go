// Package cli is the command line: it turns flags into a plan, has the engine run it, and
// shows what came of it. One file holds one command.
//
// It is both ends of the flow plan → engine → record → run document → report, and the only
// package that knows all of the others. Whatever it needs of the process comes in an Env, so
// that tests run whole commands in their own process. Main may run several times at once,
// each with an Env of its own; everything below it belongs to one goroutine unless it says
// otherwise.
package cli
