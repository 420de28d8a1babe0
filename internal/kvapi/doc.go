// Package kvapi is how the updates workload and the key/value server talk about a run: the
// clock, the registration of a run, what was received of each publisher, the digest of the
// live state, and the times of the stages, as JSON over HTTP, with a client for it.
//
// It stands between cli and target/kv. Its types are plain data; a Client is safe for
// concurrent use.
package kvapi
