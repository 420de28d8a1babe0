// Package hostclock is the monotonic clock of the machine, which all of its processes share, so
// that a time that one of them took can be held against a time of another. It is what batches
// of updates are stamped with on their way from a publisher to a server.
//
// It stands below workload/updates and target/kv and imports nothing of ours. The times of a
// run are still the engine's alone: this package only translates them. A Clock is safe for
// concurrent use.
package hostclock
