// Package blob keeps the data of the S3 server: in a file in memory, in files of a directory, or
// not at all.
//
// It stands outside the flow plan → engine → record → run document → report, below the S3 server.
//
// A request's body is read with large reads into its last place. It is a Blob, which does not
// change any more, and which is counted by its users and freed with the last one: an object is
// pieces of blobs, so that joining and copying objects moves no data. A Vault bounds how much there
// may be.
//
// All is safe for concurrent use.
package blob
