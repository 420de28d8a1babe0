// Package outfiletest is a file system that fails where a test tells it to: it is full, or read-only, or a call of it
// does not do what it should.
//
// It stands below internal/outfile in tests, and is called by tests alone. A Faulty may be used by several goroutines.
package outfiletest
