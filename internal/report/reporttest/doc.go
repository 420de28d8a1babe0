// Package reporttest is what the reports of all kinds have in common, as tests: golden files of fixed
// run documents, a first screen with the answer, and documents that make no sense. Only tests import it.
// Its functions belong to the test that calls them.
package reporttest
