//go:build unix

package cli

import (
	"testing"
)

// TestUpdatesReads checks that reads beside the updates find every batch.
func TestUpdatesReads(t *testing.T) {
	t.Parallel()
	doc, d := startUpdates(t, "--rate", "40", "--batch", "20", "--duration", "500ms", "--warmup-time", "0", "--settle", "2m",
		"--drain", "1m", "--reads", "100").end(t, 0)
	total, err := doc.Totals()
	if err != nil {
		t.Fatal(err)
	}
	if r := d.Reads; r == nil || r.Batches == nil || r.Operation.OK == 0 || r.Batches.Batches != total.OK ||
		r.Batches.Seen != total.OK || r.Batches.Wrong != 0 {
		t.Errorf("reads: %+v of %d batches", r, total.OK)
	}
}
