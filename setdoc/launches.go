package setdoc

// Launches is what came of the same run, started afresh again and again, until a figure was known well enough.
type Launches struct {
	Rules    int     `json:"rules"`
	Workload string  `json:"workload"`
	Figure   Figure  `json:"figure"`
	Within   float64 `json:"within"` // half the width of the interval that was asked for, a share of the figure
	Least    int     `json:"least"`  // launches that there are at least, and at most
	Most     int     `json:"most"`
	Values   []Known `json:"values"` // of the members, in their order

	// What follows is worked out from the values.
	Median *float64  `json:"median,omitempty"`
	Range  []float64 `json:"interval,omitempty"` // 95% of the median of launches: its two ends
	Known  bool      `json:"known"`              // the interval is as narrow as was asked for
	Why    string    `json:"why,omitempty"`      // it is not
}
