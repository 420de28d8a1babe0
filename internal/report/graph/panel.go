package graph

// Panel is one chart. It has series, or spans, or a heat map.
type Panel struct {
	Name   string   `json:"name"`            // of letters, digits and dashes; one panel of a report has it
	Title  string   `json:"title"`           // what it shows, with the unit
	Intro  string   `json:"intro,omitempty"` // how it is read, in a sentence or two
	X      Axis     `json:"x"`
	Y      Axis     `json:"y"`
	Series []Series `json:"series,omitempty"`
	Spans  []Span   `json:"spans,omitempty"` // stretches in rows, from top to bottom, as in a waterfall
	Heat   *Heat    `json:"heat,omitempty"`
	Bands  []Band   `json:"bands,omitempty"`
	Rules  []Rule   `json:"rules,omitempty"`
	Empty  string   `json:"empty,omitempty"` // shown where there is nothing to draw: why
}

// Axis is a direction of a panel, and what its values mean.
type Axis struct {
	Name  string  `json:"name,omitempty"`
	Unit  Unit    `json:"unit,omitempty"`
	Word  string  `json:"word,omitempty"`  // behind a value, as "req/s"
	Scale Scale   `json:"scale,omitempty"` // "": linear
	From  float64 `json:"from,omitempty"`  // both ends are 0: those of the values, and 0 where that is an amount
	To    float64 `json:"to,omitempty"`
	Ticks []Tick  `json:"ticks,omitempty"` // where values have names; none: round values
}

// Unit is what a value is, which says how it is written.
type Unit string

// The units.
const (
	Number      Unit = ""
	Nanoseconds Unit = "ns"    // 1.5 ms
	Seconds     Unit = "s"     // since the start of the window: 1:30
	Share       Unit = "share" // of 1: 12%
	Bytes       Unit = "bytes" // 1.5 MiB
	// Quantile is 0 to 1: 0.99 is p99.
	Quantile Unit = "quantile"
)

// Scale is how an axis is divided.
type Scale string

// The scales.
const (
	Linear Scale = ""
	Log    Scale = "log"
	// Tail is for quantiles: each further nine takes as much room as the one before it, -log10(1-q).
	Tail Scale = "tail"
)

// Tick is a value that has a name.
type Tick struct {
	At   float64 `json:"at"`
	Name string  `json:"name"`
}

// Series is a row of points.
type Series struct {
	Name  string `json:"name"`
	Role  Role   `json:"role,omitempty"`
	Style Style  `json:"style,omitempty"`
	X     Values `json:"x"`
	Y     Values `json:"y"`             // NaN: not known, and the line has a gap
	To    Values `json:"to,omitempty"`  // of Steps and Bars: where the one that begins at X ends; none: at the next
	Low   Values `json:"low,omitempty"` // ends of intervals, where there are some
	High  Values `json:"high,omitempty"`
	// Texts say more of each point than its values do; none, or one for each.
	Texts []string `json:"texts,omitempty"`
}

// Style is how a series is drawn.
type Style string

// The styles.
const (
	Line  Style = ""
	Area  Style = "area"  // a line, filled down to 0
	Steps Style = "steps" // as high from X to To as Y says, filled down to 0
	Edge  Style = "edge"  // steps that are not filled
	Bars  Style = "bars"  // steps that stand on those of the series before, as parts of a whole
	Dots  Style = "dots"
)

// Role is what a series, a span or a band means, which gives it its colour.
type Role string

// The roles. Other ones, such as "1", "2" and so on, are colours that can be told apart.
const (
	OK      Role = "ok"
	Failed  Role = "failed"
	Offered Role = "offered"
	P50     Role = "p50"
	P90     Role = "p90"
	P99     Role = "p99"
	P999    Role = "p999"
	Most    Role = "max"
	Own     Role = "own" // of the generator
	Fitted  Role = "fitted"
	Met     Role = "met"
	Unknown Role = "unknown"
	Neutral Role = "neutral"
)

// Span is a stretch of a row.
type Span struct {
	Row  string  `json:"row"` // spans of the same row stand beside each other
	Part string  `json:"part,omitempty"`
	Role Role    `json:"role,omitempty"`
	From float64 `json:"from"`
	To   float64 `json:"to"`
	Text string  `json:"text,omitempty"`
}

// Heat is how often values of Y came at X. Cell i, j is from X[i] to X[i+1] and from Y[j] to Y[j+1].
type Heat struct {
	X      Values    `json:"x"`
	Y      Values    `json:"y"`
	Counts [][]int64 `json:"counts"` // by X, then by Y
	Of     string    `json:"of"`     // what is counted, in the plural
}

// Band marks a stretch of X over the whole height.
type Band struct {
	Role Role    `json:"role,omitempty"`
	From float64 `json:"from"`
	To   float64 `json:"to"`
	Name string  `json:"name"` // in the legend, once for all bands of the same name
}

// Rule is a line across: a goal, a limit.
type Rule struct {
	Role     Role    `json:"role,omitempty"`
	At       float64 `json:"at"`
	Vertical bool    `json:"vertical,omitempty"` // at this X, and not at this Y
	Name     string  `json:"name"`
}
