// Package passive finds what calls cost a client from what a server saw of them: the trace of
// 'plimsoll serve aws'. Nothing of the client is touched, so it may be written in any language.
//
// Read makes exchanges of a trace, Measure sorts the times between them by operation, and the
// methods of Operation and Null make rows of the run document of those. The command line runs
// the client and the null client and puts the document together. All are pure functions, safe
// for concurrent use on different values.
package passive
