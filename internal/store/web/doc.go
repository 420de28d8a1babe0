// Package web is any HTTP server that takes PUT and GET, as a store.
//
// It stands under the bandwidth workload. A store may be used by several goroutines at the
// same time, as internal/store says; each file that is written in several blocks has one
// goroutine that sends it, which Close and Abort wait for.
//
// # How a file is written
//
// By one PUT with a Content-Length, for plain HTTP has no parts. A file that fits into one
// block is sent by Close, from memory that the kernel can send from. A longer one is streamed
// while it is written, through a bounded queue of blocks. Blocks that were sent stay in memory
// until that is needed for new ones: as long as all of them are there, a request can be sent
// again from its start, after a redirect or a lost connection.
//
// # What else is used
//
// HEAD for sizes (or a GET of one byte where the server knows no HEAD), GET with Range, DELETE,
// and of WebDAV, MOVE for renames and PROPFIND to see whether a directory is there.
//
// Credentials are those of the URL; for https and loopback addresses also the bearer token in
// PLIMSOLL_BEARER_TOKEN, or else the host's entry in the file that NETRC names, or in
// ~/.netrc. No error and no description shows them, nor the URL's query, which may be a
// signature. It goes with each request.
package web
