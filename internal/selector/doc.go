// Package selector looks at answers: what is taken from one for the requests that follow, and what must hold of
// one.
//
// A Selector names a part of an answer: its status, a header, a cookie, a path in its JSON, what a regular
// expression matches, its body, its size. A Check says what that part must be. Both are written by users, compiled
// before the run, and looked up for every answer. Paths are those of gjson; regular expressions are Go's (RE2),
// which take no more than linear time, whatever a server sends.
//
// It stands below the kinds of traffic, and knows no protocol: what an answer is, is in Answer. Selectors and
// checks are immutable and safe for concurrent use; an Answer is for one goroutine.
package selector
