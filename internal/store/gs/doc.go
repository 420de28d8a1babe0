// Package gs is Google Cloud Storage as a store, by Google's client library over HTTP/JSON.
//
// It stands under the bandwidth workload. Every request goes through the transport of package
// store, by which it is named, observed and counted.
//
// # How files are written
//
// In order, by a resumable upload: one request for each chunk, one after the other, which is
// all that the library does over HTTP (its parallel uploads need gRPC). A file that fits into
// one chunk is one request. Blocks wait in a queue of their own, so that a write returns
// before they are sent. With the setting fs.gs.client.upload.type=PARALLEL_COMPOSITE_UPLOAD
// the parts are objects of their own, written at the same time and composed when all are
// there.
//
// # Concurrency
//
// A Store and its Files may be used by several goroutines. A writer owns one goroutine, which
// feeds the library; Close and Abort wait for it.
package gs
