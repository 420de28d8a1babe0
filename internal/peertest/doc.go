// Package peertest is what tests talk to: it starts the programs of others, waits until they are
// ready, and ends them with the test. It is for tests alone, which may all use it at the same time.
package peertest
