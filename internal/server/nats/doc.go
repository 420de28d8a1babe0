// Package nats is the embedded broker of the updates workload: nats-server as a library, in
// the process of the embedded key/value server, so that a first run needs nothing installed.
//
// It stands outside the flow plan → engine → record → run document → report: publishers and the
// key/value server talk to it over TCP on the loopback interface, like to any other NATS server.
// There is no way to it but with the random token in its URL.
//
// # What it keeps
//
// Core NATS keeps nothing. JetStream keeps its streams in memory, at most Config.Memory bytes
// of them; a publisher that would exceed that is refused. The library wants a directory to
// start JetStream and writes nothing into it for streams in memory: the directory is temporary
// and is removed as soon as the broker has started, so that none is left even by a process
// that is killed. Everything is lost with the process.
//
// A Server may be used by several goroutines at the same time.
package nats
