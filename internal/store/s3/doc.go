// Package s3 is object stores that speak S3, by the AWS SDK, as a store.
//
// It stands below the bandwidth workload, on the shared queue of parts of package store. The
// SDK's own transfer manager is not used: it buffers a whole download in parts and took 7 to
// 13 seconds of processor time for each GiB. A part is sent from its memory as it is: its
// checksum is computed once and goes into a header, so that nothing has to be framed, buffered
// or copied on the way.
//
// A bucket is safe for concurrent use. It has one client for each region that it has been
// sent to, which is one, or two when the region was not known.
package s3
