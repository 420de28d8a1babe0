// Package server is what the embedded servers have in common, and runs one of them as a child
// process of the same binary, so that the server measured and the generator share no heap,
// scheduler or garbage collector, and their CPU times are separate. The packages below it are
// the servers.
//
// It stands beside the flow plan → engine → record → run document → report: the command line
// starts a child before the engine runs, reads its CPU time around the measurement window,
// and stops it after.
//
// # What the servers share
//
// A server listens on a Port. It lives by ServeUntil, one on net/http by HTTP: it accepts until
// its context is done, and then has a bounded time for what is under way. HTTP is the one way in for
// all of them but the AWS responder, which reads for itself: it bounds headers and connections, by a
// Crowd, and refuses who means another host (Misdirected), as that does. A Bound limits what a server
// does at a time; Connections are those that it serves itself. Draws and Pick decide which
// requests suffer a fault that was asked for, a Delay makes an answer late. Counts are its
// metrics. The broker of the package nats is a library with a port and an end of its own.
//
// Bound, Connections, Draws and Counts are for many goroutines at the same time; the others say
// what they are for.
//
// # The child process
//
// The parent's side is Start and Child, the child's side Announce and WatchParent. What holds
// them together is the child's standard input: a pipe that only the parent can write to and
// never does. When the parent ends, in whatever way, the kernel closes it, and the child
// reads the end of the stream and leaves.
//
// A Child's methods may be called from several goroutines. Start makes two goroutines, which
// end with the child's process; Stop waits for them.
package server
