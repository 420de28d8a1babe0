// Package refusal has the errors of the S3 protocol: what a client is told that gets no answer to
// its request.
//
// It stands outside the flow plan → engine → record → run document → report, below the S3 server
// and what that is made of. An Error does not change.
package refusal
