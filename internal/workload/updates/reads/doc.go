// Package reads are the reads of an updates run: at a rate of their own they ask the servers for keys while the updates
// go on, and find out when a read returns what was published.
//
// It stands beside the publishers of internal/workload/updates, which tell a Board of each batch that they send; Work
// is a workload that the engine carries out, and asks the Board what to read. A Board and a Work may be used by several
// goroutines; what Found gives is that of the end.
package reads
