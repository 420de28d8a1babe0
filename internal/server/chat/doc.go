// Package chat is the embedded target of the chat workload: a WebSocket server that checks
// JSON chat messages, echoes the valid ones, says what is wrong with the others, and
// misbehaves on request so that clients can be tested against a server whose faults are known
// and counted.
//
// It stands outside the flow plan → engine → record → run document → report: the client
// measures it over the network like any other server, from another process.
//
// A Server is made by New, bound by Listen and run once by Serve, which returns when its
// context is done and all its goroutines have ended. URL and Serve may be called from
// different goroutines after Listen has returned; everything else belongs to one goroutine. A
// connection has one goroutine that reads, checks and, when no fault is asked for, answers.
package chat
