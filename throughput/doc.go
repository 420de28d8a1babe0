// Package throughput measures how fast the bodies of requests and responses really move.
//
// A [Transport] wraps any [net/http.RoundTripper], so it works with every client built on
// net/http: the SDKs of Amazon, Google and Microsoft, minio-go, plain http.Client. For each
// attempt to send a request it makes a [Timeline] — when the connection was there, when the
// first and the last piece of the body was taken, when the request was written, when the
// network had it all, when the answer began and ended — and hands it, finished and for the
// last time, to an [Observer]. [Reader], [ReadCloser] and [Writer] do the same for bodies
// that do not travel over HTTP.
//
// # Clients that are no http.RoundTripper
//
// A [Conn] wraps a connection of such a client, which says when a body begins and ends. Its timelines are made by the
// same code as those of a Transport.
//
// # Two rates of an upload
//
// The pace at which a client takes a body from its reader is not the pace of the network:
// up to several megabytes disappear into the socket's queue at the speed of memory.
// [Timeline.WriteThroughputHandoff] is that first pace. It is an upper bound, and for bodies
// that fit into the queue it is too high by one or two orders of magnitude.
// [Timeline.WriteThroughputDelivered] is the pace of the network: on Linux the connection's
// queue is asked when it has become empty. [Timeline.WriteQuality] says whether to believe it.
//
// A figure that cannot be determined is absent. No figure is ever 0 or infinite because
// something was not known.
//
// # Place in the flow
//
// Of plan → engine → record → run document → report this package is none: it stands below
// the workloads that speak HTTP, and serves programs that have nothing else of Plimsoll. It
// imports the standard library alone. Exporters are in packages of their own.
//
// # Concurrency
//
// A Transport may be used by many goroutines at the same time. A response can arrive while
// the body of its request is still being read, so an attempt is written to by several
// goroutines: what happens once is kept under a lock of the attempt, what happens at each
// read in atomics with a single writer. A Timeline does not change once an observer has it,
// and may be kept. Observers are called on whatever goroutine ended the attempt, several at
// the same time if several attempts end, and hold that goroutine up; when one is called,
// nothing of the attempt runs any more.
package throughput
