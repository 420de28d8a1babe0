// Package script says what the clients of HTTP do: which requests there are, in what order they follow each other,
// what must hold of the answers, and what of them is kept for the requests that follow. It comes from the flags of
// a command, or from a file.
//
// It is compiled before a run, and is immutable from then on and safe for concurrent use. Everything that can be
// wrong with it is said here, with the file and the line where it is.
package script
