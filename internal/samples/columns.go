package samples

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/parquet"
)

// Column is a column of a file of samples.
type Column struct {
	CSV  string // its name in the CSV file
	Name string // its name elsewhere, which says the unit, and is the same for all kinds
	Kind Kind
	// Optional values may be absent: an empty field.
	Optional bool
}

// Kind is what the values of a column are.
type Kind int

// The kinds of columns.
const (
	Text    Kind = iota
	Count        // a whole number
	Millis       // ms with decimals in the file, whole ns here
	Instant      // RFC 3339 in the file, µs since 1970 here
)

// The columns that have a meaning here.
const (
	timestamp = "timestamp"
	operation = "operation"
	status    = "status"
	phase     = "phase"

	responseTime = "response_time_ns"
	duration     = "duration_ns"
)

// known are the columns of the samples of all kinds, and of the blocks of a bandwidth run. A new column of a kind's
// samples is a line here.
func known() []Column {
	return []Column{
		{CSV: "timestamp", Name: timestamp, Kind: Instant},
		{CSV: "messageType", Name: operation},
		{CSV: "message", Name: operation},
		{CSV: "request", Name: operation},
		{CSV: "operation", Name: operation},
		{CSV: "latencyMs", Name: responseTime, Kind: Millis},
		{CSV: "responseMs", Name: responseTime, Kind: Millis},
		{CSV: "serviceMs", Name: "service_time_ns", Kind: Millis},
		{CSV: "statusCode", Name: status},
		{CSV: "status", Name: status},
		{CSV: "sendMs", Name: "send_ns", Kind: Millis, Optional: true},
		{CSV: "waitMs", Name: "wait_ns", Kind: Millis, Optional: true},
		{CSV: "bodyMs", Name: "body_ns", Kind: Millis, Optional: true},
		{CSV: "bytes", Name: "bytes", Kind: Count},
		{CSV: "roomId", Name: "room", Kind: Count},
		{CSV: "phase", Name: phase},
		{CSV: "total", Name: "total_bytes", Kind: Count},
		{CSV: "duration", Name: duration, Kind: Millis},
		{CSV: "iteration", Name: "iteration", Kind: Count},
		{CSV: "stream", Name: "stream", Kind: Count},
	}
}

// columnsOf are the columns that the first line of a file names.
func columnsOf(file string, header [][]byte) ([]Column, error) {
	var columns []Column
	for _, name := range header {
		found := false
		for _, c := range known() {
			if c.CSV == string(name) {
				columns, found = append(columns, c), true
			}
		}
		if !found {
			return nil, fault.New(fault.Usage, "%s:1: %.40q is not a known column", file, name).
				Hint("use the unmodified CSV file of --samples, or of bandwidth --csv")
		}
	}
	for i, c := range columns {
		for _, other := range columns[:i] {
			if other.Name == c.Name {
				return nil, fault.New(fault.Usage, "%s:1: the columns %q and %q are duplicates", file, other.CSV, c.CSV).
					Hint("use the unmodified CSV file of --samples, or of bandwidth --csv")
			}
		}
	}
	return columns, nil
}

// place is the number of the column of this name; -1: there is none.
func place(columns []Column, name string) int {
	return slices.IndexFunc(columns, func(c Column) bool { return c.Name == name })
}

// parquetColumns are the columns as Parquet has them.
func parquetColumns(columns []Column) []parquet.Column {
	out := make([]parquet.Column, len(columns))
	for i, c := range columns {
		out[i] = parquet.Column{Name: c.Name, Optional: c.Optional}
		switch c.Kind {
		case Text:
			out[i].Kind = parquet.Text
		case Instant:
			out[i].Kind = parquet.Microseconds
		case Count, Millis:
			out[i].Kind = parquet.Integer
		}
	}
	return out
}
