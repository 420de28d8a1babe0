// Package server runs an embedded target as a child process of the same binary, so that the
// server measured and the generator share no heap, scheduler or garbage collector, and their
// CPU times are separate. The packages below it are the servers.
//
// It stands beside the flow plan → engine → record → run document → report: the command line
// starts a child before the engine runs, reads its CPU time around the measurement window,
// and stops it after.
//
// The servers share Listen, Address and MachineMemory.
//
// The parent's side is Start and Child, the child's side Announce and WatchParent. What holds
// them together is the child's standard input: a pipe that only the parent can write to and
// never does. When the parent ends, in whatever way, the kernel closes it, and the child
// reads the end of the stream and leaves.
//
// A Child's methods may be called from several goroutines. Start makes two goroutines, which
// end with the child's process; Stop waits for them.
package server
