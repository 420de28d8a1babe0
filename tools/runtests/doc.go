// Command runtests runs 'go test', prints what it prints, and keeps a list of what was left out and why.
//
//	runtests FILE ARGUMENTS        'go test ARGUMENTS'; what became of each test is added to FILE
//	runtests -say FILE             those that were skipped, and ran in no other of its runs, by reason
//	runtests -concurrent PATTERN   the packages with tests in which goroutines are started, or could be
//	runtests -beside PATTERN       those but for the ones that say //runtests:alone: nothing goes on beside their tests
//
// A test that is skipped passes, and 'go test' does not say so: who reads "ok" takes what was left out for tested. The
// reasons are those that the tests give themselves (t.Skip). The status is that of 'go test'; GO names another go command.
package main
