// Package http2 is the client's side of HTTP/2 (RFC 9113) on a connection that somebody else has made: requests go
// out as streams, and their answers are told to who sent them while they come.
//
// It is there for the reason that http1 is: what a generator pays for each request is in every figure that it
// measures. One goroutine reads a connection and gives each answer to its stream; who has a request to send writes
// it, or leaves it to whoever is writing. Fields are decoded (RFC 7541) into room that a stream keeps, and frames
// are looked at where they were read, so that a request allocates nothing. What is sent says nothing of other
// requests: the encoder has no table. Strings with Huffman's code are golang.org/x/net's to decode, against which
// fuzzing holds the rest.
//
// What the server allows is kept: its windows, the size of its frames, and how many streams may be open; a request
// that has to wait for one of these waits in the sending. The windows for answers are so large that the server does
// not wait for them. Each rule that a server may break has a name (Rule), and ends the stream or the connection.
//
// All methods of a Conn are safe for concurrent use. A Stream belongs to one goroutine, but for Cancel; its Sink is
// called by others, and never behind the end of Wait.
package http2
