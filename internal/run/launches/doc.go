// Package launches makes the same run again and again, each time started afresh, until the median of a figure over
// launches is known as well as was asked for, and keeps the runs as a set.
//
// It stands above internal/run and internal/run/several, as sweeps do; what follows from the launches is
// internal/until's. A Launches belongs to one goroutine.
package launches
