// Package delta is the data of the updates workload: rows that set or delete a key, batches
// of them as they travel in a message, the order that decides which of two rows for a key
// wins, and the digest that proves that two parties hold the same rows.
//
// It stands outside the flow of data and imports nothing of ours: the workload encodes
// batches, the embedded key/value server decodes and applies them, and both compute the same
// digest independently. Decoded rows share the memory of the message. Nothing here is safe
// for concurrent use but the pure functions.
package delta
