package report_test

import (
	"flag"
	"math"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/rundoc"
)

var (
	update    = flag.Bool("update", false, "write the golden files")
	documents = flag.Bool("documents", false, "make the run documents under testdata anew")
)

func TestGolden(t *testing.T) {
	for _, f := range fixtures {
		kind := kindOf(fixture(t, f.Name))
		reporttest.Goldens(t, []reporttest.Fixed{f}, append(reporttest.Renderings(kind), reporttest.Buckets()), *update)
	}
}

// The first screen must hold the answer to all four questions, in 80 columns.
func TestTextFitsTheScreen(t *testing.T) {
	for _, f := range fixtures {
		run := fixture(t, f.Name)
		reporttest.FitsTheScreen(t, f.Name, run, kindOf(run), "Throughput ", "Response time ", "Verdict ")
	}
}

func TestFixedDocumentsAreJudgedAsTheySay(t *testing.T) {
	reporttest.MakeDocuments(t, fixtures, *documents)
}

// The documents of runs that were watched tell one thing each way: what was in flight, by Little's law and by the
// clients' time, and how long operations waited for their start.
func TestFixedDocumentsAgreeWithThemselves(t *testing.T) {
	for _, name := range []string{"quiet", "frozen", "blind"} {
		run := fixture(t, name)
		total, err := run.Totals()
		if err != nil {
			t.Fatal(err)
		}
		l, predicted := run.Ledger, run.Little.InFlightPredicted
		inFlight := float64(l.States[rundoc.StateSending]+l.States[rundoc.StateAwaiting]) / float64(l.WindowNS)
		if math.Abs(inFlight-predicted) > 0.001*predicted {
			t.Errorf("%s: %v in flight by the ledger, %v by Little's law", name, inFlight, predicted)
		}
		if waited := total.ResponseTime.MeanNS - total.ServiceTime.MeanNS; run.OpenModel() &&
			max(waited-total.SendDelay.MeanNS, total.SendDelay.MeanNS-waited) > 1 {
			t.Errorf("%s: waited %d ns, send delay %d ns", name, waited, total.SendDelay.MeanNS)
		}
		if d := run.Generator.SendDelayP99NS; run.OpenModel() && math.Abs(float64(d-*total.SendDelay.P99NS)) > 0.01*float64(d) {
			t.Errorf("%s: send delay p99 %d and %d ns", name, d, *total.SendDelay.P99NS)
		}
	}
}
