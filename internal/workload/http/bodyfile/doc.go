// Package bodyfile sends what stands in files from the disk, for requests over HTTP: files that are larger than what is
// kept in memory. Each is open for the whole of a run, is what it was when the run began or has a cause of its own why
// not, and tells how long it was waited for.
//
// It stands below the workload of HTTP, whose clients read from it piece by piece. A Set is filled and closed by one
// goroutine; the clients may use a File at the same time.
package bodyfile
