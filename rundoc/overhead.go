package rundoc

import (
	"encoding/json"
	"time"
)

// OverheadDetail is the Detail of an overhead run: what calls of an SDK cost on the client's
// side.
type OverheadDetail struct {
	// Mode is "sdk" for the calls of the SDK that Plimsoll is built with, timed by its hooks, or
	// "exec" for a foreign client, timed by the server alone.
	Mode    string `json:"mode"`
	Command string `json:"command,omitempty"` // of the foreign client, without its arguments' secrets
	// CommandWhole says that nothing of the Command was hidden or left out: who runs it where it ran runs the same.
	CommandWhole bool `json:"command_whole,omitempty"`
	// Rows are the operations in the order of the table.
	Rows []OverheadRow `json:"rows"`
	// Null is the cost of the instrument itself: a client that does nothing but send the same
	// request by net/http. Its Operation has the service, as "S3 HeadObject"; in documents of before
	// 22 November 2026 it is the operation alone.
	Null        *OverheadRow        `json:"null,omitempty"`
	Environment OverheadEnvironment `json:"environment"`
	Notes       []string            `json:"notes,omitempty"` // what a reader of the figures must know
	// Baseline is the run that this one was compared with; nil without one.
	Baseline *OverheadBaseline `json:"baseline,omitempty"`
	// Unmeasured are the operations that were to be measured and have no row, such as S3 PutObject.
	Unmeasured []string `json:"unmeasured,omitempty"`
}

// OverheadEnvironment is what the figures depend on.
type OverheadEnvironment struct {
	SDK         string   `json:"sdk"`                  // such as aws-sdk-go-v2 v1.47.7
	Modules     []string `json:"modules"`              // the services' modules with their versions
	Endpoint    string   `json:"endpoint"`             // without credentials
	Embedded    bool     `json:"embedded"`             // the responder of Plimsoll answered
	LatencyNS   int64    `json:"latency_ns,omitempty"` // that the responder added to each answer, if any
	Protocol    string   `json:"protocol"`             // as "HTTP/1.1"
	TLS         bool     `json:"tls"`                  //
	Concurrency int      `json:"concurrency"`          // clients at the same time
	WarmupNS    int64    `json:"warmup_ns"`            // of each operation
	TimeNS      int64    `json:"time_ns,omitempty"`    // of each operation's measurement; absent when calls end it
	Calls       int64    `json:"calls,omitempty"`      // of each operation; absent when time ends it
}

// OverheadRow is one operation.
type OverheadRow struct {
	Service   string `json:"service"`   // such as S3
	Operation string `json:"operation"` // such as HeadObject
	Failed    int64  `json:"failed"`    // attempts that failed; they are in no figure
	// Unseen are attempts whose moments were not all seen, and Resent those whose request net/http
	// sent a second time. They are in no figure.
	Unseen int64 `json:"unseen,omitempty"`
	Resent int64 `json:"resent,omitempty"`
	// Connections are the attempts in the figures that made a new connection.
	Connections int64 `json:"connections,omitempty"`
	// ClientTime is the duration of a call less its wait for the service: the time from the request being
	// fully sent to the first byte of its answer, of each attempt. Call is the duration with that: from the call of
	// the SDK's operation to its return or, where the answer is a stream, to that being read; it has no Values. Both
	// are absent in documents of before 24 November 2026, and for a foreign client.
	ClientTime Sample `json:"client_time,omitzero"`
	Call       Sample `json:"call,omitzero"`
	// Overhead is the duration of an attempt less the time from the request being fully sent to
	// the first byte of its answer. What comes before the attempt and after it is not in it.
	Overhead Sample `json:"overhead,omitzero"`
	// SDKTime is the duration of an attempt less its whole round trip: from asking for a
	// connection to the end of the answer.
	SDKTime Sample `json:"sdk_time,omitzero"`
	// Stages are the mean times of a call's stages in ns, by their names, over the StagedCalls, every eighth
	// of all, whose mean duration is StagedCallNS: the stages sum to that. In documents without StagedCalls the
	// stage "HTTP client" has the wait in it.
	Stages       map[string]float64 `json:"stages,omitempty"`
	StagedCalls  int64              `json:"staged_calls,omitempty"`
	StagedCallNS float64            `json:"staged_call_ns,omitempty"`
	// CPUPerCallNS is what the process used of its CPUs, as user and for the system, while it made the
	// operation's calls, divided by their number. Of a foreign client it is that of the client's process, from an
	// answer to the next, in the mean of the calls in the figures. Absent where it is not known: with several clients at
	// the same time, on systems that do not say, and of a foreign client in documents of before 24 November 2026.
	CPUPerCallNS float64 `json:"cpu_per_call_ns,omitempty"`
	// Allocations and their bytes of one call, all goroutines of the process included.
	AllocationsPerCall float64 `json:"allocations_per_call,omitempty"`
	BytesPerCall       float64 `json:"bytes_per_call,omitempty"`
	// ErrorNS is how far the figures of a foreign client may be off: the larger side of what follows. Documents
	// of before 23 November 2026 have it alone, and it has no waiting for processors in it.
	ErrorNS int64 `json:"error_ns,omitempty"`
	// MedianFromNS and MedianToNS are what the median of a foreign client's SDK time is between, whatever the
	// machine did meanwhile.
	MedianFromNS float64 `json:"median_from_ns,omitempty"`
	MedianToNS   float64 `json:"median_to_ns,omitempty"`
	// WaitedNS is how long a foreign client was ready and waited for a processor, in the mean of its calls. It is
	// in no figure.
	WaitedNS float64 `json:"waited_ns,omitempty"`
}

// OverheadBaseline is what a run was compared with, and what came of it.
type OverheadBaseline struct {
	Run     string    `json:"run"` // its id
	Started time.Time `json:"started"`
	// Rows are its operations and Null its null client, without single values and rounds.
	Rows []OverheadRow `json:"rows"`
	Null *OverheadRow  `json:"null,omitempty"`
	// Compared are the figures by which rows are called better or worse. What else the rows have is there to tell
	// where a difference comes from.
	Compared []OverheadCompared `json:"compared"`
	// NullCompared is the null client's, which tells of the machine; its P is not corrected.
	NullCompared *OverheadCompared `json:"null_compared,omitempty"`
	// MinEffect is the smallest difference that matters, as a share of the median before.
	MinEffect float64 `json:"min_effect"`
	// Unlike is what differs between the runs so that a difference says nothing of the SDK: each outcome is then
	// cannot tell. Notes are what else a reader must know.
	Unlike []string `json:"unlike,omitempty"`
	Notes  []string `json:"notes,omitempty"`
}

// OverheadCompared is a median of an operation in both runs.
type OverheadCompared struct {
	Service   string  `json:"service"`
	Operation string  `json:"operation"`
	Figure    string  `json:"figure"` // such as FigureClientTime
	BeforeNS  float64 `json:"before_ns,omitempty"`
	NowNS     float64 `json:"now_ns,omitempty"`
	// The difference of the medians has its 95% interval between these; absent where there is none.
	LowNS  *float64 `json:"difference_low_ns,omitempty"`
	HighNS *float64 `json:"difference_high_ns,omitempty"`
	// P is how likely at least so large a difference is without a cause, corrected for the number of figures; absent
	// as the interval is.
	P       *float64 `json:"p,omitempty"`
	Outcome string   `json:"outcome"`       // worse, better, same, cannot tell, only now or only before
	Why     string   `json:"why,omitempty"` // it cannot be told, where neither the interval nor Unlike says it
}

// The stages of a call.
const (
	StageSerialize   = "serialization"
	StageEndpoint    = "endpoint resolution"
	StageCredentials = "credentials"
	StageSign        = "signing"
	StageHTTP        = "HTTP client"
	StageWait        = "wait" // for the service
	StageDeserialize = "deserialization"
	StageOther       = "other"
)

// Sample sums up single values. Its percentiles are exact: interpolated linearly between the
// values of the ranks around p·(n−1), as R's type 7 and numpy do.
type Sample struct {
	N     int64   `json:"n"`
	MinNS float64 `json:"min_ns"`
	AvgNS float64 `json:"avg_ns"`
	MedNS float64 `json:"med_ns"`
	P90NS float64 `json:"p90_ns,omitempty"` // absent, and 0 here, where the values are too few for it, as is P99NS
	P99NS float64 `json:"p99_ns,omitempty"`
	MaxNS float64 `json:"max_ns"`
	// Values are the single values, in the order of their measurement, for comparisons: all of
	// them up to MaxValues, else as many, evenly spread.
	Values []int64 `json:"values_ns,omitempty"`
	// Rounds are how many of the Values each round has, one after the other: between the rounds the
	// other operations had their turns. Absent for what was measured in one piece.
	Rounds []int `json:"rounds,omitempty"`
}

// LeaveOut takes away the percentiles that so few values do not support. The median stays: comparisons rest on it.
func (s *Sample) LeaveOut() {
	if !Supports(s.N, 900) {
		s.P90NS = 0
	}
	if !Supports(s.N, 990) {
		s.P99NS = 0
	}
}

// UnmarshalJSON leaves out what documents of before have of too few values.
func (s *Sample) UnmarshalJSON(text []byte) error {
	type plain Sample
	err := json.Unmarshal(text, (*plain)(s))
	s.LeaveOut()
	return err
}

// rising are the figures that are no smaller than those before them, but for percentiles that are left out.
func (s *Sample) rising() []float64 {
	list := []float64{s.MinNS, s.MedNS}
	if s.P90NS != 0 || Supports(s.N, 900) {
		list = append(list, s.P90NS)
	}
	if s.P99NS != 0 || Supports(s.N, 990) {
		list = append(list, s.P99NS)
	}
	return append(list, s.MaxNS)
}

// MaxValues is how many single values a Sample keeps.
const MaxValues = 5000
