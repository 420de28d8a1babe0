// Package proof holds what a key/value server received against what a run published: the wait until
// it has it all, the sequences of each publisher, the updates, and the state that they lead to.
//
// It stands behind the workload, which says what was published, and knows neither topic nor engine.
// A server is asked through a function. Nothing here is shared: each call is on its own.
package proof
