// Package cause names why something failed: errors of the system, of name resolution, of TLS and
// of connections, statuses of HTTP and codes with which WebSockets are closed. Each has one word
// here, and whether trying again is pointless is said here, once for all kinds of traffic.
//
// It stands at the bottom: stores, topics and workloads put their own services' codes before it, and
// where their reports have always had another word for one of these, translate that one. All of
// it are functions without state.
package cause
