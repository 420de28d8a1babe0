// Package course makes panels of a run document: what every kind of run has to show over time, and of its times; and of
// several documents, the same laid over each other.
//
// Figures are those of the document; nothing is smoothed, and no percentile is averaged or made of others. A rate is a
// count of the document by the length of its stretch, so that areas are counts. What is not known is a gap. What is no
// count and no time of the document (the quantiles of a curve, the shares of the ledger, means of samples) is rounded
// to four or five significant digits.
//
// All functions are safe for concurrent use.
package course
