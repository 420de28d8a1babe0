// Package http2 is the client's side of HTTP/2 (RFC 9113) on a connection that somebody else has made: requests go
// out as streams, and their answers are told to who sent them while they come.
//
// Frames and fields are golang.org/x/net's to read and to write (RFC 7541 with them). What is here is what its client
// does not give: a request without a goroutine of its own, and the moments at which it was sent, its answer began and
// was whole. One goroutine reads a connection and gives each answer to its stream; who has a request to send writes
// it, or leaves it to whoever is writing. A field block is made before the request is due, for whatever connection
// it will be sent on: therefore what is sent says nothing of other requests, and has no table in the server. An answer
// allocates its frame of headers and the texts of its fields.
//
// What the server allows is kept: its windows, the size of its frames, and how many streams may be open; a request
// that has to wait for one of these waits in the sending. The windows for answers are so large that the server does
// not wait for them. Each rule that a server may break has a name (Rule), and ends the stream or the connection.
//
// All methods of a Conn are safe for concurrent use. A Stream belongs to one goroutine, but for Cancel; its Sink is
// called by others, and never behind the end of Wait.
package http2
