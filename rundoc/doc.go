// Package rundoc defines the run document (schema plimsoll.run/v1): the one record of a run
// that every report is made from, and that other programs may read.
//
// It stands between recording and reporting: record builds a Run, report reads one, and
// nothing else passes between the two. A document says all that is needed to judge it:
// Judge checks the laws that hold in every run and derives the verdict from the document
// alone, so a reader need not trust the program that wrote it. Reread does that for a document
// that has a verdict already, and says where the two disagree; the rules have a number, so that
// nobody takes a change of them for one of the document.
//
// What only one workload has is its Detail, decoded once, when the document is read. All that is
// known of a workload here stands in the files that are named after it: what its detail has, the
// laws and the doubts of its figures, its warnings. A new one is a file and a line in kinds.
//
// What the generator itself did to the times is in the document, too: response and service times have free
// figures, without the generator's own delay, and Generator tells what it watched of itself and, in Unseen, what it
// could not. Judge draws its doubts of the generator from these alone, the same for all kinds. A document of the
// rules 1 has none of them: it keeps its verdict, and only the laws are held against it.
//
// Durations are integer nanoseconds in fields that end in _ns, sizes are bytes, and times
// are RFC 3339 in UTC. A figure that could not be determined is absent, never zero. A figure
// that comes to mean something else gets a new number in Definitions.
//
// Values are plain data: safe for concurrent reading, not for concurrent writing.
package rundoc
