// Package store is object stores and filesystems behind one small interface, as a client
// that writes a file in blocks and reads it back sees them. The packages below it are the
// stores; each is known to the command line by its URL schemes.
//
// It stands under the bandwidth workload. A Store may be used by several goroutines at the
// same time; a Writer has one goroutine that reserves and fills memory and one that writes
// and closes; a File may be read by several.
//
// # What is timed
//
// The stores stamp nothing that ends up as an operation's time: the engine times the calls of
// Create, Write, Close, Open and so on. Below them, the requests of those stores that speak
// HTTP are observed by the throughput package, and gathered in Requests.
//
// # When a write returns
//
// As soon as the store's client has accepted the block, which is what an application that
// writes to a stream sees: a block that fits into the queue of parts costs nothing, one that
// does not waits for a part to leave, and Close waits for the rest.
package store
