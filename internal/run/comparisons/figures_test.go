package comparisons

import (
	"math"
	"testing"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// A load in slices is idle while a slice drains: its rate is that of the rest. A whole run's rate, and a time, are what
// the document says.
func TestTheRateOfSlices(t *testing.T) {
	doc := &rundoc.Run{
		Operations: []rundoc.Operation{{Name: "send", Scheduled: 90, OK: 90, RatePerS: 90,
			ResponseTime: rundoc.Summary{Count: 90, P50NS: new(int64(7)), MaxNS: 7, MinNS: 7, MeanNS: 7}}},
		Ledger: rundoc.Ledger{Clients: 2, WindowNS: 100, States: map[string]int64{
			rundoc.StateAwaiting: 150, rundoc.StateIdle: 50,
		}},
	}
	var rows []row
	for _, name := range []string{"rate", "p50"} {
		spec, err := figure.Parse(name, figure.Known{})
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row{spec: spec})
	}
	for way, rate := range map[string]float64{setdoc.BySlices: 120, setdoc.ByRuns: 90, setdoc.AtOnce: 90} {
		got := valuesOf(rows, way, doc)
		if math.Abs(*got[0].Value-rate) > 1e-9 || *got[1].Value != 7 {
			t.Errorf("%s: rate %v, p50 %v; want %v and 7", way, *got[0].Value, *got[1].Value, rate)
		}
	}
}
