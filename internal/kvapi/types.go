package kvapi

import "github.com/plimsoll/plimsoll/rundoc"

// Clock answers GET /v1/clock.
type Clock struct {
	ID          uint64 `json:"id,string"`    // as in the header of a message: one boot of one machine; 0 when not known
	MonotonicNS int64  `json:"monotonic_ns"` // CLOCK_MONOTONIC at the answer
}

// Info answers GET /v1/info: what the server is and reads from.
type Info struct {
	Instance string `json:"instance"` // random, new with each start of the server
	Version  string `json:"version"`
	Topic    string `json:"topic"` // URL, without credentials
	// The topic is at a broker in the server's process, whose token is told to nobody.
	OwnBroker bool     `json:"own_broker,omitempty"`
	Transport string   `json:"transport"`
	Client    string   `json:"client"`
	Durable   bool     `json:"durable"`       // the broker keeps messages while the server is away
	AtLeast   bool     `json:"at_least_once"` // the broker delivers again until it is acknowledged
	Listeners int      `json:"listeners"`
	Batch     int      `json:"receive_batch"`
	Journal   bool     `json:"journal"` // applied batches survive the server
	Notes     []string `json:"notes,omitempty"`
}

// Registration is the body of PUT /v1/runs/{run}: what the server must know of a run before
// its first message. A run that is not registered is applied and counted all the same; its
// times from the publisher to the server are known only if the two share a clock.
type Registration struct {
	// OffsetNS is what is added to the publisher's clock to get the server's.
	OffsetNS int64 `json:"offset_ns"`
	// BoundNS is how far that may be off, to either side; 0 on one machine.
	BoundNS int64 `json:"bound_ns"`
	// Moments asks the server to keep when each batch was applied.
	Moments bool `json:"moments,omitempty"`
}

// Run answers GET /v1/runs/{run}: what was received of a run, warm-up included.
type Run struct {
	Instance   string     `json:"instance"`
	Publishers []Received `json:"publishers"`
	Rows       Rows       `json:"rows"`
	// Messages of any run that were no batch, or a broken one, since the start.
	Unreadable int64  `json:"unreadable"`
	Example    string `json:"example,omitempty"` // why the first of them was not
	// Refused counts deliveries of batches of this run that the server could not keep, for lack of
	// memory or because its journal failed, and did not acknowledge; Refusal says why the last was.
	Refused int64  `json:"refused,omitempty"`
	Refusal string `json:"refusal,omitempty"`
	// Partial is what the state has of batches that were refused, and not received since: rows are
	// applied one by one, and before the journal is written.
	Partial Partial `json:"partial,omitzero"`
	Full    bool    `json:"full,omitempty"` // memory is lacking, so that what was refused is not kept later either
	Backlog int64   `json:"backlog"`        // messages that the broker holds; −1 when not known
	Unacked int64   `json:"unacked"`        // delivered and not acknowledged; −1 when not known
	Dropped int64   `json:"dropped"`        // that the client or broker threw away, as far as is known
	// Watched says that the server keeps what it notices of its subscription, and Events are what it has noticed since
	// it knows of the run, or since its start when it does not.
	Watched bool    `json:"watched,omitempty"`
	Events  []Event `json:"events,omitempty"`
	// Others counts what came of other runs since then.
	Others  Others `json:"others,omitzero"`
	Trouble string `json:"trouble,omitempty"` // why the server cannot keep batches at present
	LastNS  int64  `json:"last_ns"`           // since the last batch of the run was applied; −1 before the first
	// State is there when it was asked for, with ?state=1: it takes a pass over all keys.
	State *State `json:"state,omitempty"`
	// Times are there when they were asked for, with ?times=1. They cover the batches since
	// the start of the server, those of the warm-up and those recovered from files left out.
	Times *Times `json:"times,omitempty"`
}

// The kinds of events, the most telling first; a subscription has those of internal/topic as well.
const (
	EventReceiveFailed = "receive-failed" // followed by a colon and the cause
	EventUnreadable    = "unreadable"     // a message that was no batch
)

// Event is what the server noticed, as often as it did.
type Event struct {
	Kind   string `json:"kind"`
	What   string `json:"what"` // a clause, of the last of them
	Count  int64  `json:"count"`
	LastNS int64  `json:"last_ns"` // since the last
}

// Others counts batches of other runs, and those runs.
type Others struct {
	Runs    int64 `json:"runs"`
	Batches int64 `json:"batches"`
}

// Received is what was received of one publisher.
type Received struct {
	Publisher  uint32 `json:"publisher"`
	Next       uint64 `json:"next"`             // every sequence below it was received
	Beyond     []Span `json:"beyond,omitempty"` // what was received above it
	Batches    int64  `json:"batches"`          // received, each counted once
	Duplicates int64  `json:"duplicates"`       // deliveries of a batch that was there already
}

// Partial counts what was applied of batches that were refused.
type Partial struct {
	Batches int64 `json:"batches"`
	Updates int64 `json:"updates"`
}

// Span is the sequences First to Last, both included.
type Span struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

// Rows counts rows: of batches received for the first time each is applied or stale.
type Rows struct {
	Applied   int64 `json:"applied"`
	Stale     int64 `json:"stale"`     // the key had a later row already
	Duplicate int64 `json:"duplicate"` // in a batch that was there already
}

// State is the server's live state, as far as rows of this run made it.
type State struct {
	Live       int64  `json:"live"`          // keys with a value
	Tombstones int64  `json:"tombstones"`    // keys that are deleted and still remembered
	Digest     uint64 `json:"digest,string"` // sum of the hashes of the live rows, modulo 2^64
}

// Times are the stages of the batches, as the server timed them. All are durations in ns.
// Summaries have no values below zero; those are counted in Negative, and rank lowest.
type Times struct {
	Stages map[string]Stage `json:"stages"` // by the names of rundoc's update stages
	// NoClock counts batches whose publisher's clock cannot be related to the server's.
	NoClock int64 `json:"no_clock"`
	// Receives counts the receive calls that returned messages, and Messages those.
	Receives int64 `json:"receives"`
	Messages int64 `json:"messages"`
	// Series is by second, oldest first. Seconds are counted from when the first batch of the run,
	// but for those of the warm-up, was due, or applied if that is not known.
	Series []Second `json:"series,omitempty"`
}

// Stage is the distribution of one stage.
type Stage = rundoc.UpdateStage

// Second is what happened in one second.
type Second struct {
	StartNS  int64 `json:"start_ns"` // on the server's monotonic clock
	Batches  int64 `json:"batches"`
	Applied  int64 `json:"applied"`
	Stale    int64 `json:"stale"`
	E2EP50NS int64 `json:"e2e_p50_ns,omitempty"`
	E2EP99NS int64 `json:"e2e_p99_ns,omitempty"`
	// E2EMaxNS is the longest time from the schedule to applied; absent when none is known.
	E2EMaxNS int64 `json:"e2e_max_ns,omitempty"`
}
