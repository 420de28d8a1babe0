// Package wake calls functions at set times, within some tens of microseconds.
//
// A timer of the Go runtime is late by up to a millisecond when the process is idle, because
// the runtime then waits in epoll with a timeout in whole milliseconds (measured here: a
// sleep of 100 µs takes 1.06 ms). That is as much as a whole round trip on a local network,
// so the engine's schedule and the embedded targets' delays wait here instead: on Linux a
// timerfd wakes an idle process on time, and the runtime's timer a busy one.
//
// Delays that are the truth which others are held against need more than that: NewExact gets up before each call by
// as much as waking takes here, and watches the clock for the rest.
//
// A pacer (NewPacer) is for functions that do at once what is due, such as sending a request. It has a thread of its
// own, which sleeps in the kernel, and may watch the clock for the last 60 µs of each sleep.
//
// It stands outside the flow of data and imports nothing of ours. A Scheduler is safe for
// concurrent use; its functions run one after the other on its goroutine and must not block.
package wake
