package sweep

import (
	"maps"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// The names of the figures that count the operations of the window, and no others: those that have a second with the
// most of them, and those of which the ledger tells where the clients' time went.
const (
	rateFigure  = "rate"
	bytesFigure = "bytes_rate"
)

// RowOf takes from a run what the analysis needs. throughput is the figure f of this run.
func RowOf(run *rundoc.Run, f setdoc.Figure, throughput figure.Value, values []string, repeat int) setdoc.Row {
	total := totals(run)
	row := setdoc.Row{
		Values: slices.Clone(values), Repeat: repeat, Member: run.ID,
		Validity: string(run.Verdict.Validity), Reasons: slices.Clone(run.Verdict.Reasons),
		Clients: float64(run.Little.Slots), WindowNS: run.Ledger.WindowNS, PeakSecond: peakSecond(run, f),
		OK: total.OK, Failed: total.Failed, Unsent: total.Unsent, Unfinished: total.Unfinished,
		Retries: total.Retries, Reconnects: reconnects(run),
		Opened: run.Connections.Opened, NotOpened: run.Connections.Failed,
		States:          maps.Clone(run.Ledger.States),
		InFlightSampled: run.Little.InFlightSampled, InFlightPredicted: run.Little.InFlightPredicted,
	}
	if row.Clients <= 0 { // in a document of before it had slots
		row.Clients = float64(run.Ledger.Clients)
	}
	if v := throughput.Raw; throughput.Why == "" && v > 0 && !math.IsInf(v, 0) {
		row.Throughput = &v
	}
	if s := float64(row.WindowNS) / 1e9; s > 0 && run.OpenModel() {
		row.OfferedPerS = new(float64(total.Scheduled) / s)
	}
	for _, c := range total.Causes {
		row.Causes = append(row.Causes, setdoc.CauseCount{Cause: c.Cause, Count: c.Count})
	}
	if s := total.ServiceTime; s != nil {
		row.ServiceMeanNS, row.ServiceP50NS, row.ServiceP99NS = s.MeanNS, s.P50NS, s.P99NS
	}
	if s := total.ResponseTime; s != nil {
		row.ResponseMeanNS, row.ResponseP50NS, row.ResponseP99NS = s.MeanNS, s.P50NS, s.P99NS
	}
	return row
}

// totals are those of the document, or the counts alone of one of before it had them.
func totals(run *rundoc.Run) *rundoc.Totals {
	if run.Total != nil {
		return run.Total
	}
	sum, _ := run.Totals() // the counts are right even where a time cannot be merged
	return &rundoc.Totals{
		Scheduled: sum.Scheduled, OK: sum.OK, Failed: sum.Failed, Unsent: sum.Unsent, Unfinished: sum.Unfinished,
		Retries: sum.Retries, Causes: sum.Causes,
	}
}

func reconnects(run *rundoc.Run) (sum int64) {
	for _, c := range run.Connections.Reconnects {
		sum += c.Count
	}
	return sum
}

// leastSeconds is of how many whole seconds one can be the highest: of fewer it may lie below the mean.
const leastSeconds = 3

// peakSecond is the most of the figure in a whole second of the window; nil where too few were counted by themselves.
func peakSecond(run *rundoc.Run, f setdoc.Figure) *float64 {
	var most *float64
	seconds := 0
	for i := range run.Series {
		p := &run.Series[i]
		if p.Length() > 1 || (p.Second+1)*1e9 > run.Ledger.WindowNS {
			continue
		}
		var v float64
		switch f.Name {
		case rateFigure:
			v = float64(p.OK)
		case bytesFigure:
			v = float64(p.Bytes)
		default:
			return nil
		}
		seconds++
		if most == nil || v > *most {
			most = &v
		}
	}
	if seconds < leastSeconds {
		return nil
	}
	return most
}
