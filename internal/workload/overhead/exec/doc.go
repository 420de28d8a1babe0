// Package exec measures what calls cost a client that is not ours, a program in any language, by
// what the embedded responder saw of them: nothing of the client is touched.
//
// A Program runs the command, and then the null client, each against a responder of its own that
// leaves a trace. Read makes exchanges of a trace, Measure sorts the times between them by
// operation, and the methods of Operation and Null make rows of the run document of those; these
// are pure functions, safe for concurrent use on different values. A Program belongs to one
// goroutine.
package exec
