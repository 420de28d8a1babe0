// Package topictest is what every transport has to do, as tests that each transport runs against
// its servers. It is for tests alone.
//
// Run drives one transport with several publishers, subscriptions and listeners, as the updates
// workload and the key/value server do.
package topictest
