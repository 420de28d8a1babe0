// Package backoff is the pause before something is tried again: exponential between a first and a
// last, with jitter, so that those who failed together do not come back together.
//
// It stands at the bottom, under the engine, the stores, the topics and the servers. The retries
// that the makers' libraries do by themselves have pauses of their own. Its values do not change
// and may be used by several goroutines at the same time.
package backoff
