package setdoc

// Loadline is what came of the search for the highest load that meets an SLO.
type Loadline struct {
	Rules    int     `json:"rules"`
	Workload string  `json:"workload"`
	Vary     string  `json:"vary"` // the setting that says the load: "rate", "clients"
	Unit     string  `json:"unit"` // of the load, for a person: "requests/s", "clients"
	SLO      []Goal  `json:"slo"`
	Start    float64 `json:"start"`
	Lowest   float64 `json:"lowest"`
	Highest  float64 `json:"highest"`
	Whole    bool    `json:"whole,omitempty"` // loads are whole numbers
	Within   float64 `json:"within"`          // half of the interval's width that is searched for, a share of the load
	Most     int     `json:"most"`            // probes behind the doubling
	// LongestNS is the most that a probe may last.
	LongestNS int64 `json:"longest_ns"`
	// MaxTimeNS is the most that the whole search may last; 0: it is not bounded.
	MaxTimeNS int64   `json:"max_time_ns,omitempty"`
	TimeUp    bool    `json:"time_up,omitempty"` // the next probe did not fit into MaxTimeNS, which ended the search
	Probes    []Probe `json:"probes"`            // in the order in which they were made

	// What follows is worked out from the probes.
	Load   *float64  `json:"load,omitempty"`     // at which a probe is as likely to meet the SLO as not
	Range  []float64 `json:"interval,omitempty"` // 98%: its two ends
	Spread *float64  `json:"spread,omitempty"`   // of the logarithm of the load, over which probes go from met to failed
	Ending string    `json:"ending"`             // LineFound and the like
	Why    string    `json:"why,omitempty"`      // in a sentence, where it is not LineFound
	Limits []Limit   `json:"limits,omitempty"`   // what the probes failed by, the most frequent first
	// Processors says how busy they were in the probe of the lowest load that failed.
	Processors string   `json:"processors,omitempty"`
	Drift      []int    `json:"drift,omitempty"` // the probes, from 0 on, before which all earlier ones were forgotten
	Doubts     []string `json:"doubts,omitempty"`
}

// Goal is one of an SLO.
type Goal struct {
	Expr   string  `json:"expr"`   // in its plain form: "p99<50ms"
	Figure string  `json:"figure"` // what is held against the limit: "p99"
	Unit   string  `json:"unit"`   // of it and of the limit: "ns", "share"
	Limit  float64 `json:"limit"`
}

// How the search for a load line ends.
const (
	LineFound     = "found"
	LineWide      = "wide"      // the probes are used up, and the interval is wider than was asked for
	LineTimeUp    = "time up"   // likewise the time
	LineBelow     = "below"     // the lowest load fails
	LineAbove     = "above"     // the highest load meets it
	LineGenerator = "generator" // the generator, or the machine that it runs on, was the limit
	LineCutShort  = "cut short" // by an interrupt, or by runs that failed
)

// Probe is a run of fixed length at one load.
type Probe struct {
	Member   string   `json:"member"` // its id; "" where nothing was measured
	Load     float64  `json:"load"`
	LengthNS int64    `json:"length_ns"`
	Result   string   `json:"result"`              // ProbeMet, ProbeFailed, ProbeTellsNothing
	Own      bool     `json:"generator,omitempty"` // it tells nothing, and the generator is why
	Why      string   `json:"why,omitempty"`       // which goal was missed, and by how much; or why it tells nothing
	Missed   []string `json:"missed,omitempty"`    // goals of the SLO, MissedSending, MissedQueue
	Values   []Known  `json:"values,omitempty"`    // of the SLO's figures
	Rate     *float64 `json:"rate,omitempty"`      // what was got through, in a second
	P99NS    *int64   `json:"p99_ns,omitempty"`
	// SlotsUsed is how many operations were under way on average, as a share of as many as the clients can have under way;
	// open model.
	SlotsUsed *float64 `json:"slots_used,omitempty"`
}

// What a probe may fail by besides the goals of the SLO.
const (
	MissedSending = "unsent" // operations were due and not sent, since all clients were busy
	MissedQueue   = "queue"  // what was due and not answered grew to the end of the window
)

// Limit is what probes failed by.
type Limit struct {
	By     string `json:"by"` // as Probe.Missed has it
	Probes int    `json:"probes"`
}

// What a probe found.
const (
	ProbeMet          = "met"
	ProbeFailed       = "failed"
	ProbeTellsNothing = "tells nothing"
)
