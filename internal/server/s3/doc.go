// Package s3 is the embedded target of the bandwidth workload: a server of the S3 protocol
// that checks signatures, moves data with as little processor time as net/http allows, and
// misbehaves on request so that clients can be tested against a server whose faults are known
// and counted.
//
// It stands outside the flow plan → engine → record → run document → report: the client
// measures it over the network like any other server, from another process.
//
// A Server is made by New, bound by Listen and run once by Serve, which returns when its
// context is done and all its goroutines have ended. URL and Serve may be called from
// different goroutines after Listen has returned; everything else belongs to one goroutine.
// Each request has the goroutine of net/http. They share the catalog, which has one lock that
// is never held while data moves, and a vault, which holds the data.
//
// # Data
//
// A request's body becomes a blob, which does not change any more. An object is a list of pieces
// of blobs, so that completing a multipart upload and copying an object move no data. Answers
// leave by sendfile.
//
// # The rooms
//
// blob keeps the data, sigv4 checks signatures, refusal has the errors that a client is told.
//
// # Why it is our own
//
// docs/s3-target.md has the measurements of the servers that there are.
package s3
