// Package flow counts a run's bytes where they leave this machine and where they come in, by the time at which they do.
//
// It stands below the stores: each of them has its connections watched by a Counter, and a store without connections
// tells it what its calls of the system moved. Nothing is guessed from when a request began and ended. On Linux the
// kernel says of each socket what the other side has acknowledged and what has come, so that what waits in a queue
// of this machine does not count, and what was sent in one long call counts when it goes. One goroutine asks every
// socket ten times a second (about 1 µs each); the connections themselves only add to numbers of their own.
//
// A Counter is safe for concurrent use. A nil one counts nothing.
package flow
