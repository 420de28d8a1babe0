// Package sets makes the reports of several runs out of the kit's sections: that of a set, such as a sweep or the
// runs
// of a plan file, and two sets or two runs side by side.
//
// It stands above report, whose renderers show what it makes, and knows no kind: what a set says of its runs stands
// in
// the set document, and two runs are held beside each other by what all documents have. It reads documents alone, no
// files, and computes nothing that the analysis of a sweep has not computed, but for differences.
//
// All is a function of its arguments; a View is used by one goroutine at a time.
package sets
