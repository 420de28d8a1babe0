// Package ws is the workload of messages over WebSocket, of whatever protocol a file describes: it sends messages,
// matches the answers to them, and may hold connections that each message is to reach.
//
// It stands behind the interface workload, driven by the engine. A client has one connection
// and one goroutine that reads it; the goroutines of its slots send. They meet at the table
// of messages that wait for an answer, under a lock of that client alone. Messages are a pure
// function of the seed and their number, but for what names the attempt: its id, its mark, and times.
package ws
