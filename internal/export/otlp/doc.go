// Package otlp pushes what the runs of a show come to, to an OpenTelemetry collector while they go on: metrics, and a
// span for each operation that was picked. It speaks OTLP over HTTP, as protobuf.
//
// It stands above internal/onlook and below internal/run. A Pusher is a watcher: all of it is on the goroutine that its
// seat has, so that a collector that hangs holds up nothing but the push.
package otlp
