// Package vary is what a sweep varies: it reads "clients=1,2,4" and "clients=1..64*2", makes the cells of one setting
// or of two, and the order of their runs.
//
// It stands between internal/setting, whose parsers read each value, and the command that makes the runs. It does no
// I/O, and its functions may be called by any goroutine.
package vary
