package show_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Files that were opened again are counted by cause in the answer.
func TestReportCountsReopenedFiles(t *testing.T) {
	run := edit(fixture(t, "bandwidth-reference"), func(d *rundoc.BandwidthDetail) {
		d.Download.Reopened = 3
		d.Download.ReopenCauses = []rundoc.Cause{{Cause: "reset", Count: 2}, {Cause: "timeout", Count: 1}}
	})
	wantAll(t, textOf(t, run, report.Options{}), "Errors reopened 3 times",
		"reopened files by cause: reset 2, timeout 1")
}
