// Package bandwidth is the workload that writes files to a store in blocks, closes them,
// reads them back, compares every byte, and removes them: what an application that streams to
// the store would see.
//
// It stands between plan and engine. Each stream is a client of the engine with one slot: it
// carries out a fixed sequence of operations (create-file, upload-block, …), which the engine
// times. The streams meet between the parts of an iteration, so that the uploads of all are
// over before the first download begins. Data is made, and what was read is compared, beside
// the operations, on a goroutine of each stream.
package bandwidth
