// Package show says what the report of an overhead run shows: what calls cost by operation, where the
// time of an attempt goes, and how the run compares with one from before, which it also judges.
//
// It is made of the kit in internal/report and knows nothing but the run document. Everything is a
// function of its arguments, safe for concurrent use.
package show
