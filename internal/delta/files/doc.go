// Package files reads and writes files of rows: CSV, JSON lines, Avro container files, and the
// compact format, which is messages one after the other. docs/deltas.md describes each.
//
// It stands beside the flow of data: the deltas commands convert and inspect files, and the
// key/value server loads them. Reading and writing stream: memory does not grow with a file,
// and what a file says about its own sizes is believed only within bounds. A Reader and a
// Writer belong to one goroutine.
package files
