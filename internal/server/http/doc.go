// Package http is an HTTP service that answers as it is asked to: what 'plimsoll http' measures when no other is named,
// and the known truth of its tests. It echoes, waits, stands still, sends what sizes and statuses are wanted, refuses,
// has a login and a cart, and counts what it did.
//
// What it does with a request follows from the settings, from the path and from the query, and for faults with a rate
// from the seed and the number of the request, so that the same seed and the same requests give the same faults.
//
// It speaks HTTP/1.1 and HTTP/2, with TLS and without. It runs as a child process of a run, or on its own by
// 'plimsoll serve http'. A Server is safe for concurrent use; Serve waits for all of its goroutines.
package http
