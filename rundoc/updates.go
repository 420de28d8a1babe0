package rundoc

// WorkloadUpdates is the Workload of a run whose Detail is an UpdatesDetail.
const WorkloadUpdates = "updates"

// UpdatesDetail is the Detail of an updates run: batches of key/value updates that were
// published to a topic and applied by a server.
type UpdatesDetail struct {
	Transport   string `json:"transport"`               // as "NATS"
	Client      string `json:"client"`                  // its library
	AtLeastOnce bool   `json:"at_least_once"`           // the broker delivers again until a message is acknowledged
	Server      string `json:"server,omitempty"`        // URL of the key/value server; "" for a run that only publishes
	Batch       int    `json:"batch"`                   // updates in a message
	MessageSize int64  `json:"message_bytes,omitempty"` // mean payload of a message
	Listeners   int    `json:"listeners,omitempty"`     // of the server
	Receive     int    `json:"receive,omitempty"`       // messages that one receive call returns at most
	Publishers  int    `json:"publishers"`              //
	// AppliedPerS is the updates of the window's batches that were applied, divided by the time
	// from the window's start to the last of them, or the window if that is longer. It is absent
	// where the server was started again in the run: it knows only of what it applied since.
	AppliedPerS float64 `json:"applied_per_s,omitempty"`
	// BacklogNS is from the end of the window to the last batch applied; 0 when that came before.
	BacklogNS int64       `json:"backlog_ns,omitempty"`
	Due       *DueBatches `json:"due,omitempty"` // absent in documents of before
	// Stages are in the order of the way of a batch.
	Stages []NamedStage `json:"stages"`
	Clock  UpdateClock  `json:"clock,omitzero"` // absent where no server was asked
	// NoClock counts batches whose times from the publisher to the server are not known.
	NoClock  int64          `json:"no_clock,omitempty"`
	Receives int64          `json:"receives,omitempty"` // calls that returned messages
	Messages int64          `json:"messages,omitempty"` // that they returned
	Series   []UpdateSecond `json:"server_series,omitempty"`
	Proof    *Proof         `json:"proof,omitempty"` // absent for a run that only publishes
	Manifest Manifest       `json:"manifest"`
	// Servers are what each of several servers told; absent where there was one. What stands beside it is of all of
	// them then: the proof is complete if each is, and end to end goes to the last of them.
	Servers []UpdateServer `json:"servers,omitempty"`
	Spread  *UpdateSpread  `json:"spread,omitempty"`
	Reads   *UpdateReads   `json:"reads,omitempty"`  // beside the updates; absent where there were none
	Search  []UpdateTrial  `json:"search,omitempty"` // the trials of a search for the largest rate, in their order
	Samples *SamplesFile   `json:"samples,omitempty"`
	// Failures are the first message of each cause for which an attempt to connect or to publish failed.
	Failures []FailureMessage `json:"failures,omitempty"`
	Notes    []string         `json:"notes,omitempty"`
}

// FailureMessage is what the target or its client library said about a failure.
type FailureMessage struct {
	Cause   string `json:"cause"`
	Message string `json:"message"`
}

// UpdateReads are the reads that were made beside the updates, over HTTP.
type UpdateReads struct {
	Keys     string  `json:"keys"`       // which were read: ReadHot or ReadRecent
	RatePerS float64 `json:"rate_per_s"` // that they were due at
	Readers  int     `json:"readers"`    // connections
	// Operation has their counts and times, of the window. They are not among the run's operations.
	Operation Operation `json:"operation"`
	Asked     int64     `json:"keys_asked"` // keys, by the reads that were answered, warm-up included
	Found     int64     `json:"keys_found"` // of them that had a value
	// Batches is when a read first found each batch; absent for hot keys.
	Batches *ReadBatches `json:"batches,omitempty"`
	Series  []Point      `json:"series,omitempty"` // as the run's
}

// Which keys are read.
const (
	ReadHot    = "hot"
	ReadRecent = "recent"
)

// ReadBatches are the batches that reads looked for, each by one of its keys.
type ReadBatches struct {
	Batches   int64 `json:"batches"`             // of the window, that were sent
	Seen      int64 `json:"seen"`                // of which a read found its value
	Unwatched int64 `json:"unwatched,omitempty"` // sent, and not looked for: too many were
	Wrong     int64 `json:"wrong,omitempty"`     // reads that found another value than the one published
	// Times are from when a batch was due until the end of the first read that found it, at any server. It was to be
	// found at most its Resolution sooner: since the last read that did not find it had begun.
	Times      UpdateStage `json:"times"`
	Resolution UpdateStage `json:"resolution"`
}

// Unseen are the batches that no read found.
func (b *ReadBatches) Unseen() int64 { return b.Batches - b.Seen }

// The stages of a batch's way, in their order.
const (
	StagePublish     = "publish"               // actual send → the broker's acknowledgement
	StageTransit     = "transit"               // actual send → the receive call returned
	StageReceiveIdle = "receive, idle"         // the part of a receive call in which nothing was there to receive
	StageReceiveBusy = "receive, busy"         // the rest of it
	StageReading     = "reading off the queue" // a receive call, whole: what the reference prints
	StageQueued      = "waiting in the server" // receive call returned → the batch is taken up
	StageApply       = "decode and apply"      // the batch is taken up → it is applied
	// receive call returned → the batch is applied: what the reference prints
	StageProcessing   = "processing"
	StageAcknowledge  = "acknowledge" // applied → the broker knows
	StageE2ESent      = "end to end, from the send"
	StageE2EScheduled = "end to end, from the schedule"
	StageE2EBroker    = "end to end, by the broker's clock"
)

// UpdateStage is the distribution of one stage's durations.
type UpdateStage struct {
	// Summary covers the durations from 0 on. Its percentiles count the negative ones too, as
	// the lowest; a percentile that falls among those is absent.
	Summary Summary `json:"summary"`
	// Negative counts durations below zero, which come of two clocks that do not agree.
	Negative    int64 `json:"negative,omitempty"`
	NegativeMin int64 `json:"negative_min_ns,omitempty"`
}

// NamedStage is a stage with its name.
type NamedStage struct {
	Name string `json:"name"`
	UpdateStage
}

// UpdateClock says how the publisher's and the server's times were related.
type UpdateClock struct {
	Shared   bool  `json:"shared"`    // one machine: the same monotonic clock
	OffsetNS int64 `json:"offset_ns"` // server's clock less the publisher's
	BoundNS  int64 `json:"bound_ns"`  // how far that may be off
	DriftNS  int64 `json:"drift_ns"`  // change of the offset from the start of the run to its end
}

// UpdateSecond is a second of the server's side, counted from the start of the window.
type UpdateSecond struct {
	Second   int64 `json:"second"`
	Batches  int64 `json:"batches"`
	Applied  int64 `json:"applied"`
	Stale    int64 `json:"stale"`
	E2EP50NS int64 `json:"e2e_p50_ns,omitempty"`
	E2EP99NS int64 `json:"e2e_p99_ns,omitempty"`
	E2EMaxNS int64 `json:"e2e_max_ns,omitempty"`
}

// Manifest is what was published, warm-up included, to be held against what servers received.
type Manifest struct {
	Run        uint64      `json:"run,string"`
	Publishers []Published `json:"publishers"`
	Batches    int64       `json:"batches"` // that the broker acknowledged
	// Unknown counts the batches that were sent and never acknowledged, in a run that has no server's
	// word on them: they are neither lost nor delivered.
	Unknown int64 `json:"unknown,omitempty"`
	// Refused counts, in such a run, the batches that the broker refused in each attempt, so that they were not published.
	Refused int64 `json:"refused,omitempty"`
	Updates int64 `json:"updates"` // in them, and in those that Arrived lists
	// Live and Digest are the state that those batches, and those in Arrived, lead to: the number
	// of keys with a value, and the sum of the hashes of their rows modulo 2^64.
	Live   int64  `json:"live"`
	Digest uint64 `json:"digest,string"`
}

// Published is what one publisher published.
type Published struct {
	Publisher uint32 `json:"publisher"`
	Next      uint64 `json:"next"` // sequences 0 to Next−1 were used, but for those in Unused
	// Unused are the sequences of batches of files that were never sent: there a batch's sequence
	// is its place in the files, whether those before it were published or not.
	Unused []SequenceSpan `json:"unused,omitempty"`
	// Unsure are the sequences that were sent and not acknowledged: they may have arrived.
	Unsure []uint64 `json:"unsure,omitempty"`
	// Arrived are those of Unsure that the measured server had received at the end.
	Arrived []uint64 `json:"arrived,omitempty"`
}

// SequenceSpan is a range of sequences, both ends included.
type SequenceSpan struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

// Proof is what the run's end showed: what was published is what was received, and it led to
// the state that it should.
type Proof struct {
	Complete bool `json:"complete"` // nothing lost, nothing twice, final state equal
	// Unknown says that the proof is not complete for want of an answer alone: nothing that is known
	// is wrong, and what is counted as lost is what had not been received at the server's last answer.
	Unknown    bool       `json:"unknown,omitempty"`
	Published  int64      `json:"published"` // batches that the broker acknowledged
	Received   int64      `json:"received"`  // batches, each counted once
	Unsure     int64      `json:"unsure"`    // batches that were never acknowledged and were received all the same
	Lost       int64      `json:"lost"`      // batches that were acknowledged and not received
	LostSpans  []LostSpan `json:"lost_spans,omitempty"`
	Foreign    int64      `json:"foreign"`    // batches received that nobody published
	Duplicates int64      `json:"duplicates"` // deliveries of a batch that was there already; harmless
	Unreadable int64      `json:"unreadable"` // messages that were no batch, or a broken one
	Updates    int64      `json:"updates"`    // in the batches received
	Applied    int64      `json:"applied"`
	Stale      int64      `json:"stale"`
	// updates that are applied of batches that the server refused, and so not among Applied
	Partial    int64    `json:"partial,omitempty"`
	StateKnown bool     `json:"state_known"` // the two digests could be compared
	Expected   StateSum `json:"expected"`
	Found      StateSum `json:"found"`
	Restarted  bool     `json:"restarted,omitempty"` // the server was another at the end than at the start
	// Interrupted says that the wait for the server was ended by a signal after the window.
	Interrupted bool     `json:"interrupted,omitempty"`
	Undrained   int64    `json:"undrained,omitempty"` // batches that had not arrived when the wait for them ended
	Problems    []string `json:"problems,omitempty"`  // what is wrong, a sentence each
}

// LostSpan is a range of sequences of one publisher, both ends included.
type LostSpan struct {
	Publisher uint32 `json:"publisher"`
	First     uint64 `json:"first"`
	Last      uint64 `json:"last"`
}

// StateSum sums up a state.
type StateSum struct {
	Live   int64  `json:"live"`
	Digest uint64 `json:"digest,string"`
}

// UpdateTrial is one step of the search for the largest rate.
type UpdateTrial struct {
	RatePerS    float64 `json:"rate_per_s"`           // batches offered
	AppliedPerS float64 `json:"applied_per_s"`        // updates
	E2EP99NS    int64   `json:"e2e_p99_ns,omitempty"` // from the schedule
	BacklogNS   int64   `json:"backlog_ns"`           // from the end of the window to the last batch applied
	Sustained   bool    `json:"sustained"`
	Why         string  `json:"why,omitempty"`         // it was not
	Interrupted bool    `json:"interrupted,omitempty"` // before it showed whether the rate is sustained
}
