// Package wire is a connection that knows when its data came, and that can send without waiting.
//
// It stands below TLS and below the protocol of a workload. When the generator gets no processor time, replies
// wait in the kernel; the moment at which they are read is then the generator's, and the moment at which the kernel
// received them is the target's and the path's. On Linux, Conn reads the two together: the data, and the kernel's
// receive stamp of the last segment in it (SO_TIMESTAMPING, software). A read that holds several replies so gives an
// upper bound for all but the last. The stamps are of the wall clock; Times converts them to a run's. Elsewhere,
// and on what is no TCP, a Conn passes reads through and knows no stamp.
//
// A stamped read takes 0.25 µs (0.1 to 0.4) more than a plain one of 0.9 µs, on the machine that this was written
// on, and allocates nothing either (BenchmarkRead).
//
// Send hands the kernel what it takes at once and keeps the rest, for Flush: so a thread that must be elsewhere in a
// microsecond can begin to send. What is written comes out in the order of the calls of Write and Send.
//
// Ask has a request sent by the Read that waits for its answer, which saves the look for what cannot be there yet.
//
// A Conn is as safe for concurrent use as a net.Conn is, but that one goroutine asks and reads; Send
// never waits for another's Write. Of Times, Sync is
// for one goroutine, and the rest for any.
package wire
