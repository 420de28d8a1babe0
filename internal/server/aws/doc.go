// Package aws is the embedded target of the overhead command: a responder that has one
// correct, minimal and mostly fixed answer for each of a few operations of AWS services, so
// that what is left of a call's time is the client's.
//
// It is not an emulator. It keeps nothing of what it is sent but the names of tables and
// buckets that were deleted, checks no signature and no parameter, and answers what it does
// not know with the service's own error shape, naming the operation. One port serves all
// services: the operation is found by X-Amz-Target, by the path of Smithy's RPC v2, by Action,
// by method and path, and by the service that the signature is for.
//
// It stands outside the flow plan → engine → record → run document → report: the client
// measures it over the network like any other server. Whoever embeds it can be told the times
// of each request and answer by Config.Observe.
//
// A Server is made by New, bound by Listen and run once by Serve, which returns when its
// context is done and all its goroutines have ended. Each connection has a goroutine, with
// HTTP/2 one more for each request that has to wait. HTTP/1.1 is read by a parser of its own,
// which allocates nothing for the operations that are measured.
package aws
