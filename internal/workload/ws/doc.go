// Package ws is the workload of messages over WebSocket: it makes the messages,
// sends them, and matches the replies to them.
//
// It stands behind the interface workload, driven by the engine. A client has one connection
// and one goroutine that reads it; the goroutines of its slots send. They meet at the table
// of messages that wait for a reply, under a lock of that client alone. Messages are a pure
// function of the seed and their number, but for what names the attempt: the tail of the
// messageId, and the timestamp.
package ws
