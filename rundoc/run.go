package rundoc

import (
	"encoding/json"
	"time"
)

// Schema names the version of the document that this package reads and writes.
const Schema = "plimsoll.run/v1"

// Run is one run, complete.
type Run struct {
	Schema      string          `json:"schema"`      // always Schema
	ID          string          `json:"id"`          // unique; sorts by time of start
	Workload    string          `json:"workload"`    // "chat", "bandwidth", …
	Started     time.Time       `json:"started"`     // start of the first phase, wall clock
	Ended       time.Time       `json:"ended"`       // end of the last phase, wall clock
	Interrupted bool            `json:"interrupted"` // a signal ended the window early
	Tool        Tool            `json:"tool"`
	Host        Host            `json:"host"`
	Plan        json.RawMessage `json:"plan"` // every resolved setting, the seed included
	Target      Target          `json:"target"`
	Phases      []Phase         `json:"phases"`
	Operations  []Operation     `json:"operations"`       // disjoint: sums over them are the totals
	Flows       []FlowFigures   `json:"flows,omitempty"`  // where operations come in flows
	Total       *Totals         `json:"totals,omitempty"` // absent in documents of before it was there
	Connections Connections     `json:"connections"`
	Retries     []CauseTime     `json:"retries"`           // by cause of the attempt that failed
	Series      []Point         `json:"series"`            // one point a second of the window; fewer of a long one
	Slices      []Slice         `json:"slices,omitempty"`  // the response times by time; absent where they are not known
	InTurn      *InTurn         `json:"in_turn,omitempty"` // where another run had its turns in between
	Ledger      Ledger          `json:"ledger"`
	Little      Little          `json:"little"`
	Generator   Generator       `json:"generator"`
	Verdict     Verdict         `json:"verdict"`
	Thresholds  []Threshold     `json:"thresholds,omitempty"` // the goals that were set
	Until       *Until          `json:"until,omitempty"`      // of a run that went on until a figure was known
	Aborted     string          `json:"aborted,omitempty"`    // the threshold whose miss ended the run early
	Labels      []string        `json:"labels,omitempty"`     // what the user calls the run
	// Exit is the status that its command ended with, as far as the run is why, and Error what it said then. Absent, and 0
	// here, of a run that went as it should, and in documents of before it was there.
	Exit     int       `json:"exit,omitempty"`
	Error    string    `json:"error,omitempty"`
	Warnings []Warning `json:"warnings"`
	// Definitions has the number of each figure whose meaning has changed since the first version; those that
	// are not named have 1.
	Definitions map[string]int `json:"definitions,omitempty"`
	Detail      Detail         `json:"detail,omitempty"` // what only this workload has; for chat a *ChatDetail
}

// Until is what came of a run that went on until a figure was known as well as was asked for, or until it was clear
// that it cannot be. The interval is of this run alone: from one run to the next a figure varies by more.
type Until struct {
	Figure string  `json:"figure"` // as a threshold has it
	Unit   string  `json:"unit"`
	Within float64 `json:"within"`  // half the width of the interval that was asked for, as a share of the value
	MostNS int64   `json:"most_ns"` // how long the window was to be at most

	Known bool     `json:"known"`
	Why   string   `json:"why,omitempty"`   // it is not
	Value *float64 `json:"value,omitempty"` // when the window was looked at last; absent where the figure had none
	Low   *float64 `json:"low,omitempty"`   // the ends of its 95% interval, as wide as looking at it often takes
	High  *float64 `json:"high,omitempty"`  //

	NotSteady       bool  `json:"not_steady,omitempty"`        // the figure rose or fell over the window
	TakesNS         int64 `json:"takes_ns,omitempty"`          // about how long the window would have to be
	WarmupNS        int64 `json:"warmup_ns,omitempty"`         // which the run decided on
	WarmupNotSteady bool  `json:"warmup_not_steady,omitempty"` // it had its bound, and was not steady
}

// Tool is the program that made the document.
type Tool struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
}

// Host is the machine that generated the load.
type Host struct {
	OS     string `json:"os"`
	Arch   string `json:"arch"`
	Kernel string `json:"kernel,omitempty"`
	CPU    string `json:"cpu,omitempty"` // model name
	// CPUs are the logical CPUs of the machine that are switched on, whichever of them the generator may use: that
	// is Generator.CPUs. Where that is not known, and in documents of before the rules 2, those that its affinity allowed.
	CPUs int `json:"cpus"`
}

// Target is the server that was measured.
type Target struct {
	URL      string `json:"url"`       // without credentials
	Embedded bool   `json:"embedded"`  // Plimsoll started it, as a child process
	SameHost bool   `json:"same_host"` // it runs on the generator's machine
	// CPU time of an embedded target within the window; absent when not known.
	CPUUserNS   int64 `json:"cpu_user_ns,omitempty"`
	CPUSystemNS int64 `json:"cpu_system_ns,omitempty"`
}

// InTurn is of a run that went on by turns with another of the same process, as in a comparison: its window is made of
// slices, between which its clock stood still. All else in the document is of the slices alone.
type InTurn struct {
	Slices int   `json:"slices"`
	HeldNS int64 `json:"held_ns"` // for how long its clock stood still
}

// The phases of a run, in their order. Warm-up, connect, ramp and drain may be missing.
const (
	PhaseWarmup  = "warm-up" // own figures, never in the summary
	PhaseConnect = "connect" // the clients of the window establish their connections
	PhaseRamp    = "ramp"    // the load rises to its full height
	PhaseWindow  = "window"  // the measurement window
	PhaseDrain   = "drain"   // what the window began is waited for, within a bound
)

// Phase is a part of the run.
type Phase struct {
	Name       string    `json:"name"`
	Started    time.Time `json:"started"`
	DurationNS int64     `json:"duration_ns"`
	// Operations that belong to it by intended start, unsent ones included.
	Operations int64   `json:"operations"`
	OK         int64   `json:"ok"`                // those of them that ended ok, in this phase or after it
	RatePerS   float64 `json:"rate_per_s"`        // those that ended ok within it, whenever they began, ÷ duration
	MeanNS     int64   `json:"mean_ns,omitempty"` // mean service time of those; absent when there were none
}

// Operation sums up the window's operations of one name and label set.
//
// Conservation holds for each: Scheduled = OK + Failed + Unsent + Unfinished.
type Operation struct {
	Name       string            `json:"name"`
	Labels     map[string]string `json:"labels,omitempty"`
	Scheduled  int64             `json:"scheduled"`
	OK         int64             `json:"ok"`
	Failed     int64             `json:"failed"`
	Unsent     int64             `json:"unsent"`
	Unfinished int64             `json:"unfinished"`
	Attempts   int64             `json:"attempts"`
	Retries    int64             `json:"retries"`
	Bytes      int64             `json:"bytes"` // payload sent by operations that ended ok
	// Carried counts operations that began in the ramp and ended inside the window. They are
	// in the rate and in the series, and in none of the counts and times here.
	Carried int64 `json:"carried,omitempty"`
	// RatePerS is the number of operations that ended ok inside the window ÷ the window.
	// Those that ended in the drain are in OK but not in the rate.
	RatePerS  float64 `json:"rate_per_s"`
	BytesPerS float64 `json:"bytes_per_s"`
	// The three times below cover the operations that ended ok, those that failed because
	// no answer came in time, and the unfinished ones, each with at least the time that it
	// had lasted. An operation that was rejected, refused or cut off is only counted in
	// Failed: a quick no would make the times look better than they are.
	ResponseTime Summary `json:"response_time"` // intended start → end
	ServiceTime  Summary `json:"service_time"`  // actual start → end
	SendDelay    Summary `json:"send_delay"`    // intended start → actual start; empty in the closed model
	FirstAttempt Summary `json:"first_attempt"` // service time of first attempts alone, same rule
	// Causes tells why attempts failed, retried or not: one for each retry, one for each
	// failed operation, and one for each unfinished operation that was backing off at the end.
	Causes []Cause `json:"causes,omitempty"`
	Stages *Stages `json:"stages,omitempty"` // absent where they are not known
}

// Stages are the parts of the attempts that ended operations ok. Those of one attempt sum to its time, from when it
// began, with a connection, to its end.
type Stages struct {
	Send Summary `json:"send"` // until all of the request was handed to the network, or the answer began
	Wait Summary `json:"wait"` // until the first byte of the answer
	Body Summary `json:"body"` // until the end of the answer
}

// FlowFigures sums up the flows of one name: operations that follow each other, of which the first is due by the
// schedule and each other one when the one before has ended. Those are counted whose first operation was the window's
// and was sent.
//
// Started = Completed + Failed + Cut.
type FlowFigures struct {
	Name      string        `json:"name"`
	Started   int64         `json:"started"`
	Completed int64         `json:"completed"` // all of their operations ended, the last of them ok
	Failed    int64         `json:"failed"`    // their last operation failed
	Cut       int64         `json:"cut"`       // the end of the window or of the drain cut them off
	FailedAt  []FlowFailure `json:"failed_at,omitempty"`
	// ResponseTime is the intended start of the first operation → the end of the last: of flows that were completed,
	// that failed because no answer came in time, and that were cut off, these with at least the time that they had
	// lasted.
	ResponseTime Summary `json:"response_time"`
}

// FlowFailure counts the flows that ended with a failure of this operation.
type FlowFailure struct {
	Operation string `json:"operation"`
	Count     int64  `json:"count"`
}

// Cause counts the attempts that failed for one reason.
type Cause struct {
	Cause string `json:"cause"`
	Count int64  `json:"count"`
}

// CauseTime counts retries or reconnects of one cause, and the client time that they took.
type CauseTime struct {
	Cause  string `json:"cause"`
	Count  int64  `json:"count"`
	TimeNS int64  `json:"time_ns"` // summed over clients, within the window
}

// Connections tells what became of the clients' connections, over the whole run.
type Connections struct {
	Opened      int64       `json:"opened"`       // warm-up and reconnects included
	Failed      int64       `json:"failed"`       // tries to connect that failed
	ConnectTime Summary     `json:"connect_time"` // of the tries that succeeded
	Reconnects  []CauseTime `json:"reconnects"`   // within the window, by why the old connection was lost
}

// Point is one second of the window; of a window of more than two hours, one of the first of several
// seconds, which is a power of two, so that no document has more than 7,200. It counts the window's operations, those
// that Operation sums up, and those carried into it, by the second in which they ended; one that ended in the drain
// is in no point.
type Point struct {
	Second  int64 `json:"second"`            // since the start of the window
	Seconds int64 `json:"seconds,omitempty"` // how many it covers; absent, and 0 here, where it is one
	OK      int64 `json:"ok"`                // operations that ended ok in this second
	Failed  int64 `json:"failed"`
	Bytes   int64 `json:"bytes"`
	// Response time; 1% precision. Absent, and 0 here, where too few operations ended in this second to support it.
	// A point of several seconds has the percentiles of the slowest of them that supports one.
	P50NS    int64    `json:"p50_ns,omitempty"`
	P99NS    int64    `json:"p99_ns,omitempty"`
	InFlight *float64 `json:"in_flight,omitempty"` // mean number in flight in this second, if known
	// Offered counts the window's operations whose intended start lies in this second (in the closed
	// model: that began in it), whatever became of them and whenever they ended. They sum to the
	// scheduled ones. Absent in documents of before it was there.
	Offered *int64 `json:"offered,omitempty"`
	// Causes tell why the window's attempts failed that did so in this second, retried or not: at most
	// MaxPointCauses of them, and the rest under OtherCauses.
	Causes []Cause `json:"causes,omitempty"`
	// OwnP99NS is the p99 of the generator's own part of the response times that ended in this second; 3%
	// precision. Absent, and 0 here, when it is less than 128 ns, not known, or of too few.
	OwnP99NS int64 `json:"own_p99_ns,omitempty"`
	// GapNS is for how long of this second the generator did not run. Absent, and 0 here, when it did all the
	// time, or that is not known.
	GapNS int64 `json:"gap_ns,omitempty"`
}

// Length is how many seconds the point covers.
func (p *Point) Length() int64 { return max(1, p.Seconds) }

// PointSeconds is how many seconds the longest of the points covers, at least one, and at most the 12 days
// that a document can speak of. What is made of points over time is as coarse as that.
func PointSeconds(series []Point) int64 {
	longest := int64(1)
	for i := range series {
		longest = max(longest, series[i].Seconds)
	}
	return min(longest, 1<<20)
}

// What a point has of causes.
const (
	MaxPointCauses = 8
	OtherCauses    = "other"
)

// The states of the ledger. Each moment of a client's time in the window is in one of them.
const (
	StateConnecting   = "connecting"
	StateWaiting      = "waiting for its turn" // for the schedule, a think time, or a processor
	StatePreparing    = "preparing"            // making the next operation
	StateSending      = "sending"
	StateAwaiting     = "awaiting" // the answer
	StateBackingOff   = "backing off"
	StateReconnecting = "reconnecting"
	StateIdle         = "idle at the end"
	StatePausing      = "pausing in a flow" // which holds the client until its next operation is due
)

// States lists the ledger's states in the order of a report.
var States = []string{
	StateConnecting, StateWaiting, StatePreparing, StateSending,
	StateAwaiting, StateBackingOff, StateReconnecting, StateIdle, StatePausing,
}

// Ledger tells where the clients' time went. A client that may have k operations in flight
// is k slots, and each slot carries 1/k of the client's time.
type Ledger struct {
	Clients int `json:"clients"` // at the end of the window
	// MaxClients is the largest number of clients that the open model could have used; 0 in the closed model. Below
	// the plan's max_clients, it is what the limit of open files allowed.
	MaxClients int              `json:"max_clients,omitempty"`
	WindowNS   int64            `json:"window_ns"`
	States     map[string]int64 `json:"states"` // summed over clients; sums to clients × window
}

// Little compares the mean number of operations in flight with Little's law, L = λ·W.
type Little struct {
	// InFlightSampled is the mean number in flight by a measurement of its own: the time that each client had
	// operations in flight, from its own readings of the clock, summed and divided by the window. In documents before
	// the rules 4 it is the mean of Samples. Absent if not measured.
	InFlightSampled   float64 `json:"in_flight_sampled,omitempty"`
	InFlightPredicted float64 `json:"in_flight_predicted,omitempty"` // operation time inside the window ÷ window
	Difference        float64 `json:"difference,omitempty"`          // sampled ÷ predicted − 1, if both are known
	Slots             int64   `json:"slots,omitempty"`               // the most that may be in flight; 0 when not known
	Samples           int64   `json:"samples,omitempty"`             // only before the rules 4, like the two below
	Variance          float64 `json:"variance,omitempty"`            // of the samples
	Dropped           int64   `json:"dropped,omitempty"`             // samples that came too late to be ones
}

// Generator is what the instrument measured of itself, within the window. What the system does
// not tell is absent; a figure without a pointer is 0 here then.
type Generator struct {
	CPUUserNS    int64   `json:"cpu_user_ns,omitempty"`
	CPUSystemNS  int64   `json:"cpu_system_ns,omitempty"`
	CPUShare     float64 `json:"cpu_share,omitempty"`     // of the CPUs that it may use, 0 to 1
	CPUs         float64 `json:"cpus"`                    // that it may use, by its affinity and each quota above it
	MachineShare float64 `json:"machine_share,omitempty"` // busy share of all the machine's CPUs, 0 to 1
	// Processors are the busy shares, 0 to 1, of the CPUs that it may use, interrupts included.
	Processors []float64 `json:"processors,omitempty"`
	GCPauseNS  int64     `json:"gc_pause_ns"`
	// GCShare is garbage collection's share, 0 to 1, of the CPU time that the generator used.
	GCShare float64 `json:"gc_share,omitempty"`
	// RunDelayNS is how long its threads were ready to run and waited for a CPU, summed over threads; nil when
	// not known.
	RunDelayNS *int64 `json:"run_delay_ns,omitempty"`
	// ThrottledNS is how long the quota of a control group at any level kept it off the CPUs, summed over CPUs, so that
	// it may be more than the window; nil when not known.
	ThrottledNS    *int64 `json:"throttled_ns,omitempty"`
	MaxRSSBytes    int64  `json:"max_rss_bytes,omitempty"`
	SendDelayP99NS int64  `json:"send_delay_p99_ns,omitempty"` // of the open model alone; absent of too few
	// OwnDelayP99NS is the part of the send delay that is the generator's own: from the later of the moments when
	// the operation was due and when its client would have been free without the generator's own delay, to its
	// start; of all operations that started, those too that are in no time because they were rejected. Its definition
	// is FigureOwnStart's.
	OwnDelayP99NS int64 `json:"own_delay_p99_ns,omitempty"`
	// OwnLate counts the operations, of all that started, whose send delay contains a generator delay of more than half
	// of the free response time's p99, more than 5 ms, and at least half of that send delay; nil in the closed model.
	OwnLate *int64 `json:"own_late,omitempty"`
	// Pacing says how the sending of what is due was waited for: "spin" or "sleep"; "" where nothing is sent at the
	// very moment when it is due.
	Pacing string `json:"pacing,omitempty"`
	// OwnDelay is the generator's own part of each response time, over the operations that have one: raw less free.
	OwnDelay *Summary `json:"own_delay,omitempty"`
	// OwnTimeNS is the sum of the own delays, and ResponseTimeNS that of the response times.
	OwnTimeNS      int64    `json:"own_time_ns,omitempty"`
	ResponseTimeNS int64    `json:"response_time_ns,omitempty"`
	Hiccups        *Hiccups `json:"hiccups,omitempty"`
	Stamps         *Stamps  `json:"stamps,omitempty"`
	// Unseen names the watches that were not to be had, each with the reason.
	Unseen      []string `json:"unseen,omitempty"`
	ClockStepNS int64    `json:"clock_step_ns"` // wall clock against monotonic clock over the run
}

// Hiccups tell when the generator did not run: how late a sleeper of a millisecond woke, again and again.
type Hiccups struct {
	Lateness Summary `json:"lateness"`
	Gaps     int64   `json:"gaps"`              // wake-ups that were so late that the generator cannot have run between
	GapsNS   int64   `json:"gaps_ns"`           // their sum
	Long     int64   `json:"long,omitempty"`    // those of 50 ms or more; 0 with a LongNS where they were not counted
	LongNS   int64   `json:"long_ns"`           // the sum of those of 50 ms or more
	Longest  []Gap   `json:"longest,omitempty"` // at most MaxGaps, in the order of time
}

// MaxGaps is how many gaps a document lists at most.
const MaxGaps = 100

// Gap is a time in which the generator did not run.
type Gap struct {
	AtNS int64 `json:"at_ns"` // since the start of the window
	NS   int64 `json:"ns"`
}

// Stamps count the arrivals that the kernel stamped. Those are refused that lie outside of start … read of their
// attempt, or across a step of the wall clock. Not of sent … read: a target may answer before our write has returned.
type Stamps struct {
	Used    int64 `json:"used"`
	Missing int64 `json:"missing"` // no stamp came with the data
	Refused int64 `json:"refused"` // outside of start … read, or across a step of the wall clock
}

// Warning is a doubt that travels with the numbers.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// FullSeconds are the counts of operations that ended ok in those seconds of the window that were whole; of points of
// several seconds, the mean counts.
func (r *Run) FullSeconds() []float64 {
	whole := r.window() / 1e9
	var counts []float64
	for i := range r.Series {
		if p := &r.Series[i]; p.Length() <= whole && p.Second <= whole-p.Length() {
			counts = append(counts, float64(p.OK)/float64(p.Length()))
		}
	}
	return counts
}
