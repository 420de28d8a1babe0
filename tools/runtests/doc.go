// Command runtests runs 'go test', prints what it prints, and keeps a list of what was left out and why.
//
//	runtests FILE ARGUMENTS        'go test ARGUMENTS'; the tests that were skipped are added to FILE
//	runtests -say FILE             that list, by reason
//	runtests -concurrent PATTERN   the packages with tests in which goroutines are started
//
// A test that is skipped passes, and 'go test' does not say so: who reads "ok" takes what was left out for tested. The
// reasons are those that the tests give themselves (t.Skip). The status is that of 'go test'; GO names another go command.
package main
