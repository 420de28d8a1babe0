// Package deltas is the commands on files of updates: generate, convert, inspect.
//
// They read and write by internal/delta/files, row by row, and have no run: nothing of the flow plan → engine → record
// → run document → report takes part. Of that they share the process (run.Env), the interrupts and the line of
// progress. A command belongs to one goroutine; the line of progress has one of its own, and reads atomics.
package deltas
