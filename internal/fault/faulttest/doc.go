// Package faulttest makes errors of spelling, for tests of what is suggested for them.
//
// It stands beside fault and is imported by tests alone. It has no state.
package faulttest
