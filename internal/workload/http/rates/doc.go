// Package rates gathers how fast the bodies of requests and answers over HTTP moved, as module throughput measured
// them, by request and direction, and makes the part of the document of it.
//
// It stands between the clients of the workload of HTTP, whose connections it wraps, and the document. Everything of it
// may be used at the same time.
package rates
