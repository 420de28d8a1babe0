package report_test

import (
	"flag"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report/reporttest"
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
		reporttest.FitsTheScreen(t, f.Name, run, kindOf(run), "Throughput ", "Response time ", "Failures ", "Verdict ")
	}
}

func TestFixedDocumentsAreJudgedAsTheySay(t *testing.T) {
	reporttest.MakeDocuments(t, fixtures, *documents)
}
