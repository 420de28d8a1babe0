// Package rundoc defines the run document (schema plimsoll.run/v1): the one record of a run
// that every report is made from, and that other programs may read.
//
// It stands between recording and reporting: record builds a Run, report reads one, and
// nothing else passes between the two. A document says all that is needed to judge it:
// Judge checks the laws that hold in every run and derives the verdict from the document
// alone, so a reader need not trust the program that wrote it.
//
// Durations are integer nanoseconds in fields that end in _ns, sizes are bytes, and times
// are RFC 3339 in UTC. A figure that could not be determined is absent, never zero.
//
// Values are plain data: safe for concurrent reading, not for concurrent writing.
package rundoc
