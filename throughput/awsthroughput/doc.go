// Package awsthroughput tells the observers of package throughput what the AWS SDK for Go v2 was
// doing: the service and the operation that a request belongs to, and which of the SDK's attempts
// at it this is.
//
// [Middleware] goes into the APIOptions of a configuration or of a client; [From] reads the call
// from the context that an observer gets. The SDK has each retry pass the middleware anew, while a
// request that net/http sends again by itself stays the same attempt here: that one has the next
// Timeline.Attempt.
//
// It needs smithy-go, on which every client of the SDK stands, and not the SDK; it stands apart so
// that only who uses that depends on it. All of it may be used by many goroutines at the same time.
package awsthroughput
