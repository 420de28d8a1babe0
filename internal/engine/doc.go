// Package engine decides when operations start and is the only place that stamps time: it
// takes a run through its phases, draws the arrivals, drives the clients, retries what
// failed, accounts for every moment of a client's time, and hands what happened to record.
//
// It stands between plan and record, and performs operations through a workload.Workload.
//
// One goroutine runs each slot (an operation that a client may have in flight). Slots meet
// only at the source of operations, at the counters of record, and, for slots of one client,
// at its reconnection. Where a client can send without waiting, the open model's pacer, a thread of its own, sends for
// the slot (pace.go), which wakes when the answer is there. A controller goroutine, the caller of Run, moves the
// phases; another reads for how long operations were in flight. Run returns when all of them have ended.
package engine
