// Package several is the life of a set: of a command that makes several runs, such as a sweep or a plan file. It finds
// the place of the set, takes what became of each member, saves the set document after each, and says by an error how
// all of them went.
//
// It stands above internal/run, which makes the members, and knows no kind of traffic and no report. A Set belongs to
// one goroutine.
package several
