// Package archtest holds the architecture as a test: which package may import which, what
// each may take from outside, and the habits of the sources that a program can check.
//
// It stands outside the flow of data and is imported by nothing. It reads the sources and
// runs the go command; it changes nothing and starts no goroutines.
package archtest
