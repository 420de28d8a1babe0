// Package runtest is what the exit status of every kind's runs has in common, as a test. A kind's
// own test gives it how a run of the kind concludes, and tests beside it what only the kind has.
//
// It is called by tests alone.
package runtest
