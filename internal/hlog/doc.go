// Package hlog writes HdrHistogram's logs of intervals, version 1.3, which the tools of that project read:
// https://github.com/HdrHistogram/HdrHistogram/blob/master/src/main/java/org/HdrHistogram/HistogramLogWriter.java
//
// It stands behind the run document, and below the commands that write such files. A log of a document has all that
// its histograms have (Document); Writer is for whoever has histograms of his own. A Writer belongs to one goroutine.
package hlog
