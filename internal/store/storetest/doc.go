// Package storetest is what every store has to do, as tests that each store runs against its
// peers. It is for tests alone.
//
// Run drives one store from several goroutines, as the bandwidth workload does.
package storetest
