package setdoc

import "encoding/json"

// Comparison is what came of two sides that were measured in turn: is the second one worse than the first?
//
// The unit is the launch, in which both are started afresh. All else follows from the launches alone.
type Comparison struct {
	Rules     int       `json:"rules"` // the number of the rules by which the rows follow from the launches
	Workload  string    `json:"workload"`
	Sides     [2]Side   `json:"sides"`                // the baseline first
	Way       string    `json:"way"`                  // BySlices, ByRuns, AtOnce
	Seed      uint64    `json:"seed"`                 // of the order of the sides
	Looks     []int     `json:"looks"`                // the numbers of launches after which it is judged
	Alphas    []float64 `json:"alphas"`               // the level of each look, for all rows together
	MinEffect float64   `json:"min_effect,omitempty"` // the smallest change that matters, a share; 0: any does
	// BusyLimit is the share of the machine's CPUs that others may use in a launch: one with more is dropped whole. It is
	// fixed before the first one. 0: none is dropped.
	BusyLimit float64    `json:"busy_limit,omitempty"`
	RoundNS   int64      `json:"round_ns,omitempty"` // by slices: how much of each side makes a round
	Figures   []Compared `json:"figures"`            // in the order of the rows
	LeftOut   []string   `json:"left_out,omitempty"` // which figures are not judged for want of time, in words
	Launches  []Launch   `json:"launches"`

	// What follows is worked out from the above.
	Dropped int        `json:"dropped"`           // launches that others kept the machine too busy for
	Judged  int        `json:"judged"`            // the launches that the rows are of
	Decided string     `json:"decided,omitempty"` // why no more were made, or needed
	Rows    []Contrast `json:"rows"`
	Rounds  *Rounds    `json:"rounds,omitempty"` // of a comparison by slices
	Doubts  []string   `json:"doubts,omitempty"` // what should be known before this is used
}

// AskedOfComparison is what the plan of a comparison says of when its command was to fail.
type AskedOfComparison struct {
	FailIf     string `json:"fail_if,omitempty"` // "worse": exit status 3 where a figure of B is worse
	Conclusive bool   `json:"require_conclusive,omitempty"`
}

// How the sides take turns within a launch.
const (
	BySlices = "slices" // in one process, in slices of milliseconds
	ByRuns   = "runs"   // one whole run after the other: a file, a drained window, a process
	AtOnce   = "duet"   // both at the same time
)

// Side is one of the two.
type Side struct {
	Name    string          `json:"name"`    // for a person: what was given, without secrets
	Command string          `json:"command"` // that makes a run of it alone
	Target  string          `json:"target"`  // without secrets; "demo" for an embedded one
	Plan    json.RawMessage `json:"plan"`
}

// Compared is a figure that is compared.
type Compared struct {
	Figure
	Less bool `json:"less_is_better"`
	Info bool `json:"info,omitempty"` // shown, and not judged: it does not make a side better or worse
}

// Launch is both sides, started afresh.
type Launch struct {
	First   int        `json:"first"`              // the side that began: 0, 1
	Members [2]string  `json:"members"`            // the ids of its runs; "" where nothing was measured
	SliceNS int64      `json:"slice_ns,omitempty"` // by slices
	Slices  int        `json:"slices,omitempty"`   // of each side
	Others  *float64   `json:"others,omitempty"`   // share of the machine's CPUs that others used; absent where not known
	Lost    string     `json:"lost,omitempty"`     // why it has no figures
	Dropped bool       `json:"dropped,omitempty"`  // others used more than BusyLimit
	Rounds  []float64  `json:"rounds,omitempty"`   // the ratio of the sides' rates, round by round; second ÷ first
	Values  [2][]Known `json:"values"`             // of Comparison.Figures, by side
}

// Known is the value of a figure in a run, or why it has none.
type Known struct {
	Value *float64 `json:"value,omitempty"`
	Of    int64    `json:"of,omitempty"` // of a share of operations: how many these are
	Why   string   `json:"why,omitempty"`
	// Launches is how many launches the value is of, this one and those before it, where each alone has too few times
	// for a percentile: their times were merged. Merged says that a launch has too few, and is a part of the next value.
	Launches int  `json:"launches,omitempty"`
	Merged   bool `json:"merged,omitempty"`
}

// Contrast is what the launches say of one figure. A ratio is that of the second side to the first.
type Contrast struct {
	Figure   int      `json:"figure"`           // of Comparison.Figures
	Launches int      `json:"launches"`         // in which both sides have it
	A        *float64 `json:"a,omitempty"`      // the geometric mean of the launches' values, without a fifth at each end
	B        *float64 `json:"b,omitempty"`      //
	Ratio    *float64 `json:"ratio,omitempty"`  // of the trimmed mean of the logarithms
	Low      *float64 `json:"low,omitempty"`    // its interval, at the row's level of Holm
	High     *float64 `json:"high,omitempty"`   //
	P        *float64 `json:"p,omitempty"`      // of the trimmed t test, as it is
	Adjusted *float64 `json:"holm_p,omitempty"` // after Holm
	SignFlip *float64 `json:"sign_flip_p,omitempty"`
	// Smallest is the change, a share, that would have been seen nine times in ten.
	Smallest *float64 `json:"smallest,omitempty"`
	Outcome  string   `json:"outcome"`          // Better, Worse, NoneShown, Unknown, NotJudged
	Absent   string   `json:"absent,omitempty"` // why nothing is known
}

// NoneOnEither is why there is nothing to compare of a share that is 0 on both sides in every launch. It is a finding,
// where other reasons say that nothing was found.
const NoneOnEither = "none on either side"

// AlikeInEach is why there is nothing to test of a figure that came to the same on both sides in every launch, as a
// rate does that was given: no difference is shown, and nobody knows how small a one would have been.
const AlikeInEach = "the same on both sides in each launch"

// What a comparison finds of a figure.
const (
	Better    = "better"
	Worse     = "worse"
	NoneShown = "no difference shown"
	Unknown   = "unknown"
	NotJudged = "not judged" // it is information, and nobody asked to judge it
)

// Rounds is how far the ratio of a round goes from one round to the next: the standard deviation of its logarithm
// within launches. A round is as much of each side as LengthNS says.
type Rounds struct {
	LengthNS int64   `json:"length_ns"`
	Count    int     `json:"count"`
	Stddev   float64 `json:"stddev"`
}
