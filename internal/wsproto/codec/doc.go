// Package codec reads and writes the messages of the protocols that services speak over WebSocket: what a frame holds,
// and what of a message has a name.
//
// A Codec is safe for concurrent use; a Decoder belongs to a connection, and one goroutine uses it.
package codec
