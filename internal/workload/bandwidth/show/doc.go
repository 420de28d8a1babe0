// Package show says what the report of a bandwidth run shows: how fast each transfer was and over
// time, its single operations, the requests and where their time went, what limited it; and the CSV
// of the single operations, which a run also writes while it goes on.
//
// It is made of the kit in internal/report and knows nothing but the run document. Everything is a
// function of its arguments, safe for concurrent use, but for a BlockWriter.
package show
