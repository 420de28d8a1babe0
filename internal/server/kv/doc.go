// Package kv is the embedded key/value server that the updates workload measures: it receives
// batches of updates from a topic, applies them to a store in memory, acknowledges them after
// that, answers reads over HTTP, and proves what it has received.
//
// It stands outside the flow plan → engine → record → run document → report, as the other
// targets do. It knows a topic by its interface alone; who starts it opens the topic, and the
// broker if that is embedded.
//
// # The way of a batch
//
// Each listener is a goroutine that receives, and takes the messages up one after the other. A
// message that is no batch is counted and acknowledged. The sequence of a batch is claimed at its
// publisher, so that a second delivery waits for the first; then the batch is applied, written to
// the journal if there is one, its sequence entered among those received, and acknowledged. What
// fails on the way is not acknowledged, and comes again where the transport delivers at least once.
//
// # Who may use what
//
// New, Listen and Serve are called one after the other, by one goroutine. Listen starts the HTTP server, which
// says how far the loading is until Listen returns; Serve starts the listeners, and waits for all of them.
package kv
