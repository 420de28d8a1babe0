// Package samples is the command on files of samples: convert.
//
// It reads and writes by internal/samples, and has no run. Of the life of one it shares the process (run.Env) and the
// interrupts. A command belongs to one goroutine.
package samples
