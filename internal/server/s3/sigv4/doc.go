// Package sigv4 checks the signatures of requests to the S3 server, version 4 as the S3 API reference
// has it: in the header, in the query of a presigned URL, and of the chunks of a body.
//
// It stands outside the flow plan → engine → record → run document → report, below the S3 server.
// What is wrong with a request is said by a refusal.Error, as a client gets it.
//
// An Identity is for many goroutines at the same time, what it gives for that of the request.
package sigv4
