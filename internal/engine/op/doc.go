// Package op is the engine's operation handle: what a workload holds of an operation while
// it performs it.
//
// It stands between engine and workload. The engine makes the handles and reads them; a
// workload can say that something happened now (sent, answered, failed) but cannot say when,
// so it cannot invent a time. Only the engine's Clock stamps.
//
// An Attempt belongs to one slot. The slot's goroutine performs it; Complete may be called
// from any goroutine (the one that reads the connection), and loses silently against an
// earlier end of the same attempt.
package op
