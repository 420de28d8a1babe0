// Package units writes figures as people read them: times, counts, rates, shares and sizes with
// their units, and text of a document without what a terminal would obey.
//
// It stands below everything that speaks to people: the verdict and the warnings of rundoc, the
// reports, the command line. So a time looks the same wherever it is shown. All functions are
// pure, and safe for concurrent use.
package units
