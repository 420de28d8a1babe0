package setdoc

// Sweep is what came of runs of one kind at several settings.
type Sweep struct {
	Rules    int     `json:"rules"` // the number of the rules by which the levels follow from the rows
	Workload string  `json:"workload"`
	Vary     []Vary  `json:"vary"` // one, or two for a grid
	Repeats  int     `json:"repeats"`
	Seed     uint64  `json:"seed"`  // of the order
	Order    []int   `json:"order"` // the rows in the order in which they were made
	Figure   Figure  `json:"throughput"`
	Rows     []Row   `json:"rows"`   // one a run, level by level
	Levels   []Level `json:"levels"` // in the order of their settings

	// Base is of a sweep over one setting that says how much goes on at once, in the closed model.
	Base *Base `json:"base,omitempty"`
	// Scaling is of any sweep with levels; where there can be no law, it is refused with the reason.
	Scaling *Scaling `json:"scaling,omitempty"`

	// What follows is of any sweep in which something was measured.
	Peak *int `json:"peak,omitempty"` // the level of the best figure: the highest, or the least time
	// Best is the first level whose throughput is as good as that; of sizes it is the largest.
	Best        *int     `json:"best,omitempty"`
	Ending      string   `json:"ending,omitempty"`      // EndsRising, EndsOnPlateau, EndsInDecline, EndsInFailure
	FailsFrom   *int     `json:"fails_from,omitempty"`  // the first level at which connects, handshakes or operations fail
	Recommended string   `json:"recommended,omitempty"` // the setting, and why, in a sentence
	Doubts      []string `json:"doubts,omitempty"`      // what should be known before this is used
}

// How a sweep ends beyond its best setting.
const (
	EndsRising    = "rising"  // the highest level is the best: nobody knows what comes beyond it
	EndsOnPlateau = "plateau" // more brings no more
	EndsInDecline = "decline" // more brings less
	EndsInFailure = "failure" // more fails, or does not keep up with the rate that is offered
)

// Vary is a setting and the values that it took.
type Vary struct {
	Setting     string   `json:"setting"`
	Values      []string `json:"values"`
	Numeric     bool     `json:"numeric"`
	Concurrency bool     `json:"concurrency"` // it says how much goes on at once, such as clients
	// Size says that it is how much there is to do, such as receivers of each message: of levels as good as each other
	// the largest is the best, and not the first.
	Size bool `json:"size,omitempty"`
}

// Figure is the figure that the sweep takes for the throughput: its name, and the unit in which it counts.
type Figure struct {
	Name string `json:"name"` // as a threshold has it
	Unit string `json:"unit"` // "per_s", "bytes_per_s", or another when the kind has no throughput
	Of   string `json:"of"`   // for a person: "messages", "downloaded"
}

// Row is one run, by its figures alone.
type Row struct {
	Values     []string `json:"values"` // of the settings varied, in the order of Vary
	Repeat     int      `json:"repeat"` // from 1 on
	Member     string   `json:"member"` // its id; "" of one that measured nothing
	Validity   string   `json:"validity"`
	Reasons    []string `json:"reasons,omitempty"`    // of the verdict
	Clients    float64  `json:"clients,omitempty"`    // slots of the ledger: clients × what each may have under way
	WindowNS   int64    `json:"window_ns"`            // of the measurement
	Throughput *float64 `json:"throughput,omitempty"` // absent when nothing was ok
	PeakSecond *float64 `json:"peak_second,omitempty"`
	// OfferedPerS is what was scheduled ÷ the window, of the open model alone.
	OfferedPerS *float64 `json:"offered_per_s,omitempty"`

	OK         int64 `json:"ok"`
	Failed     int64 `json:"failed"`
	Unsent     int64 `json:"unsent"`
	Unfinished int64 `json:"unfinished"`
	Retries    int64 `json:"retries"`
	Reconnects int64 `json:"reconnects"`
	Opened     int64 `json:"connections_opened"`
	NotOpened  int64 `json:"connections_failed"`

	Causes []CauseCount `json:"causes,omitempty"` // why operations and connects failed, the most frequent first

	ServiceMeanNS  int64  `json:"service_mean_ns,omitempty"`
	ServiceP50NS   *int64 `json:"service_p50_ns,omitempty"`
	ServiceP99NS   *int64 `json:"service_p99_ns,omitempty"`
	ResponseMeanNS int64  `json:"response_mean_ns,omitempty"`
	ResponseP50NS  *int64 `json:"response_p50_ns,omitempty"`
	ResponseP99NS  *int64 `json:"response_p99_ns,omitempty"`

	States            map[string]int64 `json:"states,omitempty"` // of the ledger, summed over clients, ns
	InFlightSampled   float64          `json:"in_flight_sampled,omitempty"`
	InFlightPredicted float64          `json:"in_flight_predicted,omitempty"`
}

// CauseCount counts what failed for one reason.
type CauseCount struct {
	Cause string `json:"cause"`
	Count int64  `json:"count"`
}

// Level is what the runs at one setting have in common: means over its repeats, and sums of what is counted. A run that
// is invalid is in no mean as long as there is another one; in the sums it is.
type Level struct {
	Values     []string  `json:"values"`
	Load       float64   `json:"load,omitempty"`    // the number that Values says, of a numeric setting alone
	Clients    float64   `json:"clients,omitempty"` // L: clients × what each may have under way, mean of its runs
	Runs       int       `json:"runs"`
	Lost       int       `json:"lost,omitempty"` // of these, runs that measured nothing
	Throughput *float64  `json:"throughput,omitempty"`
	Interval   []float64 `json:"throughput_interval,omitempty"` // 95% of its mean; absent with fewer than two runs
	PeakSecond *float64  `json:"peak_second,omitempty"`         // the highest second of any run
	Validity   string    `json:"validity"`                      // the gravest of its runs'
	// OfferedPerS is what was scheduled ÷ the window, of the open model alone.
	OfferedPerS *float64 `json:"offered_per_s,omitempty"`

	Scheduled   int64        `json:"scheduled"`
	OK          int64        `json:"ok"`
	Failed      int64        `json:"failed"`
	FailedShare float64      `json:"failed_share"` // failed, unsent and unfinished, of what was scheduled
	Retries     int64        `json:"retries"`
	Reconnects  int64        `json:"reconnects"`
	Opened      int64        `json:"connections_opened"`
	NotOpened   int64        `json:"connections_failed"`
	Causes      []CauseCount `json:"causes,omitempty"`

	ServiceMeanNS int64  `json:"service_mean_ns,omitempty"`
	ServiceP50NS  *int64 `json:"service_p50_ns,omitempty"`  // the median of its runs', as those below
	ServiceP99NS  *int64 `json:"service_p99_ns,omitempty"`  //
	ResponseP50NS *int64 `json:"response_p50_ns,omitempty"` //
	ResponseP99NS *int64 `json:"response_p99_ns,omitempty"` //

	Shares map[string]float64 `json:"shares,omitempty"` // of the clients' time, by state of the ledger

	Predicted  *float64       `json:"predicted,omitempty"`  // throughput by Little's law: L ÷ W₁
	Efficiency *float64       `json:"efficiency,omitempty"` // observed ÷ predicted
	Missing    []MissingShare `json:"missing,omitempty"`    // where the rest went; sums to 1 − efficiency

	InFlight          float64  `json:"in_flight_sampled,omitempty"`
	InFlightPredicted float64  `json:"in_flight_predicted,omitempty"` // throughput × service time
	Little            *float64 `json:"little_difference,omitempty"`   // sampled ÷ predicted − 1
}

// MissingShare is a part of the efficiency that a level lacks: client time per operation in one state of the ledger,
// beyond that at the base level.
type MissingShare struct {
	State string  `json:"state"`
	Share float64 `json:"share"` // may be below 0: there was less of it than at the base
}

// Base is the level that the prediction comes from: that of one client, or the lowest that was measured.
type Base struct {
	Level  int     `json:"level"`
	W1     float64 `json:"w1_ns"`  // client time there ÷ what the throughput counts: per ok operation, or per byte
	Single bool    `json:"single"` // it has one client with one operation under way
}

// Scaling is the Universal Scalability Law fitted to the levels: X(N) = λN ÷ (1 + σ(N−1) + κN(N−1)).
type Scaling struct {
	Refused string `json:"refused,omitempty"` // why there are no parameters; "": there are

	Lambda *Estimate `json:"lambda,omitempty"` // throughput of one, in the figure's unit
	Sigma  *Estimate `json:"sigma,omitempty"`  // contention
	Kappa  *Estimate `json:"kappa,omitempty"`  // coherency
	Peak   *Estimate `json:"peak,omitempty"`   // load of the highest throughput
	// NoPeak says why there is no peak: its upper limit lies beyond twice the highest level, or κ may be 0.
	NoPeak    string   `json:"no_peak,omitempty"`
	LackOfFit *float64 `json:"lack_of_fit_p,omitempty"` // p of the test that the law has this form; absent without repeats
	Spread    float64  `json:"spread,omitempty"`        // residual standard deviation of log X
}

// Estimate is a parameter with its 95% interval.
type Estimate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}
