// Package updates is the workload that publishes batches of key/value updates to a topic, and
// the proof that a key/value server applied them all: what was published against what was
// received, and the state that it should lead to against the one that it led to.
//
// It stands between engine and topic, and asks the server through kvapi. The slots of a client
// share its publisher and its numbering of batches, under a lock; everything else of a slot is
// its own. What follows from a run, such as its manifest, is to be asked for when the engine
// has returned.
package updates
